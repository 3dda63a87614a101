//! Visits with a resolver that the tests control. 127.0.0.2 takes the part of the internet, and 127.0.0.1 that of this
//! machine, which must not be reached. Only Linux has more than one address of loopback.
#![cfg(target_os = "linux")]

use std::{
    collections::HashMap,
    future::ready,
    io::{BufRead as _, BufReader, Write as _},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use reqwest::Url;

use super::{Sites, Visited, Visitor};
use crate::{
    fetch::Page,
    options::CrawlOptions,
    problem::{FetchProblem, FetchProblemKind},
    reach::{Looking, Lookup, Policy, Reach},
};

const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const INSIDE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The addresses of names, one lookup after the other. The last one stays.
#[derive(Default)]
struct Names(Mutex<HashMap<&'static str, Vec<IpAddr>>>);

impl Lookup for Names {
    fn lookup(&self, name: &str) -> Looking {
        let mut names = self.0.lock().unwrap();
        let found = names.get_mut(name).map(|addresses| match addresses.len() {
            1 => addresses[0],
            _ => addresses.remove(0),
        });
        let found = found.map(|address| vec![SocketAddr::new(address, 0)]);
        Box::pin(std::future::ready(found.ok_or_else(|| std::io::Error::other("there is no such name"))))
    }
}

/// What a site answers to a path: header lines after the status, and the content.
type Answers = HashMap<&'static str, (&'static str, String)>;

/// A site outside, and a service inside at the same port, which notes who connects.
struct Net {
    port: u16,
    connected_inside: Arc<Mutex<usize>>,
    asked_outside: Arc<Mutex<Vec<String>>>,
}

impl Net {
    fn start(answers: impl Fn(u16) -> Answers) -> Self {
        let inside = TcpListener::bind((INSIDE, 0)).unwrap();
        let port = inside.local_addr().unwrap().port();
        let outside = TcpListener::bind((OUTSIDE, port)).unwrap();
        let answers = answers(port);
        let (connected_inside, asked_outside) =
            (Arc::<Mutex<usize>>::default(), Arc::<Mutex<Vec<_>>>::default());
        let (connected, asked) = (Arc::clone(&connected_inside), Arc::clone(&asked_outside));
        thread::spawn(move || {
            for stream in inside.incoming().flatten() {
                *connected.lock().unwrap() += 1;
                let secret = HashMap::from([("*", ("200 OK", "secret".to_owned()))]);
                let _ = reply(stream, &secret, &Mutex::default());
            }
        });
        thread::spawn(move || {
            for stream in outside.incoming().flatten() {
                // The client may have disconnected.
                let _ = reply(stream, &answers, &asked);
            }
        });
        Self { port, connected_inside, asked_outside }
    }

    fn url(&self, host: &str, path: &str) -> Url {
        Url::parse(&format!("http://{host}:{}{path}", self.port)).unwrap()
    }

    /// Fetches a page of this net by a visitor that reaches the outside alone.
    async fn fetch(&self, names: &[(&'static str, &[IpAddr])], url: &Url) -> Result<Page, FetchProblem> {
        let names = names.iter().map(|(name, addresses)| (*name, addresses.to_vec())).collect();
        let policy = Policy {
            reach: Reach::Global,
            is_global: |address| address == OUTSIDE,
            lookup: Arc::new(Names(Mutex::new(names))),
        };
        let options = CrawlOptions {
            delay: Duration::ZERO,
            time_max: Duration::from_secs(10),
            reach: Reach::Global,
            ..CrawlOptions::default()
        };
        let sites = Sites::within(policy, &options).unwrap();
        let visited = Visitor { sites, time_max: options.time_max }.fetch(url, |_| ready(None)).await?;
        let Visited::Page(page) = visited else { panic!("nothing is known of {url}") };
        Ok(*page)
    }

    /// Fetches a page, which must be refused before anything inside hears of it.
    async fn refused(&self, names: &[(&'static str, &[IpAddr])], url: &Url) -> FetchProblem {
        let problem = self.fetch(names, url).await.unwrap_err();
        assert_eq!(problem.kind, FetchProblemKind::Refused, "{problem}");
        assert_eq!(*self.connected_inside.lock().unwrap(), 0, "{problem}");
        problem
    }

    fn asked(&self) -> Vec<String> {
        self.asked_outside.lock().unwrap().clone()
    }
}

fn reply(mut stream: TcpStream, answers: &Answers, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let not_found = ("404 Not Found", String::new());
    let (head, body) = answers.get(path.as_str()).or_else(|| answers.get("*")).unwrap_or(&not_found);
    asked.lock().unwrap().push(path);
    // Each request makes a connection of its own, and so resolves the name again.
    write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// A redirect to a target.
fn moved(target: &str) -> (&'static str, String) {
    (Box::leak(format!("302 Found\r\nLocation: {target}").into_boxed_str()), String::new())
}

#[tokio::test]
async fn a_page_of_a_name_that_leads_outside_is_fetched() {
    let net =
        Net::start(|_| HashMap::from([("/a", moved("/b#part")), ("/b", ("200 OK", "<h1>B".to_owned()))]));
    let page = net.fetch(&[("site.test", &[OUTSIDE])], &net.url("site.test", "/a#top")).await.unwrap();
    assert_eq!((page.url, page.bytes), (net.url("site.test", "/b"), b"<h1>B".to_vec()));
    assert_eq!(net.asked(), ["/robots.txt", "/a", "/b"]);
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused_whenever_it_begins_to() {
    let net = Net::start(|_| HashMap::from([("/", ("200 OK", "<h1>A".to_owned())), ("/to", moved("/"))]));
    let url = net.url("site.test", "/");
    // From the start, after robots.txt, and after a redirect.
    let at_once = net.refused(&[("site.test", &[INSIDE])], &url).await;
    assert_eq!(*at_once.url, url, "the page is named, not the robots.txt");
    assert_eq!(net.asked(), Vec::<String>::new());
    net.refused(&[("site.test", &[OUTSIDE, INSIDE])], &url).await;
    assert_eq!(net.asked(), ["/robots.txt"]);
    let to = net.url("site.test", "/to");
    net.refused(&[("site.test", &[OUTSIDE, OUTSIDE, INSIDE])], &to).await;
    assert_eq!(net.asked(), ["/robots.txt", "/robots.txt", "/to"]);
    let message = at_once.to_string();
    assert!(message.contains("not a public one") && !message.contains("127.0.0.1"), "{message}");
}

#[tokio::test]
async fn redirects_to_addresses_inside_are_refused() {
    let hosts = [
        "127.0.0.1",
        "2130706433",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "inside.test",
    ];
    for host in hosts {
        let net = Net::start(|port| HashMap::from([("/", moved(&format!("http://{host}:{port}/secret")))]));
        let names: &[(&str, &[IpAddr])] =
            &[("site.test", &[OUTSIDE]), ("inside.test", &[INSIDE]), ("localhost", &[INSIDE])];
        let problem = net.refused(names, &net.url("site.test", "/")).await;
        assert_eq!(*problem.url, net.url(host, "/secret"), "{host}");
        assert_eq!(net.asked(), ["/robots.txt", "/"], "{host}");
    }
}

#[tokio::test]
async fn redirects_to_other_schemes_and_to_passwords_are_refused() {
    for target in ["file:///etc/passwd", "ftp://site.test/x", "http://user:secret@site.test/"] {
        let net = Net::start(|_| HashMap::from([("/", moved(target))]));
        net.refused(&[("site.test", &[OUTSIDE])], &net.url("site.test", "/")).await;
        assert_eq!(net.asked(), ["/robots.txt", "/"], "{target}");
    }
}

#[tokio::test]
async fn a_robots_txt_that_leads_inside_is_refused_with_its_pages() {
    let net = Net::start(|port| {
        HashMap::from([
            ("/robots.txt", moved(&format!("http://127.0.0.1:{port}/robots.txt"))),
            ("/", ("200 OK", "<h1>A".to_owned())),
        ])
    });
    let problem = net.refused(&[("site.test", &[OUTSIDE])], &net.url("site.test", "/")).await;
    assert_eq!(*problem.url, net.url("127.0.0.1", "/robots.txt"));
    assert_eq!(net.asked(), ["/robots.txt"]);
}

#[tokio::test]
async fn the_time_for_a_page_includes_its_redirects() {
    let listener = TcpListener::bind((OUTSIDE, 0)).unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    thread::spawn(move || {
        // Each reply alone is in time.
        for stream in listener.incoming().flatten() {
            thread::sleep(Duration::from_millis(300));
            let _ = reply(stream, &HashMap::from([("*", moved("/"))]), &Mutex::default());
        }
    });
    let options = CrawlOptions {
        delay: Duration::ZERO,
        time_max: Duration::from_millis(800),
        reach: Reach::All,
        ..CrawlOptions::default()
    };
    let began = Instant::now();
    let problem = Visitor::new(&options).unwrap().fetch(&url, |_| ready(None)).await.unwrap_err();
    assert_eq!(problem.what, "the server took too long");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}
