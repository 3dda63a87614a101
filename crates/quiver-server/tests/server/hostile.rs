//! Hostile clients cost nobody else anything.

use std::time::Duration;

use axum::{body::Body, http::Method};
use quiver_server::Config;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use crate::support::{Stand, request};

/// A server on a socket.
struct Listening {
    address: std::net::SocketAddr,
    end: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Listening {
    async fn start(stand: &Stand) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel();
        let server = stand.server.clone();
        let served = tokio::spawn(async move {
            let ended = async {
                let _ = ended.await;
            };
            server.serve(listener, ended).await;
        });
        Self { address, end, served }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends raw bytes and returns the response until the connection is closed.
    async fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes).await;
        let mut said = Vec::new();
        let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut said)).await.expect("an end");
        String::from_utf8_lossy(&said).into_owned()
    }

    async fn is_well(&self) {
        let said = self.say(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    }
}

fn config() -> Config {
    let brief = Duration::from_millis(300);
    Config { head_time_max: brief, body_time_max: brief, connections_max: 8, ..Config::default() }
}

#[tokio::test]
async fn slow_heads_and_idle_connections_are_closed_and_others_are_served() {
    let stand = Stand::with(config()).await;
    let listening = Listening::start(&stand).await;
    let mut slow = Vec::new();
    // Twice as many as there are places.
    for _ in 0..16 {
        let mut stream = listening.connect().await;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: loc").await.unwrap();
        slow.push(stream);
    }
    listening.is_well().await;
    for mut stream in slow {
        let mut said = Vec::new();
        let _ = timeout(Duration::from_secs(3), stream.read_to_end(&mut said)).await.expect("an end");
        assert!(!String::from_utf8_lossy(&said).contains("200 OK"));
    }
}

#[tokio::test]
async fn thousands_of_idle_connections_hold_up_nobody_and_no_request_under_way_is_cut_off() {
    // A head may take the usual fifteen seconds.
    let stand = Stand::with(Config { connections_max: 64, ..Config::default() }).await;
    stand.add_ships().await;
    let listening = Listening::start(&stand).await;
    // Its body is on the way for all of that time.
    let mut slow = listening.connect().await;
    let body = json!({ "question": "Who founded the Norby yard?" }).to_string();
    let (begin, rest) = body.split_at(10);
    let head = format!(
        "POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{begin}",
        body.len()
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let address = listening.address;
    let idle = tokio::spawn(async move {
        let mut held = Vec::new();
        for number in 0..2000 {
            // With a timeout, since the queue of the system may be full too.
            let Ok(Ok(mut stream)) = timeout(Duration::from_millis(500), TcpStream::connect(address)).await
            else {
                continue;
            };
            // Some send nothing, some a part of a request, and some have been answered.
            let said: &[u8] = match number % 3 {
                0 => b"",
                1 => b"GET /healthz HTTP/1.1\r\nhost: loc",
                _ => b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
            };
            let _ = stream.write_all(said).await;
            held.push(stream);
        }
        held
    });
    for _ in 0..5 {
        let began = std::time::Instant::now();
        listening.is_well().await;
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    slow.write_all(rest.as_bytes()).await.unwrap();
    let mut said = String::new();
    timeout(Duration::from_secs(10), slow.read_to_string(&mut said)).await.unwrap().unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("Ida Holm"), "{said}");
    idle.abort();
}

#[tokio::test]
async fn streams_that_nobody_closes_are_counted() {
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;
    let stand = Stand::with(Config { streams_max: 4, ..Config::default() }).await;
    // A job that runs for as long as the test.
    let document =
        |number: usize| json!({ "key": format!("s/{number}"), "text": format!("Ship {number} was built.") });
    let documents = json!({ "documents": (0..3000).map(document).collect::<Vec<_>>() });
    let job: serde_json::Value =
        serde_json::from_slice(&stand.post("/v1/jobs", &documents).await.body).unwrap();
    let path = format!("/v1/jobs/{}", job["id"].as_str().unwrap());
    let mut streams = Vec::new();
    for _ in 0..4 {
        let events = request(Method::GET, &format!("{path}/events")).body(Body::empty()).unwrap();
        let mut stream = stand.server.router().oneshot(events).await.unwrap().into_body();
        assert!(stream.frame().await.unwrap().unwrap().into_data().unwrap().starts_with(b"event: progress"));
        streams.push(stream);
    }
    let refused = stand.get(&format!("{path}/events")).await;
    assert_eq!(refused.headers["retry-after"], "1");
    assert!(refused.problem(429).2.contains("4 streams"));
    assert_eq!(stand.get(&path).await.ok()["state"], "running");
    streams.pop();
    let events = request(Method::GET, &format!("{path}/events")).body(Body::empty()).unwrap();
    assert_eq!(stand.server.router().oneshot(events).await.unwrap().status(), 200);
    stand.send(request(Method::DELETE, &path).body(Body::empty()).unwrap()).await.ok();
}

#[tokio::test]
async fn a_slow_body_is_given_up_and_an_endless_one_is_refused() {
    let stand = Stand::with(Config { body_bytes_max: 100_000, ..config() }).await;
    let listening = Listening::start(&stand).await;
    let head = "POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let slow = format!("{head}content-length: 1000\r\n\r\n{{");
    assert!(listening.say(slow.as_bytes()).await.starts_with("HTTP/1.1 408"));
    let endless = format!("{head}transfer-encoding: chunked\r\n\r\n")
        + &format!("4000\r\n{}\r\n", "x".repeat(0x4000)).repeat(20);
    let said = listening.say(endless.as_bytes()).await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 413"), "{said}");
    listening.is_well().await;
    let long = request(Method::POST, "/v1/documents").header("content-type", "application/json");
    let reply = stand.send(long.body(Body::from(vec![b' '; 100_001])).unwrap()).await;
    assert_eq!(reply.problem(413).1, "body");
}

#[tokio::test]
async fn heads_that_are_too_long_broken_or_smuggled_are_refused() {
    let stand = Stand::with(config()).await;
    let listening = Listening::start(&stand).await;
    let long = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(200_000));
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(200));
    let hosts =
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: evil.example.org\r\nconnection: close\r\n\r\n";
    let both =
        "POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\nhello";
    let control = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nquiver-workspace: a\0b\r\n\r\n";
    for sent in
        [long.as_str(), many.as_str(), hosts, both, control, "\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"]
    {
        let said = listening.say(sent.as_bytes()).await;
        let status = said.split(' ').nth(1).unwrap_or("400");
        assert!(status.starts_with('4') || status == "505", "{:?}: {said}", &sent[..sent.len().min(60)]);
    }
    listening.is_well().await;
}

#[tokio::test]
async fn bodies_that_are_too_deep_or_no_text_are_refused() {
    let stand = Stand::new().await;
    let send = async |body: Vec<u8>| {
        let post = request(Method::POST, "/v1/documents").header("content-type", "application/json");
        stand.send(post.body(Body::from(body)).unwrap()).await.problem(400)
    };
    let deep = format!(
        r#"{{"documents":[{{"key":"a","text":"A.","metadata":{{"a":{}{}}}}}]}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(send(deep.into_bytes()).await.2.contains("recursion limit"));
    let mut text = br#"{"documents":[{"key":"a","text":"A"#.to_vec();
    text.extend([0xff, 0xfe]);
    text.extend(br#""}]}"#);
    assert_eq!(send(text).await.0, "invalid");
    assert_eq!(send(br#"{"documents":[{"key":"a","text":"\ud800"}]}"#.to_vec()).await.0, "invalid");
    assert_eq!(send(br#"{"documents":[]} {}"#.to_vec()).await.0, "invalid");
    assert_eq!(send(Vec::new()).await.0, "invalid");
    let put = request(Method::PUT, "/v1/documents/a").header("content-type", "text/plain");
    let put = put.body(Body::from(vec![b'a', 0xff])).unwrap();
    assert_eq!(stand.send(put).await.problem(400).1, "body");
    let form = request(Method::POST, "/v1/ask").header("content-type", "text/plain");
    let form = form.body(Body::from(json!({ "question": "Who?" }).to_string())).unwrap();
    assert_eq!(stand.send(form).await.problem(415).1, "Content-Type");
}

/// The work for a question grows with its length, so a long one is refused before there is any.
#[tokio::test]
async fn questions_that_are_too_long_are_refused_at_once() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let question = "Who founded the Aurelia and the Norby yard? ".repeat(4000);
    for (path, body) in [
        ("/v1/ask", json!({ "question": question })),
        ("/v1/search", json!({ "question": question })),
        ("/v1/context", json!({ "question": question })),
        ("/v1/chat", json!({ "session": "s", "question": question })),
        ("/v1/chat/completions", json!({ "messages": [{ "role": "user", "content": question }] })),
    ] {
        let began = std::time::Instant::now();
        let (_, _, detail) = stand.post(path, &body).await.problem(400);
        assert!(detail.contains("at most 16384 are read"), "{path}: {detail}");
        assert!(began.elapsed() < std::time::Duration::from_secs(2), "{path} took {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn keys_and_names_that_look_like_paths_are_names() {
    let stand = Stand::new().await;
    for key in [
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "..",
        "C:%5Cboot.ini",
        "a%00b",
        "%0d%0aset-cookie:%20a=b",
    ] {
        let path = format!("/v1/documents/{key}");
        let reply = stand.get(&path).await;
        assert!(reply.headers.get("set-cookie").is_none());
        assert_eq!(reply.problem(404).0, "not_found", "{key}");
        let put = request(Method::PUT, &path).header("content-type", "text/plain");
        stand.send(put.body(Body::from("Berth nine is free.")).unwrap()).await.ok();
        assert_eq!(stand.get(&path).await.ok()["text"], "Berth nine is free.", "{key}");
    }
    for workspace in ["\u{1}", " ", &"x".repeat(129)] {
        let value = axum::http::HeaderValue::from_bytes(workspace.as_bytes());
        let Ok(value) = value else { continue };
        let get = request(Method::GET, "/v1/stats").header("quiver-workspace", value);
        assert_eq!(stand.send(get.body(Body::empty()).unwrap()).await.problem(400).1, "Quiver-Workspace");
    }
    assert_eq!(stand.get("/v1/documents/%ff").await.problem(400).1, "key");
}

#[tokio::test]
async fn requests_under_way_end_before_the_server_does() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let listening = Listening::start(&stand).await;
    let mut stream = listening.connect().await;
    let body = json!({ "question": "Who founded the Norby yard?" }).to_string();
    let (begin, rest) = body.split_at(10);
    let head = format!(
        "POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{begin}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    listening.end.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(TcpStream::connect(listening.address).await.is_err(), "new connections are refused");
    stream.write_all(rest.as_bytes()).await.unwrap();
    let mut said = String::new();
    timeout(Duration::from_secs(10), stream.read_to_string(&mut said)).await.unwrap().unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("Ida Holm"), "{said}");
    timeout(Duration::from_secs(5), listening.served).await.expect("the server ends").unwrap();
}

#[tokio::test]
async fn a_client_that_goes_away_ends_its_question() {
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;
    // With one place, the next question would have to wait if the work went on.
    let stand = Stand::with(Config { questions_at_once: 1, ..Config::default() }).await;
    stand.add_ships().await;
    for _ in 0..20 {
        let asked = json!({ "question": "Who founded the yard where the Aurelia was built?" });
        let request = crate::support::json(Method::POST, "/v1/ask/stream", &asked);
        let response = stand.server.router().oneshot(request).await.unwrap();
        let mut body = response.into_body();
        let first = body.frame().await.unwrap().unwrap();
        assert!(first.into_data().unwrap().starts_with(b"event: step"));
        drop(body);
    }
    let asked = json!({ "question": "Who founded the Norby yard?" });
    let answer =
        timeout(Duration::from_secs(5), stand.post("/v1/ask", &asked)).await.expect("a free place").ok();
    assert_eq!(answer["answer"], "Ida Holm");
}

#[tokio::test]
async fn calls_of_tools_that_are_too_deep_too_long_or_given_up_cost_nobody_else() {
    use tower::ServiceExt as _;
    // With one place, the next call would have to wait if the work went on.
    let config =
        Config { questions_at_once: 1, waiting_max: 1, body_bytes_max: 256 << 10, ..Config::default() };
    let stand = Stand::with(config).await;
    stand.add_ships().await;
    let call = |question: &str| {
        let parameters = json!({ "name": "ask", "arguments": { "question": question } });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters })
    };
    let post = |body: String| {
        let post = request(Method::POST, "/mcp").header("content-type", "application/json");
        post.body(Body::from(body)).unwrap()
    };
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(stand.send(post(deep)).await.problem(400).2.contains("recursion limit"));
    assert_eq!(stand.send(post(call(&"x".repeat(300_000)).to_string())).await.problem(413).1, "body");
    let plain = request(Method::POST, "/mcp").header("content-type", "text/plain");
    let plain = plain.body(Body::from(call("Who?").to_string())).unwrap();
    assert_eq!(stand.send(plain).await.problem(415).1, "Content-Type");
    for _ in 0..20 {
        let asked = call("Who founded the yard where the Aurelia was built?").to_string();
        let answered = stand.server.router().oneshot(post(asked));
        // The client disconnects before there is an answer.
        let _ = timeout(Duration::from_micros(200), answered).await;
    }
    let asked = post(call("Who founded the Norby yard?").to_string());
    let answer = timeout(Duration::from_secs(5), stand.send(asked)).await.expect("a free place");
    assert!(answer.text().contains("Ida Holm"), "{}", answer.text());
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_is_for_its_owner_alone_and_needs_no_key() {
    use quiver_server::{Connection, Listeners, Role, listen_on_socket, socket_of};
    use std::os::unix::fs::PermissionsExt as _;
    let (stand, _) = Stand::with_keys(&[(Role::Read, &["a"])]).await;
    let directory = tempfile::tempdir().unwrap();
    let path = socket_of(directory.path(), "quiver");
    // The socket of a killed process is replaced.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let socket = listen_on_socket(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing else is left there");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (end, ended) = oneshot::channel::<()>();
    let server = stand.server.clone();
    let served = tokio::spawn(async move {
        let ended = async {
            let _ = ended.await;
        };
        server
            .serve_on(
                Listeners { network: Some(listener), socket: Some(socket), ..Listeners::default() },
                ended,
            )
            .await;
    });
    let stats: serde_json::Value =
        Connection::connect_socket(&path).await.unwrap().in_workspace("b").get("/v1/stats").await.unwrap();
    assert_eq!(stats["workspace"], "b", "{stats:#}");
    // Over the network the same request needs a key, and one for that workspace.
    let refused = Connection::connect(&address).await.unwrap().get::<serde_json::Value>("/v1/stats").await;
    assert!(refused.unwrap_err().to_string().contains("Authorization"));
    end.send(()).unwrap();
    timeout(Duration::from_secs(5), served).await.expect("the server ends").unwrap();
    let long = directory.path().join("x".repeat(120)).join("quiver.sock");
    assert!(listen_on_socket(&long).is_err());
}

#[tokio::test]
async fn each_address_has_a_rate_of_its_own_and_only_trusted_proxies_name_others() {
    let ask = |forwarded: &str| {
        let head = "GET /v1/documents HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
        format!("{head}x-forwarded-for: {forwarded}\r\n\r\n")
    };
    let answered = async |listening: &Listening, forwarded: &str| {
        let said = listening.say(ask(forwarded).as_bytes()).await;
        said.starts_with("HTTP/1.1 200")
    };
    let config = Config { requests_per_minute: Some(2), ..Config::default() };
    let stand = Stand::with(config.clone()).await;
    let listening = Listening::start(&stand).await;
    // A client that can name its own address is not limited.
    for (forwarded, is_answered) in [("203.0.113.1", true), ("203.0.113.2", true), ("203.0.113.3", false)] {
        assert_eq!(answered(&listening, forwarded).await, is_answered, "{forwarded}");
    }
    let proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let stand = Stand::with(Config { proxies, ..config }).await;
    let listening = Listening::start(&stand).await;
    for (forwarded, is_answered) in [
        ("203.0.113.1", true),
        ("203.0.113.1", true),
        ("203.0.113.1", false),
        ("198.51.100.7, 203.0.113.1", false),
        ("203.0.113.2", true),
    ] {
        assert_eq!(answered(&listening, forwarded).await, is_answered, "{forwarded}");
    }
}

#[tokio::test]
async fn a_page_over_plain_http_is_not_the_page_that_a_proxy_serves_by_https() {
    let proxies = vec!["127.0.0.1".parse().unwrap()];
    let stand = Stand::with(Config { proxies, ..Config::default() }).await;
    let listening = Listening::start(&stand).await;
    for (origin, proto, status) in [
        ("https://localhost", "https", "200"),
        ("http://localhost", "https", "403"),
        ("http://localhost", "http", "200"),
        ("http://localhost", "", "200"),
    ] {
        let head = "GET /v1/documents HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
        let asked = format!("{head}origin: {origin}\r\nx-forwarded-proto: {proto}\r\n\r\n");
        let said = listening.say(asked.as_bytes()).await;
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{origin} {proto}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_would_wait_longer_than_is_allowed_is_told_so_at_once() {
    let config =
        Config { questions_at_once: 1, queue_time_max: Duration::from_millis(1), ..Config::default() };
    let stand = Stand::with(config).await;
    stand.add_ships().await;
    let question = json!({ "question": "Who founded the yard where the Aurelia was built?" });
    let asked = (0..12).map(|_| stand.post("/v1/ask", &question));
    let replies = futures::future::join_all(asked).await;
    let answered = replies.iter().filter(|reply| reply.status == 200).count();
    assert!((1..12).contains(&answered), "{answered} of 12 were answered");
    for reply in replies.into_iter().filter(|reply| reply.status != 200) {
        assert_eq!(reply.headers["retry-after"], "1");
        assert_eq!(reply.problem(429).0, "too_many_requests");
    }
    // Writes and queries have places of their own.
    let turns = json!({ "turns": [{ "session": "s", "text": "Mara works at Tidewater." }] });
    let query = json!({ "query": "MATCH (n) RETURN count(n)" });
    let (asked, remembered, queried) = futures::join!(
        stand.post("/v1/ask", &question),
        stand.post("/v1/remember", &turns),
        stand.post("/v1/query", &query)
    );
    assert_eq!([asked.status, remembered.status, queried.status].map(|status| status.as_u16()), [200; 3]);
}
