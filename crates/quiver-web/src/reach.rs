//! Which addresses requests may reach.
//!
//! A server that fetches what its clients name must not lend them its place in the network. With [`Reach::Global`],
//! every request passes two checks: its URL, which may contain an address itself, and the addresses of its host, as the
//! connection is made. A name that leads to another address a moment later therefore gains nothing.

use std::{
    error::Error as StdError,
    fmt,
    future::Future,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    pin::Pin,
    sync::Arc,
};

use reqwest::{
    ClientBuilder, Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use crate::problem::FetchProblem;

/// Which addresses requests may reach, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// All addresses, through the proxies that the environment names. The default: whoever runs the process names the
    /// pages.
    #[default]
    Environment,
    /// All addresses, without proxies. URLs must not contain a user name or a password.
    All,
    /// Global addresses only, without proxies: nothing on this machine or in its network. URLs must not contain a user
    /// name or a password.
    Global,
}

impl Reach {
    /// Checks the URL of a request, as far as it can be judged without resolving its host.
    ///
    /// # Errors
    /// Fails if the URL may not be requested.
    pub fn check(self, url: &Url) -> Result<(), FetchProblem> {
        Policy::of(self).check(url)
    }
}

/// The addresses of a name, as they are found.
pub(crate) type Looking = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Looks up the addresses of names.
pub(crate) trait Lookup: Send + Sync {
    fn lookup(&self, name: &str) -> Looking;
}

/// The resolver of the system.
struct System;

impl Lookup for System {
    fn lookup(&self, name: &str) -> Looking {
        let name = name.to_owned();
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    }
}

/// A reach with its parts, so that tests need no network.
#[derive(Clone)]
pub(crate) struct Policy {
    pub(crate) reach: Reach,
    pub(crate) is_global: fn(IpAddr) -> bool,
    pub(crate) lookup: Arc<dyn Lookup>,
}

impl Policy {
    pub(crate) fn of(reach: Reach) -> Self {
        Self { reach, is_global, lookup: Arc::new(System) }
    }

    /// Configures a client to follow the policy.
    pub(crate) fn apply(&self, client: ClientBuilder) -> ClientBuilder {
        match self.reach {
            Reach::Environment => client,
            Reach::All => client.no_proxy(),
            // A proxy would resolve names itself.
            Reach::Global => client.no_proxy().dns_resolver(Filter(self.clone())),
        }
    }

    pub(crate) fn check(&self, url: &Url) -> Result<(), FetchProblem> {
        if self.reach == Reach::Environment {
            return Ok(());
        }
        let refused = |what: &str, mend: &str| Err(FetchProblem::refused(url, what, mend));
        if !matches!(url.scheme(), "http" | "https") {
            return refused("only http and https addresses are fetched", "give the address of a page");
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The problem names the address, and is logged.
            let mut url = url.clone();
            let _ = url.set_username("").and_then(|()| url.set_password(None));
            let what = "the address contains a user name or a password";
            return Err(FetchProblem::refused(&url, what, "leave it out"));
        }
        // The parser has brought all ways of writing an IPv4 address (decimal, octal, hexadecimal) into one form.
        let literal = url.host_str().map(|host| host.trim_matches(['[', ']']).parse::<IpAddr>());
        match literal {
            None => refused("the address has no host", "correct it"),
            Some(Ok(address)) if !self.allows(address) => Err(not_global(url)),
            Some(_) => Ok(()),
        }
    }

    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        self.reach != Reach::Global || (self.is_global)(address)
    }
}

const NOT_GLOBAL: &str = "the address is not a public one";

/// Returns the problem of a host whose address may not be reached. It does not name the address.
pub(crate) fn not_global(url: &Url) -> FetchProblem {
    FetchProblem::refused(url, NOT_GLOBAL, "send the text instead, or have `allow_private_addresses` set")
}

/// Resolves names to the addresses that the policy allows. The connection is made to one of these.
struct Filter(Policy);

impl Resolve for Filter {
    fn resolve(&self, name: Name) -> Resolving {
        let (policy, looking) = (self.0.clone(), self.0.lookup.lookup(name.as_str()));
        Box::pin(async move {
            let mut found = looking.await?;
            found.retain(|address| policy.allows(address.ip()));
            if found.is_empty() {
                return Err(NotGlobal.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// A name has no address that may be reached.
#[derive(Debug)]
struct NotGlobal;

impl fmt::Display for NotGlobal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NOT_GLOBAL)
    }
}

impl StdError for NotGlobal {}

/// Returns the problem of a request that the resolver refused.
pub(crate) fn refusal(url: &Url, error: &reqwest::Error) -> Option<FetchProblem> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<NotGlobal>() {
            return Some(not_global(url));
        }
        cause = error.source();
    }
    None
}

/// Whether an address is reachable from anywhere on the internet, and is not special in any other way.
fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => is_global_v6(address),
    }
}

/// The special blocks of IPv4 (RFC 6890 and the registry that it began), as the first address and the length of the
/// prefix.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::UNSPECIFIED, 8),           // "this network"
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared by the customers of a carrier
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, with the metadata of clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, and broadcast
    // Public by its number, but it leads every machine on Azure to the platform below it.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

fn is_global_v4(address: Ipv4Addr) -> bool {
    let is_in = |(first, length): &(Ipv4Addr, u32)| {
        let mask = u32::MAX << (32 - length);
        address.to_bits() & mask == first.to_bits()
    };
    !SPECIAL_V4.iter().any(is_in)
}

/// The special blocks of IPv6 within `2000::/3`, from which all global addresses are.
const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments: Teredo, benchmarks, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

fn is_global_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, fourth, fifth, sixth, high, low] = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match (first, second, third, fourth, fifth, sixth) {
        // An IPv4 address in another form: mapped, NAT64, 6to4. The deprecated "compatible" form is never global.
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => is_global_v4(v4(high, low)),
        (0x2002, ..) => is_global_v4(v4(second, third)),
        _ => {
            let is_in = |(first, length): &(Ipv6Addr, u32)| {
                let mask = u128::MAX << (128 - length);
                address.to_bits() & mask == first.to_bits()
            };
            first & 0xe000 == 0x2000 && !SPECIAL_V6.iter().any(is_in)
        }
    }
}

#[cfg(test)]
mod tests;
