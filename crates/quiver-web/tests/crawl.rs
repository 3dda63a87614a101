//! Crawls of a stand-in site that counts its requests.
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails there")]

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use quiver_web::{Article, Crawl, CrawlOptions, FetchProblemKind, Fetched, Known, Reach, Url};

/// Answers a path and the header lines of a request with a status, header lines, and the content.
type Answer = dyn Fn(&str, &str) -> (u16, String, Vec<u8>) + Send + Sync;

struct Site {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn start(answer: impl Fn(&str, &str) -> (u16, String, Vec<u8>) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (answer, seen): (Arc<Answer>, _) = (Arc::new(answer), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                // The client may have disconnected.
                thread::spawn(move || drop(reply(stream, answer.as_ref(), &seen)));
            }
        });
        Self { address, asked }
    }

    /// Creates a site of HTML pages by their paths; everything else is not found.
    fn of(pages: &[(&str, &str)]) -> Self {
        let pages: HashMap<String, String> =
            pages.iter().map(|(path, page)| ((*path).to_owned(), (*page).to_owned())).collect();
        Self::start(move |path, _| match pages.get(path) {
            Some(page) => (200, "Content-Type: text/html".to_owned(), page.clone().into_bytes()),
            None => (404, String::new(), Vec::new()),
        })
    }

    fn url(&self, path: &str) -> Url {
        Url::parse(&format!("{}{path}", self.address)).unwrap()
    }

    /// Returns the requested paths, without `robots.txt`.
    fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|path| *path != "/robots.txt").cloned().collect()
    }

    fn crawl(&self, path: &str, known: HashMap<String, Known>, options: CrawlOptions) -> Vec<Fetched> {
        Crawl::start(vec![self.url(path)], known, options).collect()
    }
}

fn reply(mut stream: TcpStream, answer: &Answer, seen: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut head = String::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        head += &line.to_lowercase();
        head += "\n";
    }
    seen.lock().unwrap().push(path.clone());
    let (status, headers, body) = answer(&path, &head);
    let headers = if headers.is_empty() { headers } else { headers + "\r\n" };
    write!(
        stream,
        "HTTP/1.1 {status} x\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(&body)
}

fn quick(depth_max: usize) -> CrawlOptions {
    CrawlOptions {
        depth_max,
        delay: Duration::ZERO,
        time_max: Duration::from_secs(20),
        ..CrawlOptions::default()
    }
}

fn titles(fetched: &[Fetched]) -> Vec<String> {
    let title = |fetched: &Fetched| match fetched {
        Fetched::Page(_, article) => {
            article.as_ref().and_then(|article| article.title.clone()).unwrap_or_default()
        }
        Fetched::Unchanged(url) => format!("unchanged {}", url.path()),
        Fetched::Gone(url) => format!("gone {}", url.path()),
        Fetched::Problem(problem) => problem.what.clone(),
    };
    fetched.iter().map(title).collect()
}

fn article(fetched: &[Fetched]) -> &Article {
    match fetched {
        [Fetched::Page(_, Some(article))] => article,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_page_has_its_title_date_links_and_main_part() {
    let words = "The gateway listens on its port and takes all requests from outside. ".repeat(5);
    let page = format!(
        "<!doctype html><html><head><title>Ports | The manual</title><base href=\"/docs/\">\
         <meta property=\"article:published_time\" content=\"2026-03-01T09:30:00Z\"></head><body><header>Sign in</header>\
         <main class=x><h1>Ports</h1><p>{words}<a href=\"tls#keys\">TLS</a> <a href=tls>again</a> <a href=\"mailto:a@b.example\">mail</a></p></main>\
         <div class=cookies>We use cookies</div></body></html>"
    );
    let site = Site::of(&[("/docs/ports", &page)]);
    let fetched = site.crawl("/docs/ports#top", HashMap::new(), quick(0));
    let article = article(&fetched);
    assert_eq!(article.title.as_deref(), Some("Ports"));
    assert_eq!(article.time, Some(1_772_357_400_000));
    assert_eq!(article.links, [site.url("/docs/tls")]);
    assert!(
        article.html.starts_with("<main class=x>") && !article.html.contains("cookies"),
        "{}",
        article.html
    );
    assert_eq!(site.asked(), ["/docs/ports"]);
}

#[test]
fn a_page_that_has_not_changed_costs_one_short_request() {
    let site = Site::start(|path, head| match path {
        "/robots.txt" => (404, String::new(), Vec::new()),
        _ if head.contains("if-none-match: \"v1\"") => (304, String::new(), Vec::new()),
        _ => (
            200,
            "Content-Type: text/html\r\nETag: \"v1\"\r\nLast-Modified: Sun, 01 Mar 2026 09:30:00 GMT"
                .to_owned(),
            b"<h1>One".to_vec(),
        ),
    });
    let first = site.crawl("/", HashMap::new(), quick(0));
    let [Fetched::Page(page, _)] = &first[..] else { panic!("{first:?}") };
    assert_eq!(page.last_modified.as_deref(), Some("Sun, 01 Mar 2026 09:30:00 GMT"));
    let known = Known { etag: page.etag.clone(), last_modified: page.last_modified.clone() };
    let known = HashMap::from([(page.url.to_string(), known)]);
    assert_eq!(titles(&site.crawl("/", known, quick(0))), ["unchanged /"]);
    assert_eq!(site.asked(), ["/", "/"]);
}

#[test]
fn links_are_followed_so_far_and_no_further() {
    let site = Site::of(&[
        (
            "/",
            "<h1>Start</h1><a href=/a>a</a> <a href=/a#x>a</a> <a href=/b>b</a> <a href=/x.png>x</a> <a rel=nofollow href=/no>no</a>\
               <a href=http://127.0.0.2:9/>another</a><a href=javascript:x>x</a>",
        ),
        ("/a", "<h1>A</h1><a href=/>start</a><a href=/c>c</a>"),
        ("/b", "<meta name=robots content=noindex><h1>B</h1><a href=/d>d</a>"),
        ("/c", "<h1>C</h1><a href=/e>e</a>"),
        ("/d", "<h1>D</h1>"),
    ]);
    assert_eq!(titles(&site.crawl("/", HashMap::new(), quick(1))), ["Start", "A"]);
    assert_eq!(titles(&site.crawl("/", HashMap::new(), quick(2))), ["Start", "A", "C", "D"]);
    let few = CrawlOptions { pages_max: 2, ..quick(5) };
    assert_eq!(titles(&site.crawl("/", HashMap::new(), few)), ["Start", "A"]);
}

#[test]
fn what_was_fetched_before_is_asked_for_again_where_nothing_links_to_it() {
    let site = Site::of(&[("/", "<h1>Start</h1>"), ("/old", "<h1>Old</h1>")]);
    let before = |path: &str| (site.url(path).to_string(), Known::default());
    let known = HashMap::from([
        before("/old"),
        before("/removed"),
        ("http://127.0.0.2:9/".to_owned(), Known::default()),
    ]);
    assert_eq!(titles(&site.crawl("/", known.clone(), quick(1))), ["Start", "Old", "gone /removed"]);
    assert_eq!(titles(&site.crawl("/", known, quick(0))), ["Start"]);
}

#[test]
fn robots_txt_is_kept_to() {
    let site = Site::of(&[
        ("/robots.txt", "User-agent: *\nDisallow: /private\n\nUser-agent: quiver\nDisallow: /secret\n"),
        ("/", "<h1>Start</h1><a href=/secret/a>a</a><a href=/private>b</a>"),
        ("/secret/a", "<h1>No</h1>"),
        ("/private", "<h1>Private</h1>"),
    ]);
    assert_eq!(titles(&site.crawl("/", HashMap::new(), quick(1))), ["Start", "Private"]);
    assert_eq!(
        titles(&site.crawl("/secret/a", HashMap::new(), quick(1))),
        ["the site's robots.txt does not allow it"]
    );
    assert_eq!(site.asked(), ["/", "/private"]);
    let broken = Site::start(|path, _| match path {
        "/robots.txt" => (500, String::new(), Vec::new()),
        _ => (200, String::new(), b"<h1>x".to_vec()),
    });
    assert_eq!(
        titles(&broken.crawl("/", HashMap::new(), quick(0))),
        ["the site can't be reached, or failed to answer for its robots.txt, so nothing is fetched from it"]
    );
}

#[test]
fn redirects_are_followed_and_have_an_end() {
    let site = Site::start(|path, _| match path {
        "/old" => (301, "Location: /new?a=1#here".to_owned(), Vec::new()),
        "/new?a=1" => (
            200,
            "Content-Type: text/html; charset=ISO-8859-1".to_owned(),
            b"<title>Caf\xe9</title>".to_vec(),
        ),
        "/circle" => (302, "Location: /circle".to_owned(), Vec::new()),
        "/nowhere" => (302, String::new(), Vec::new()),
        _ => (404, String::new(), Vec::new()),
    });
    let fetched = site.crawl("/old", HashMap::new(), quick(0));
    assert_eq!(titles(&fetched), ["Café"]);
    let [Fetched::Page(page, _)] = &fetched[..] else { panic!("{fetched:?}") };
    assert_eq!(page.url, site.url("/new?a=1"));
    assert_eq!(titles(&site.crawl("/circle", HashMap::new(), quick(0))), ["too many redirects"]);
    assert!(titles(&site.crawl("/nowhere", HashMap::new(), quick(0)))[0].contains("without a new address"));
    assert_eq!(
        titles(&site.crawl("/missing", HashMap::new(), quick(0))),
        ["the server returned 404 Not Found"]
    );
}

#[test]
fn size_and_time_are_limited() {
    let site = Site::start(|path, _| match path {
        "/robots.txt" => (404, String::new(), Vec::new()),
        "/large" => (200, "Content-Type: text/html".to_owned(), vec![b' '; 100_000]),
        _ => {
            thread::sleep(Duration::from_secs(5));
            (200, String::new(), Vec::new())
        }
    });
    let options = CrawlOptions { bytes_max: 50_000, time_max: Duration::from_millis(700), ..quick(0) };
    assert_eq!(
        titles(&site.crawl("/large", HashMap::new(), options.clone())),
        ["the page exceeds the limit of 50000 bytes"]
    );
    assert_eq!(titles(&site.crawl("/slow", HashMap::new(), options)), ["the server took too long"]);
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = Url::parse(&format!("http://{nobody}/")).unwrap();
    let fetched: Vec<Fetched> = Crawl::start(vec![gone], HashMap::new(), quick(0)).collect();
    assert_eq!(fetched.len(), 1, "{fetched:?}");
}

#[test]
fn sitemaps_list_pages() {
    let site = Site::start(|path, head| {
        let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
        match path {
            "/sitemap.xml" => (
                200,
                "Content-Type: application/xml".to_owned(),
                format!("<urlset><url><loc>http://{host}/a</loc></url><url><loc> http://{host}/b?x=1&amp;y=2 </loc></url></urlset>").into_bytes(),
            ),
            "/a" => (200, "Content-Type: text/html".to_owned(), b"<h1>A</h1>".to_vec()),
            "/b?x=1&y=2" => (200, "Content-Type: text/html".to_owned(), b"<h1>B</h1>".to_vec()),
            _ => (404, String::new(), Vec::new()),
        }
    });
    assert_eq!(titles(&site.crawl("/sitemap.xml", HashMap::new(), quick(1))), ["A", "B"]);
}

#[test]
fn a_crawl_of_public_addresses_requests_no_others() {
    let site = Site::of(&[("/", "<h1>Start</h1>")]);
    let options = CrawlOptions { reach: Reach::Global, ..quick(1) };
    for host in ["127.0.0.1", "localhost"] {
        let url = Url::parse(&site.address.replace("127.0.0.1", host)).unwrap();
        let fetched: Vec<Fetched> = Crawl::start(vec![url], HashMap::new(), options.clone()).collect();
        let [Fetched::Problem(problem)] = &fetched[..] else { panic!("{fetched:?}") };
        assert_eq!(problem.kind, FetchProblemKind::Refused, "{problem}");
    }
    assert!(site.asked.lock().unwrap().is_empty(), "not even robots.txt");
}

#[test]
fn the_addresses_in_a_sitemap_are_checked_too() {
    let site = Site::start(|path, head| {
        let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        let places =
            format!("<urlset><loc>http://user:secret@{host}/a</loc><loc>http://{host}/b</loc></urlset>");
        match path {
            "/sitemap.xml" => (200, "Content-Type: application/xml".to_owned(), places.into_bytes()),
            "/a" | "/b" => (200, "Content-Type: text/html".to_owned(), format!("<h1>{path}").into_bytes()),
            _ => (404, String::new(), Vec::new()),
        }
    });
    let options = CrawlOptions { reach: Reach::All, ..quick(1) };
    let told = titles(&site.crawl("/sitemap.xml", HashMap::new(), options));
    assert_eq!(told, ["the address contains a user name or a password", "/b"]);
    assert_eq!(site.asked(), ["/sitemap.xml", "/b"]);
}
