use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use reqwest::{
    Url,
    dns::{Name, Resolve as _},
};

use super::{Filter, Looking, Lookup, NotGlobal, Policy, Reach, is_global};
use crate::problem::FetchProblemKind;

#[test]
fn special_addresses_are_not_global_in_any_form() {
    let special = [
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
    ];
    for address in special {
        let v4: std::net::Ipv4Addr = address.parse().unwrap();
        let [a, b, c, d] = v4.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let forms = [
            address.to_owned(),
            format!("::ffff:{address}"),
            format!("::{address}"),
            format!("64:ff9b::{address}"),
            format!("64:ff9b:1::{address}"),
            format!("2002:{high:x}:{low:x}::1"),
        ];
        for form in forms {
            assert!(!is_global(form.parse().unwrap()), "{form}");
        }
    }
    let v6 = [
        "::",
        "::1",
        "::8.8.8.8",
        "100::1",
        "2001::1",
        "2001:2::1",
        "2001:10::1",
        "2001:db8::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
    ];
    for address in v6 {
        assert!(!is_global(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn public_addresses_are_global() {
    let public = [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2002:808:808::1",
        "2606:4700::1111",
        "2a00::1",
        "64:ff9b::8.8.8.8",
        "::ffff:8.8.8.8",
    ];
    for address in public {
        assert!(is_global(address.parse().unwrap()), "{address}");
    }
}

/// Checks a URL, and returns what is wrong with it.
fn wrong(reach: Reach, url: &str) -> Option<String> {
    let checked = reach.check(&Url::parse(url).unwrap());
    checked.err().map(|problem| {
        assert!(!problem.to_string().contains("secret") && !problem.url.as_str().contains('@'), "{problem}");
        assert_eq!(problem.kind, FetchProblemKind::Refused, "{url}");
        problem.what
    })
}

#[test]
fn an_address_in_a_url_is_recognised_however_it_is_written() {
    let loopback = [
        "http://127.0.0.1/",
        "http://127.0.0.1:8080/x",
        "https://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://1%32%37.0.0.1/",
        "http://１２７.0.0.1/",
        "http://0/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[0:0:0:0:0:0:0:1]:7373/",
        "http://[fe80::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
    ];
    for url in loopback {
        assert_eq!(wrong(Reach::Global, url).as_deref(), Some("the address is not a public one"), "{url}");
        assert_eq!(wrong(Reach::All, url), None, "{url}");
        assert_eq!(wrong(Reach::Environment, url), None, "{url}");
    }
    for url in ["http://example.org/", "https://8.8.8.8/", "http://[2606:4700::1111]:80/"] {
        assert_eq!(wrong(Reach::Global, url), None, "{url}");
    }
}

#[test]
fn only_the_web_is_fetched_and_without_passwords() {
    for reach in [Reach::Global, Reach::All] {
        for url in
            ["file:///etc/passwd", "ftp://example.org/", "gopher://example.org:70/x", "data:text/plain,x"]
        {
            assert_eq!(
                wrong(reach, url).as_deref(),
                Some("only http and https addresses are fetched"),
                "{url}"
            );
        }
        for url in ["http://user@example.org/", "http://:secret@example.org/", "http://example.org@10.0.0.1/"]
        {
            let what = wrong(reach, url);
            assert_eq!(what.as_deref(), Some("the address contains a user name or a password"), "{url}");
        }
    }
}

/// Finds the same addresses for every name.
struct Same(&'static [&'static str]);

impl Lookup for Same {
    fn lookup(&self, _: &str) -> Looking {
        let found = self.0.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

/// Resolves a name that has these addresses.
async fn resolved(addresses: &'static [&'static str]) -> Option<Vec<IpAddr>> {
    let policy = Policy { lookup: Arc::new(Same(addresses)), ..Policy::of(Reach::Global) };
    let name: Name = "example.org".parse().unwrap();
    match Filter(policy).resolve(name).await {
        Ok(found) => Some(found.map(|address| address.ip()).collect()),
        Err(error) => {
            assert!(error.is::<NotGlobal>(), "{error}");
            None
        }
    }
}

#[tokio::test]
async fn a_name_is_resolved_to_its_global_addresses_alone() {
    let public: IpAddr = "8.8.8.8".parse().unwrap();
    assert_eq!(resolved(&["8.8.8.8"]).await, Some(vec![public]));
    assert_eq!(resolved(&["10.0.0.1", "8.8.8.8", "::1"]).await, Some(vec![public]));
    assert_eq!(resolved(&["127.0.0.1", "::ffff:10.0.0.1"]).await, None);
    assert_eq!(resolved(&[]).await, None);
}

#[tokio::test]
async fn the_system_resolves_a_name_of_this_machine_and_the_filter_drops_it() {
    let name = || "localhost".parse().unwrap();
    assert!(Filter(Policy::of(Reach::Global)).resolve(name()).await.err().unwrap().is::<NotGlobal>());
    let all = Filter(Policy::of(Reach::All)).resolve(name()).await;
    assert!(all.unwrap().all(|address| address.ip().is_loopback()));
}
