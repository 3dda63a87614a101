//! Web pages ingested by address.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::support::Home;

/// Pages by path, each with its type.
type Pages = BTreeMap<String, (String, Vec<u8>)>;

/// A site whose pages can change, with its requests and the status of each answer.
#[derive(Clone, Default)]
struct Site {
    address: String,
    pages: Arc<Mutex<Pages>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let site = Self { address: format!("http://{}", listener.local_addr().unwrap()), ..Self::default() };
        let served = site.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // The client may have disconnected.
                let _ = served.answer(stream);
            }
        });
        site
    }

    fn put(&self, path: &str, content_type: &str, content: impl AsRef<[u8]>) {
        let page = (content_type.to_owned(), content.as_ref().to_owned());
        self.pages.lock().unwrap().insert(path.to_owned(), page);
    }

    fn remove(&self, path: &str) {
        self.pages.lock().unwrap().remove(path);
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// Returns the requests since the last call, without `robots.txt`.
    fn asked(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.into_iter().filter(|asked| !asked.contains("robots.txt")).collect()
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
        let page = self.pages.lock().unwrap().get(&path).cloned();
        let (status, kind, body) = match page {
            None => (404, String::new(), Vec::new()),
            Some((kind, body)) => {
                let is_known = head.iter().any(|line| {
                    line.to_lowercase().starts_with("if-none-match")
                        && line.contains(&format!("\"{}\"", body.len()))
                });
                if is_known { (304, kind, Vec::new()) } else { (200, kind, body) }
            }
        };
        self.asked.lock().unwrap().push(format!("{status} {path}"));
        let etag = if status == 200 { format!("ETag: \"{}\"\r\n", body.len()) } else { String::new() };
        write!(
            stream,
            "HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\n{etag}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        stream.write_all(&body)
    }
}

#[test]
fn a_page_is_ingested_with_its_title_and_asked_for_again_only_if_it_changed() {
    let (home, site) = (Home::new(), Site::start());
    site.put(
        "/norby",
        "text/html; charset=utf-8",
        "<title>The Norby yard | Ships</title><meta property=\"article:published_time\" content=\"2026-03-01\"><nav>Sign in</nav>\
         <h1>The Norby yard</h1><p>The Norby yard was founded by Ida Holm. <a href=/aurelia>Aurelia</a></p>",
    );
    let url = site.url("/norby");
    home.run(&["ingest", &url]).expect(0).prints("1 document added");
    let listed = home.run(&["documents"]).expect(0).stdout;
    assert_eq!(listed, format!("     1  {url}\n"));
    let export = home.run(&["export"]).expect(0).stdout;
    for kept in ["The Norby yard", &site.url("/aurelia"), "etag", "1772323200000"] {
        assert!(export.contains(kept), "{kept} is not in {export}");
    }
    assert!(!export.contains("Sign in") && !export.contains("| Ships"), "{export}");
    assert_eq!(site.asked(), ["200 /norby"]);
    home.run(&["ingest", &url]).expect(0).prints("0 documents added, 0 replaced, 1 unchanged");
    assert_eq!(site.asked(), ["304 /norby"]);
    assert!(home.run(&["export"]).expect(0).stdout == export, "nothing has changed");
    site.put(
        "/norby",
        "text/html",
        "<h1>The Norby yard</h1><p>The Norby yard was sold to Bo Lund in 1931.</p>",
    );
    home.run(&["ingest", &url]).expect(0).prints("0 documents added, 1 replaced");
    home.run(&["search", "Who was the Norby yard sold to?"]).expect(0).prints("Bo Lund");
    site.remove("/norby");
    let gone = home.run(&["ingest", &url]).expect(3);
    assert!(gone.stderr.contains("the page no longer exists; --prune deletes its document"), "{gone:#?}");
    home.run(&["ingest", &url, "--prune"])
        .expect(0)
        .prints("deleted 1 document whose files, pages or records");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, "");
}

#[test]
fn links_are_followed_if_asked_for() {
    let (home, site) = (Home::new(), Site::start());
    site.put("/", "text/html", "<h1>Ships</h1><p>Of the Norby yard.</p><a href=aurelia>A</a><a href=table.csv>T</a><a href=/pic>P</a>");
    site.put("/aurelia", "text/html", "<h1>Aurelia</h1><p>She was built in 1911.</p><a href=/deep>D</a>");
    site.put("/table.csv", "text/csv", "Ship,Length\nAurelia,44\n");
    site.put("/pic", "image/png", "x");
    site.put("/deep", "text/html", "<h1>Deep</h1><p>Far away.</p>");
    let url = site.url("/");
    let run = home
        .run(&["ingest", &url, "--crawl", "--depth", "1", "--same-host"])
        .expect(3)
        .prints("3 documents added");
    assert!(run.stderr.contains("/pic: the content type image/png is not supported"), "{run:#?}");
    let keys = ["/", "/aurelia", "/table.csv"].map(|path| format!("     1  {}\n", site.url(path)));
    assert_eq!(home.run(&["documents"]).expect(0).stdout, keys.concat());
    home.run(&["search", "length of the Aurelia"]).prints("Ship: Aurelia; Length: 44.");
    let wrong = home.run(&["ingest", "https://", "--crawl"]).expect(3);
    assert!(wrong.stderr.contains("https://: not a valid address"), "{wrong:#?}");
    home.run(&["ingest", &url, "--depth", "1"]).expect(2);
}
