//! `quiver serve --bolt`, as Neo4j drivers see it.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{Home, Run};

/// A server that also answers over Bolt.
struct Server {
    child: Child,
    /// Its address, with the scheme.
    bolt: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0", "--bolt", "127.0.0.1:0"], arguments].concat();
        let mut child = home.command(&arguments).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().starts_with("listening on http"));
        let line = lines.next().unwrap().unwrap();
        let bolt = line.strip_prefix("listening on ").unwrap().to_owned();
        Self { child, bolt }
    }

    fn port(&self) -> &str {
        self.bolt.rsplit(':').next().unwrap()
    }
}

#[test]
fn bolt_is_announced_answers_and_is_not_open_beyond_this_machine() {
    let home = Home::new();
    let server = Server::start(&home, &[]);
    assert!(server.bolt.starts_with("bolt://127.0.0.1:"), "{}", server.bolt);
    let mut stream = TcpStream::connect(format!("127.0.0.1:{}", server.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(&[0x60, 0x60, 0xb0, 0x17, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    let mut version = [0; 4];
    stream.read_exact(&mut version).unwrap();
    assert_eq!(version, [0, 0, 4, 5]);
    let taken = ["serve", "--listen", "127.0.0.1:0", "--bolt", &format!("127.0.0.1:{}", server.port())];
    home.run(&taken).expect(2).says("choose another address with --bolt");
    let other = Home::new();
    other
        .run(&["serve", "--listen", "127.0.0.1:0", "--bolt", "0.0.0.0:0"])
        .expect(2)
        .says("0.0.0.0:0 can be reached from other machines")
        .says("--insecure");
    other.run(&["serve", "--bolt-agent", "Neo4j/5.26.0"]).expect(2).says("--bolt");
    let components = home.run(&["query", "CALL dbms.components()", "--csv"]).expect(0);
    assert!(components.stdout.starts_with("name,versions,edition\nQuiver,"), "{components:#?}");
}

#[test]
fn bolt_alone_is_announced_and_shares_the_directory() {
    let home = Home::new();
    let mut child = home.command(&["bolt", "127.0.0.1:0", "--agent", "Neo4j/5.26.0"]).spawn().unwrap();
    let line = BufReader::new(child.stdout.as_mut().unwrap()).lines().next().unwrap().unwrap();
    let server = Server { child, bolt: line.strip_prefix("listening on ").unwrap().to_owned() };
    assert!(server.bolt.starts_with("bolt://127.0.0.1:"), "{line}");
    home.run(&["query", "CREATE (:X)"]).expect(0);
    let taken = format!("127.0.0.1:{}", server.port());
    home.run(&["bolt", &taken]).expect(2).says("choose another address with ADDRESS");
    let other = Home::new();
    other.run(&["bolt", "0.0.0.0:0"]).expect(2).says("can be reached from other machines").says("--insecure");
    other.run(&["bolt"]).expect(2).says("<ADDRESS>");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a home with the catalogue of `datasets/constraints/services`, an extra team with services, and texts about
/// them.
fn catalogue() -> Home {
    let home = Home::new();
    let folder = root().join("datasets/constraints/services");
    let mut files: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "csv"))
        .collect();
    // Nodes first.
    files.sort_by_key(|name| !name.ends_with(".nodes.csv"));
    let key = |label: &str| if label == "Incident" { "id" } else { "name" };
    for name in files {
        let path = folder.join(&name).display().to_string();
        match name.split('.').collect::<Vec<_>>()[..] {
            [label, "nodes", _] => {
                home.run(&["load", &path, "--label", label, "--key", key(label)]).expect(0)
            }
            [from, kind, to, _] => {
                let (from, to) = (format!("{from}.{}", key(from)), format!("{to}.{}", key(to)));
                home.run(&["load", &path, "--type", kind, "--from", &from, "--to", &to]).expect(0)
            }
            _ => panic!("{name}"),
        };
    }
    let query = "CREATE (a:Team {name: 'Team A'}) WITH a
        MATCH (s:Service)-[:CALLS]->(api:API {status: 'deprecated'}), (s)-[:DEPLOYED_IN]->(:Region {name: 'eu-west-1'})
        WITH a, s ORDER BY s.name LIMIT 2
        CREATE (a)-[:OWNS]->(s), (s)-[:LINKED_TO]->(:DocChunk {text: 'How to leave what ' + s.name + ' calls.'})";
    home.run(&["query", query]).expect(0);
    home
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/clients").join(name)
}

fn python(home: &Home, arguments: &[&str]) -> Run {
    let mut command = Command::new(env::var("QUIVER_TEST_NEO4J_PYTHON").unwrap());
    Run::of(command.args(arguments).current_dir(home.path(".")).output().unwrap()).expect(0)
}

#[test]
#[ignore = "needs in QUIVER_TEST_NEO4J_PYTHON a python that has the package neo4j"]
fn a_program_for_neo4j_runs_unchanged_and_returns_the_rows() {
    let home = catalogue();
    let expected = home.run(&["query", QUERY, "--json"]).expect(0).json()["rows"].clone();
    assert_eq!(expected.as_array().map(Vec::len), Some(2), "{expected:#}");
    let server = Server::start(&home, &[]);
    let program = fs::read_to_string(script("reference.py")).unwrap();
    assert!(program.contains("bolt://localhost:7687"));
    home.write("program.py", program.replace("localhost:7687", &format!("localhost:{}", server.port())));
    let run = python(&home, &["program.py"]);
    // Python prints a list of dictionaries.
    let printed: Value =
        serde_json::from_str(&run.stdout.replace('\'', "\"").replace("None", "null")).unwrap();
    assert_eq!(printed, expected);
}

/// The query of `reference.py` with the values of its parameters.
const QUERY: &str = "MATCH (t:Team {name: 'Team A'})-[:OWNS]->(s:Service)-[:CALLS]->(a:API)
    MATCH (s)-[:DEPLOYED_IN]->(:Region {name: 'eu-west-1'}) WHERE a.status = 'deprecated'
    OPTIONAL MATCH (s)-[:LINKED_TO]->(d:DocChunk)
    RETURN s.name AS service, a.name AS api, a.version AS version, collect(DISTINCT d.text)[0..3] AS evidence
    ORDER BY service LIMIT 20";

/// Returns what `bolt.py` finds wherever it may write.
fn expected() -> Value {
    let errors = ["SyntaxError", "ParameterMissing", "TypeError", "AccessMode"];
    let errors: Vec<String> = errors.iter().map(|name| format!("Neo.ClientError.Statement.{name}")).collect();
    json!({
        "agent": "Quiver",
        "changed": [],
        "created": [2, 1, true],
        "boat": [["Boat"], { "name": "Aurelia" }],
        "path": ["Aurelia", "OF", 1911, "Norby", true],
        "explained": [["Return", "Follow", "Keep", "Find", "Match"], "r", null],
        "profiled": [["Norby"], 1, true, true],
        "sum": 3_126_250,
        "batch": 500,
        "boats": [3, 4, 3, 4, 4],
        "contended": [2, 11],
        "errors": errors,
        "components": ["Quiver"],
    })
}

fn learned(home: &Home, arguments: &[&str]) -> Value {
    let script = script("bolt.py").display().to_string();
    let run = python(home, &[&[script.as_str()], arguments].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

#[test]
#[ignore = "needs in QUIVER_TEST_NEO4J_PYTHON a python that has the package neo4j"]
fn the_python_driver_reads_writes_and_commits() {
    let home = Home::new();
    let server = Server::start(&home, &[]);
    assert_eq!(learned(&home, &[&server.bolt]), expected());
    // A driver that asks where to read and write is told this server.
    let other = Home::new();
    let server = Server::start(&other, &[]);
    assert_eq!(learned(&other, &[&server.bolt.replace("bolt://", "neo4j://")]), expected());
}

#[test]
#[ignore = "needs in QUIVER_TEST_NEO4J_PYTHON a python that has the package neo4j"]
fn the_python_driver_has_a_key_and_a_certificate() {
    let home = Home::new();
    let key = |name: &str, role: &str| {
        home.run(&["keys", "create", name, "--role", role]).expect(0).stdout.trim().to_owned()
    };
    let (reader, writer) = (key("reads", "read"), key("writes", "write"));
    let tls = root().join("crates/quiver-server/tests/tls");
    let file = |name: &str| tls.join(name).display().to_string();
    let (certificate, secret) = (file("first.pem"), file("first.key.pem"));
    let server = Server::start(&home, &["--tls-cert", &certificate, "--tls-key", &secret]);
    assert!(server.bolt.starts_with("bolt+s://"), "{}", server.bolt);
    // Nothing here trusts the tests' certificate.
    let address = server.bolt.replace("bolt+s://", "bolt+ssc://");
    let mut expected = expected();
    expected["reads"] = json!(4);
    expected["read_key"] = json!("Neo.ClientError.Security.Forbidden");
    expected["wrong_key"] = json!("Neo.ClientError.Security.Unauthorized");
    assert_eq!(learned(&home, &[&address, &reader, &writer]), expected);
}
