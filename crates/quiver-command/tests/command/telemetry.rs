//! Traces as an OpenTelemetry collector receives them.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use crate::{
    serve::Server,
    support::{Home, Run},
};

/// A received span.
#[derive(Clone, Debug, Default)]
struct Sent {
    service: String,
    trace: String,
    id: String,
    parent: String,
    name: String,
    kind: u64,
    attributes: BTreeMap<String, String>,
}

/// A stand-in for a collector.
struct Collector {
    address: String,
    spans: Arc<Mutex<Vec<Sent>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (spans, heads) = (Arc::<Mutex<Vec<Sent>>>::default(), Arc::<Mutex<Vec<String>>>::default());
        let (all_spans, all_heads) = (Arc::clone(&spans), Arc::clone(&heads));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (head, body) = receive(stream.unwrap());
                all_heads.lock().unwrap().push(head);
                all_spans.lock().unwrap().extend(read(&body));
            }
        });
        Self { address, spans, heads }
    }

    fn spans(&self) -> Vec<Sent> {
        self.spans.lock().unwrap().clone()
    }

    /// Waits for a span.
    fn wait_for(&self, name: &str) -> Sent {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(found) = self.spans().into_iter().find(|sent| sent.name == name) {
                return found;
            }
            assert!(Instant::now() < until, "{name} was not sent: {:#?}", self.spans());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Reads a request, and answers it.
fn receive(mut stream: TcpStream) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
    }
    let length = head.to_lowercase();
    let length = length.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n")
        .unwrap();
    (head, body)
}

/// A field of a Protocol Buffers message: a number, or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    number
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes);
        let field = match tag & 7 {
            0 => Field::Number(number(&mut bytes)),
            1 => Field::Number(u64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
            5 => Field::Number(u64::from(u32::from_le_bytes(take(&mut bytes, 4).try_into().unwrap()))),
            2 => {
                let length = number(&mut bytes).try_into().unwrap();
                Field::Bytes(take(&mut bytes, length))
            }
            other => panic!("{other} is no type of a field"),
        };
        fields.push((tag >> 3, field));
    }
    fields
}

/// Returns the messages in a field.
fn messages(bytes: &[u8], wanted: u64) -> Vec<&[u8]> {
    let all = fields(bytes).into_iter();
    all.filter_map(|(number, field)| match field {
        Field::Bytes(bytes) if number == wanted => Some(bytes),
        _ => None,
    })
    .collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attributes(pairs: &[&[u8]]) -> BTreeMap<String, String> {
    let pair = |pair: &&[u8]| {
        let value = fields(messages(pair, 2)[0]).into_iter().next().map(|(_, value)| match value {
            Field::Number(number) => number.to_string(),
            Field::Bytes(bytes) => text(bytes),
        });
        (text(messages(pair, 1)[0]), value.unwrap_or_default())
    };
    pairs.iter().map(pair).collect()
}

/// Returns the spans of a message.
fn read(body: &[u8]) -> Vec<Sent> {
    let mut spans = Vec::new();
    for resource_spans in messages(body, 1) {
        let resource = attributes(&messages(messages(resource_spans, 1)[0], 1));
        for scope_spans in messages(resource_spans, 2) {
            for span in messages(scope_spans, 2) {
                let bytes = |number| messages(span, number).first().copied().unwrap_or_default();
                let kind = fields(span).into_iter().find_map(|(number, field)| match field {
                    Field::Number(kind) if number == 6 => Some(kind),
                    _ => None,
                });
                spans.push(Sent {
                    service: resource["service.name"].clone(),
                    trace: hexadecimal(bytes(1)),
                    id: hexadecimal(bytes(2)),
                    parent: hexadecimal(bytes(4)),
                    name: text(bytes(5)),
                    kind: kind.unwrap_or_default(),
                    attributes: attributes(&messages(span, 9)),
                });
            }
        }
    }
    spans
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
/// The kind of a server span.
const SERVER: u64 = 2;

/// Removes the OpenTelemetry variables of this process from a command.
fn without_variables(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OTEL_")) {
        command.env_remove(name);
    }
    command
}

fn ask(server: &Server, flags: &str) {
    let body = "{\"question\": \"Who founded the yard where the Aurelia was built?\"}";
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(
        stream,
        "POST /v1/ask HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ntraceparent: 00-{TRACE}-{PARENT}-{flags}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        server.address,
        body.len()
    )
    .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
}

#[test]
fn a_request_is_a_part_of_its_clients_trace_with_its_stages_and_without_words() {
    let (home, collector) = (Home::with_documents(), Collector::start());
    let settings = "otel_service_name = \"notes\"\notel_headers = \"x-team=harbour\"\n";
    home.write("quiver.toml", format!("otel_endpoint = \"{}\"\n{settings}", collector.address));
    let mut command = without_variables(home.command(&["serve", "--listen", "127.0.0.1:0"]));
    command.env("OTEL_BSP_SCHEDULE_DELAY", "100");
    let server = Server::of(command);
    // What the client does not want to trace is not traced.
    ask(&server, "00");
    ask(&server, "01");
    let request = collector.wait_for("POST /v1/ask");
    assert_eq!((request.trace.as_str(), request.parent.as_str()), (TRACE, PARENT), "{request:#?}");
    assert_eq!((request.service.as_str(), request.kind), ("notes", SERVER), "{request:#?}");
    let attribute = |name: &str| request.attributes.get(name).map(String::as_str);
    assert_eq!(attribute("http.route"), Some("/v1/ask"));
    assert_eq!(attribute("http.response.status_code"), Some("200"));
    assert_eq!(attribute("workspace"), Some("default"));
    let head = collector.heads.lock().unwrap()[0].clone();
    assert!(head.starts_with("POST /v1/traces HTTP/1.1") && head.contains("x-team: harbour"), "{head}");
    assert_eq!(server.terminate(), Some(0));

    let spans = collector.spans();
    let named = |name: &str| {
        let mut found = spans.iter().filter(|sent| sent.name == name);
        let one = found.next().unwrap_or_else(|| panic!("{name} is not among {spans:#?}"));
        assert!(found.next().is_none(), "{name} was sent twice: {spans:#?}");
        one
    };
    for (name, parent) in [
        ("ask", "POST /v1/ask"),
        ("retrieve", "ask"),
        ("understand", "retrieve"),
        ("search", "retrieve"),
        ("expand", "retrieve"),
        ("rerank", "retrieve"),
        ("answer", "ask"),
    ] {
        assert_eq!((&named(name).parent, named(name).trace.as_str()), (&named(parent).id, TRACE), "{name}");
    }
    assert_eq!(named("rerank").attributes["passages"], "2");
    for value in spans.iter().flat_map(|sent| sent.attributes.values()) {
        assert!(!["Aurelia", "Norby", "Holm"].iter().any(|word| value.contains(word)), "{value}");
    }
}

#[test]
fn a_command_begins_a_trace_and_the_server_goes_on_with_it() {
    let (home, collector) = (Home::with_documents(), Collector::start());
    let traced = |mut command: Command| {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.address).env("OTEL_SERVICE_NAME", "named");
        command
    };
    let server = Server::of(traced(without_variables(home.command(&["serve", "--listen", "127.0.0.1:0"]))));
    let asked = without_variables(home.command(&["ask", "Who founded the Norby yard?"]));
    Run::of(traced(asked).output().unwrap()).expect(0).prints("Ida Holm");
    assert_eq!(server.terminate(), Some(0));
    let (command, request) = (collector.wait_for("quiver ask"), collector.wait_for("POST /v1/command"));
    assert_eq!((&request.trace, &request.parent), (&command.trace, &command.id));
    assert_eq!((request.service.as_str(), command.service.as_str()), ("named", "named"));
    assert_eq!(collector.wait_for("answer").trace, command.trace);
}

#[test]
fn nothing_is_sent_where_nobody_asks_for_it() {
    let (home, collector) = (Home::with_documents(), Collector::start());
    let run = |settings: &[(&str, &str)]| {
        let mut command = without_variables(home.command(&["ask", "Who founded the Norby yard?"]));
        command.envs(settings.iter().copied());
        Run::of(command.output().unwrap())
    };
    let endpoint = ("QUIVER_OTEL_ENDPOINT", collector.address.as_str());
    for more in
        [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none"), ("QUIVER_OTEL_SAMPLING", "0")]
    {
        run(&[endpoint, more]).expect(0).prints("Ida Holm");
        assert_eq!(collector.spans().len(), 0, "{more:?}");
    }
    run(&[endpoint]).expect(0);
    assert!(!collector.spans().is_empty());
    // A missing collector delays nothing.
    let began = Instant::now();
    run(&[("QUIVER_OTEL_ENDPOINT", "http://127.0.0.1:1")]).expect(0).prints("Ida Holm");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    run(&[endpoint, ("QUIVER_OTEL_SAMPLING", "2")]).expect(2).says("otel_sampling");
    run(&[endpoint, ("QUIVER_OTEL_HEADERS", "secret")]).expect(2).says("otel_headers");
}
