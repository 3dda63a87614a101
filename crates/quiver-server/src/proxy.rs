//! The origin of a request: the peer of its connection, or the client that a trusted proxy names.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    str::FromStr,
};

use axum::http::HeaderMap;

const FORWARDED: &str = "forwarded";
const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// The address of the peer of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// An address, or all addresses with a prefix: `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not an address or network, such as 10.1.2.3 or 10.0.0.0/8");
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.trim().parse().map_err(|_| wrong()))?;
        if bits > most { Err(wrong()) } else { Ok(Self { address, bits }) }
    }
}

impl Network {
    /// Whether the network contains an address. An IPv4 address mapped to IPv6 is the same address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let number = |address: IpAddr| match address.to_canonical() {
            IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, true),
            IpAddr::V6(address) => (address.to_bits(), false),
        };
        let ((own, own_is_v4), (other, other_is_v4)) = (number(self.address), number(address));
        let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or_default();
        own_is_v4 == other_is_v4 && own & mask == other & mask
    }
}

/// The client of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sender {
    pub(crate) address: Option<IpAddr>,
    /// Whether it used HTTPS, if a proxy says so.
    pub(crate) is_https: Option<bool>,
}

impl Sender {
    /// Determines the client of a request. The headers are trusted only if the peer is a trusted proxy, and each
    /// address in them only as long as those after it are trusted too.
    pub(crate) fn of(trusted: &[Network], peer: Option<IpAddr>, headers: &HeaderMap) -> Self {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        let peer = peer.map(|address| address.to_canonical());
        let mut sender = Self { address: peer, is_https: None };
        if !peer.is_some_and(is_trusted) {
            return sender;
        }
        // A proxy that writes one of the two may pass on the other as its client sent it.
        if headers.contains_key(FORWARDED) && headers.contains_key(FORWARDED_FOR) {
            return sender;
        }
        let is_forwarded = headers.contains_key(FORWARDED);
        let hops = list(headers, if is_forwarded { FORWARDED } else { FORWARDED_FOR });
        if !is_forwarded {
            sender.is_https = list(headers, FORWARDED_PROTO).last().and_then(|proto| is_https(proto));
        }
        for hop in hops.iter().rev() {
            let (address, proto) = if is_forwarded { of_hop(hop) } else { (Some(*hop), None) };
            if let Some(proto) = proto {
                sender.is_https = is_https(proto);
            }
            let Some(address) = address.and_then(address_of) else { break };
            sender.address = Some(address);
            if !is_trusted(address) {
                break;
            }
        }
        sender
    }

    /// Returns the name under which requests without a key are counted. Whoever has an IPv6 address has all addresses
    /// that share its first half.
    pub(crate) fn name(&self) -> String {
        match self.address {
            None => String::new(),
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => {
                format!("{}/64", Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
            }
        }
    }

    /// Returns the address, for the log.
    pub(crate) fn text(&self) -> String {
        self.address.map(|address| address.to_string()).unwrap_or_default()
    }
}

/// Returns the items of a list header, over all of its lines.
fn list<'h>(headers: &'h HeaderMap, name: &str) -> Vec<&'h str> {
    // A line that is not text is not trusted, and neither are those before it.
    let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or(" "));
    lines.flat_map(|line| line.split(',')).map(str::trim).collect()
}

/// Returns the address and the protocol in an item of `Forwarded`.
fn of_hop(hop: &str) -> (Option<&str>, Option<&str>) {
    let (mut address, mut proto) = (None, None);
    for pair in hop.split(';') {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => address = Some(value),
            "proto" => proto = Some(value),
            _ => {}
        }
    }
    (address, proto)
}

/// Parses an address with or without a port.
fn address_of(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

fn is_https(proto: &str) -> Option<bool> {
    match proto.to_ascii_lowercase().as_str() {
        "https" => Some(true),
        "http" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn sender(peer: &str, headers: &[(&str, &str)]) -> (String, Option<bool>) {
        let trusted: Vec<Network> =
            ["10.0.0.0/8", "192.0.2.7", "fd00::/8"].iter().map(|network| network.parse().unwrap()).collect();
        let headers = headers.iter().map(|(name, value)| {
            (HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap())
        });
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        let sender = Sender::of(&trusted, Some(peer.parse().unwrap()), &map);
        (sender.text(), sender.is_https)
    }

    #[test]
    fn headers_are_believed_from_trusted_proxies_only() {
        let one = [("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https")];
        assert_eq!(sender("10.1.2.3", &one), ("203.0.113.9".to_owned(), Some(true)));
        assert_eq!(sender("::ffff:10.1.2.3", &one), ("203.0.113.9".to_owned(), Some(true)));
        assert_eq!(sender("fd00::1", &one).0, "203.0.113.9");
        assert_eq!(sender("192.0.2.7", &one).0, "203.0.113.9");
        for other in ["192.0.2.8", "11.1.2.3", "fe80::1"] {
            assert_eq!(sender(other, &one), (other.to_owned(), None));
            assert_eq!(
                sender(other, &[("forwarded", "for=203.0.113.9;proto=https")]),
                (other.to_owned(), None)
            );
        }
        assert_eq!(sender("10.1.2.3", &[]), ("10.1.2.3".to_owned(), None));
    }

    #[test]
    fn what_a_client_wrote_before_the_proxies_is_not_believed() {
        for (chain, client) in [
            ("203.0.113.9", "203.0.113.9"),
            ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
            ("10.9.9.9, 203.0.113.9, 10.4.4.4", "203.0.113.9"),
            ("203.0.113.9:4711", "203.0.113.9"),
            ("2001:db8::1, 10.4.4.4", "2001:db8::1"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("10.4.4.4", "10.4.4.4"),
            ("203.0.113.9, somebody", "10.1.2.3"),
            ("203.0.113.9, somebody, 10.4.4.4", "10.4.4.4"),
            ("203.0.113.9,", "10.1.2.3"),
            ("", "10.1.2.3"),
        ] {
            assert_eq!(sender("10.1.2.3", &[("x-forwarded-for", chain)]).0, client, "{chain:?}");
        }
        let lines = [("x-forwarded-for", "198.51.100.1"), ("x-forwarded-for", "203.0.113.9")];
        assert_eq!(sender("10.1.2.3", &lines).0, "203.0.113.9");
        // One of two headers may come from the client.
        let both = [("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=198.51.100.1;proto=https")];
        assert_eq!(sender("10.1.2.3", &both), ("10.1.2.3".to_owned(), None));
    }

    #[test]
    fn the_standard_header_is_read() {
        for (chain, client, https) in [
            ("for=203.0.113.9;proto=https", "203.0.113.9", Some(true)),
            (r#"For="[2001:db8::1]:4711"; Proto=http; by=10.1.1.1"#, "2001:db8::1", Some(false)),
            ("for=198.51.100.1;proto=https, for=203.0.113.9;proto=http", "203.0.113.9", Some(false)),
            ("for=203.0.113.9;proto=https, for=10.4.4.4;proto=http", "203.0.113.9", Some(true)),
            ("for=_hidden;proto=https", "10.1.2.3", Some(true)),
            ("for=unknown", "10.1.2.3", None),
            ("by=10.1.1.1", "10.1.2.3", None),
        ] {
            let expected = (client.to_owned(), https);
            assert_eq!(sender("10.1.2.3", &[("forwarded", chain)]), expected, "{chain:?}");
        }
    }

    #[test]
    fn networks_are_read() {
        for wrong in ["", "10", "10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0.0/x", "localhost", "/8"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
        let all: Network = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains("203.0.113.9".parse().unwrap()) && !all.contains("::1".parse().unwrap()));
        let one: Network = "::1".parse().unwrap();
        assert!(one.contains("::1".parse().unwrap()) && !one.contains("::2".parse().unwrap()));
    }

    #[test]
    fn clients_are_counted_by_address_and_those_of_ipv6_by_network() {
        let name = |address: &str| Sender { address: Some(address.parse().unwrap()), is_https: None }.name();
        assert_eq!(name("203.0.113.9"), "203.0.113.9");
        assert_eq!(name("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    }
}
