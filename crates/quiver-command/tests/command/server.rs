//! The command with a Qdrant server: the one that `QUIVER_TEST_QDRANT_URL` names, or one started for the test.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use crate::{
    qdrant::Server,
    support::{Home, Run, generated},
};

#[test]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
fn a_server_s_database_is_what_a_directory_s_is() {
    let server = Server::find();
    let home = Home::new();
    home.write("people.jsonl", generated(40, 7));
    // Another run may have left collections on a long-lived server.
    let prefix = format!("command_{}", std::process::id());
    let on_server =
        |arguments: &[&str]| home.run(&[arguments, &["--url", &server.url, "--prefix", &prefix]].concat());
    on_server(&["ingest", "people.jsonl"]).expect(0);
    home.run(&["ingest", "people.jsonl"]).expect(0);
    assert!(
        on_server(&["export", "--vectors"]).expect(0).stdout == home.export("quiver-data"),
        "the exports differ"
    );
    let question = ["ask", "Where does the house of the first stand?"];
    // On a busy machine, a question may take more than two seconds and be cut short.
    let same = (0..3).any(|_| on_server(&question).stdout == home.run(&question).stdout);
    assert!(same, "the answers differ:\n{:?}\n{:?}", on_server(&question), home.run(&question));
    on_server(&["verify"]).expect(0);
    assert_eq!(on_server(&["stats", "--json"]).expect(0).json()["backend"], "server");
    on_server(&["delete", "person-0"]).expect(0);
    on_server(&["verify"]).expect(0);
    // Another prefix is another database.
    let other = format!("{prefix}_other");
    let listed = home.run(&["documents", "--json", "--url", &server.url, "--prefix", &other]).expect(0);
    assert_eq!(listed.json()["documents"], serde_json::json!([]));
}

#[test]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
fn a_wrong_key_is_refused_by_the_server_and_shown_nowhere() {
    let server = Server::start(&[("QDRANT__SERVICE__API_KEY", "the-right-key")]);
    let home = Home::new();
    home.write("people.jsonl", generated(3, 8));
    for key in [None, Some("the-wrong-key")] {
        wrong_key(&home, &server.url, key);
    }
    with_key(&home, &["ingest", "people.jsonl"], &server.url, Some("the-right-key")).expect(0);
}

#[test]
fn a_wrong_key_is_an_error_that_names_the_server() {
    let url = format!("http://{}", refusing_server());
    for key in [None, Some("the-wrong-key")] {
        let home = Home::new();
        home.write("people.jsonl", generated(3, 8));
        wrong_key(&home, &url, key);
    }
}

/// Calls a server with a wrong key, in each way to give one.
fn wrong_key(home: &Home, url: &str, key: Option<&str>) {
    home.write("quiver.toml", key.map(|key| format!("api_key = {key:?}\n")).unwrap_or_default());
    for arguments in [&["stats"][..], &["ask", "why"], &["ingest", "people.jsonl"]] {
        for key_in_variable in [None, key] {
            let run = with_key(home, arguments, url, key_in_variable).expect(4);
            let run = run.says(url).says("rejected the API key");
            assert!(!format!("{run:?}").contains("the-wrong-key"), "{run:#?}");
        }
    }
    home.write("quiver.toml", "");
}

fn with_key(home: &Home, arguments: &[&str], url: &str, key: Option<&str>) -> Run {
    let mut command = home.command(&[arguments, &["--url", url]].concat());
    command.envs(key.map(|key| ("QUIVER_API_KEY", key)));
    Run::of(command.output().unwrap())
}

/// Starts a server that refuses everything, as Qdrant does without the right key.
fn refusing_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || refuse(stream.unwrap()));
        }
    });
    address
}

/// Speaks just enough HTTP/2 for a refusal: each request is answered by one frame of headers that ends it.
fn refuse(mut stream: TcpStream) -> io::Result<()> {
    const PREFACE: usize = 24;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const END_OF_STREAM_AND_HEADERS: u8 = 0x5;
    const STATUS_200: u8 = 0x88; // A header from the static table.
    let mut refusal = vec![STATUS_200];
    for (name, value) in [
        ("content-type", "application/grpc"),
        ("grpc-status", "16"),
        ("grpc-message", "Must provide an API key or an Authorization bearer token"),
    ] {
        refusal.push(0); // A header that neither side stores.
        for text in [name, value] {
            refusal.push(u8::try_from(text.len()).unwrap());
            refusal.extend(text.bytes());
        }
    }
    stream.read_exact(&mut [0; PREFACE])?;
    write_frame(&mut stream, SETTINGS, 0, [0; 4], &[])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        stream.read_exact(&mut vec![0; length])?;
        let (kind, flags, id) = (head[3], head[4], [head[5], head[6], head[7], head[8]]);
        match kind {
            HEADERS => write_frame(&mut stream, HEADERS, END_OF_STREAM_AND_HEADERS, id, &refusal)?,
            SETTINGS if flags == 0 => write_frame(&mut stream, SETTINGS, 1, [0; 4], &[])?,
            _ => {}
        }
    }
}

fn write_frame(stream: &mut TcpStream, kind: u8, flags: u8, id: [u8; 4], content: &[u8]) -> io::Result<()> {
    let [_, length @ ..] = u32::try_from(content.len()).unwrap().to_be_bytes();
    stream.write_all(&[&length[..], &[kind, flags], &id, content].concat())
}

#[test]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
fn a_server_behind_tls_is_reached_and_its_certificate_checked() {
    let home = Home::new();
    assert!(certificates(&home.path("")), "openssl makes certificates");
    let [certificate, key] = ["server.pem", "server.key"].map(|name| home.path(name).display().to_string());
    let settings = [
        ("QDRANT__SERVICE__ENABLE_TLS", "true"),
        ("QDRANT__TLS__CERT", certificate.as_str()),
        ("QDRANT__TLS__KEY", key.as_str()),
    ];
    let server = Server::start(&settings);
    let url = server.url.replace("http://127.0.0.1", "https://localhost");
    home.write("people.jsonl", generated(3, 9));
    home.write("quiver.toml", "timeout_s = 5\n");
    let run = |trusted: &str| {
        let mut command = home.command(&["ingest", "people.jsonl", "--url", &url]);
        Run::of(command.env("SSL_CERT_FILE", home.path(trusted)).env_remove("SSL_CERT_DIR").output().unwrap())
    };
    run("authority.pem").expect(0);
    run("another.pem").expect(4).says(&url);
}

/// Creates an authority, its certificate for `localhost`, and an unrelated authority.
fn certificates(directory: &Path) -> bool {
    let openssl = |arguments: &str| {
        let mut command = Command::new("openssl");
        command.args(arguments.split(' ')).current_dir(directory);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let authority = |name: &str| {
        openssl(&format!(
            "req -x509 -newkey rsa:2048 -noenc -subj /CN={name} -days 2 -keyout {name}.key -out {name}.pem"
        ))
    };
    authority("authority")
        && authority("another")
        && openssl("req -newkey rsa:2048 -noenc -subj /CN=localhost -keyout server.key -out server.csr")
        && {
            std::fs::write(directory.join("server.ext"), "subjectAltName = DNS:localhost\n").unwrap();
            openssl(
                "x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -out \
                 server.pem -extfile server.ext",
            )
        }
}
