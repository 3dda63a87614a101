//! Bolt: queries, transactions, keys and workspaces as Neo4j drivers see them, and hostile clients.

use std::{
    net::SocketAddr,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use boltr::{
    chunk::{ChunkReader, ChunkWriter},
    message::{ClientMessage, ServerMessage, decode::decode_server_message, encode::encode_client_message},
    server::handshake::{client_handshake, default_client_proposals},
    types::{BoltDate, BoltDict, BoltValue},
};
use quiver_server::{Config, Keys, Listeners, Role, Server, Tls};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadHalf, WriteHalf, split},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use crate::support::Stand;

/// A refusal of the server: code and message.
type Refused = (String, String);

/// A server that answers over Bolt.
struct Listening {
    address: SocketAddr,
    http: SocketAddr,
    end: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Listening {
    async fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let network = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let http = network.local_addr().unwrap();
        let (end, ended) = oneshot::channel();
        let server = server.clone();
        let served = tokio::spawn(async move {
            let listeners =
                Listeners { bolt: Some(listener), network: Some(network), ..Listeners::default() };
            server.serve_on(listeners, async { drop(ended.await) }).await;
        });
        Self { address, http, end, served }
    }

    async fn connect(&self) -> Driver<TcpStream> {
        Driver::greet(TcpStream::connect(self.address).await.unwrap()).await
    }

    /// Returns a driver that has logged in, with a key if given.
    async fn driver(&self, key: Option<&str>) -> Driver<TcpStream> {
        let mut driver = self.connect().await;
        driver.log_in(key).await.unwrap();
        driver
    }

    async fn is_well(&self) {
        let mut driver = self.driver(None).await;
        assert_eq!(driver.rows("RETURN 1").await, [[BoltValue::Integer(1)]]);
    }

    /// Sends raw bytes and returns the response until the connection is closed.
    async fn say(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let _ = stream.write_all(bytes).await;
        let mut said = Vec::new();
        let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut said)).await.expect("an end");
        said
    }
}

/// The client side of a connection.
struct Driver<S> {
    reader: ChunkReader<ReadHalf<S>>,
    writer: ChunkWriter<WriteHalf<S>>,
}

/// The result of a query.
#[derive(Debug)]
struct Result {
    columns: Vec<BoltValue>,
    rows: Vec<Vec<BoltValue>>,
    summary: BoltDict,
}

fn extra(entries: &[(&str, BoltValue)]) -> BoltDict {
    entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

impl<S: AsyncRead + AsyncWrite + Unpin> Driver<S> {
    async fn greet(mut stream: S) -> Self {
        let version = client_handshake(&mut stream, &default_client_proposals()).await.unwrap();
        assert_eq!(version, (5, 4));
        let (reader, writer) = split(stream);
        Self { reader: ChunkReader::new(reader), writer: ChunkWriter::new(writer) }
    }

    async fn send(&mut self, message: &ClientMessage) {
        let mut bytes = Vec::new().as_slice().into();
        encode_client_message(&mut bytes, message);
        self.writer.write_message(&bytes).await.unwrap();
        self.writer.flush().await.unwrap();
    }

    /// Returns the next message; `None` if the connection is closed.
    async fn receive(&mut self) -> Option<ServerMessage> {
        let read = timeout(Duration::from_secs(10), self.reader.read_message()).await.expect("a message");
        Some(decode_server_message(&read.ok()?).unwrap())
    }

    /// Sends a message and returns the metadata of its success. Resets the connection after a failure.
    async fn ask(&mut self, message: ClientMessage) -> std::result::Result<BoltDict, Refused> {
        self.send(&message).await;
        match self.receive().await.expect("a reply") {
            ServerMessage::Success { metadata } => Ok(metadata),
            ServerMessage::Failure { metadata } => {
                let text = |name: &str| metadata[name].as_str().unwrap().to_owned();
                let refused = (text("code"), text("message"));
                self.send(&ClientMessage::Reset).await;
                let _ = self.receive().await;
                Err(refused)
            }
            other => panic!("{other:?}"),
        }
    }

    async fn log_in(&mut self, key: Option<&str>) -> std::result::Result<BoltDict, Refused> {
        let hello = ClientMessage::Hello { extra: extra(&[("user_agent", "test/1".into())]) };
        let greeted = self.ask(hello).await?;
        let (scheme, key) = if key.is_some() { ("basic", key.unwrap_or_default()) } else { ("none", "") };
        let auth = [("scheme", scheme.into()), ("principal", "anybody".into()), ("credentials", key.into())];
        self.ask(ClientMessage::Logon { auth: extra(&auth) }).await?;
        Ok(greeted)
    }

    async fn run(
        &mut self,
        query: &str,
        parameters: BoltDict,
        extra: BoltDict,
    ) -> std::result::Result<Result, Refused> {
        let head = self.ask(ClientMessage::Run { query: query.to_owned(), parameters, extra }).await?;
        let BoltValue::List(columns) = head["fields"].clone() else { panic!("{head:?}") };
        self.send(&ClientMessage::pull_all()).await;
        let mut rows = Vec::new();
        loop {
            match self.receive().await.expect("a record") {
                ServerMessage::Record { data } => rows.push(data),
                ServerMessage::Success { metadata } => {
                    return Ok(Result { columns, rows, summary: metadata });
                }
                other => panic!("{other:?}"),
            }
        }
    }

    async fn query(&mut self, query: &str) -> std::result::Result<Result, Refused> {
        self.run(query, BoltDict::new(), BoltDict::new()).await
    }

    async fn rows(&mut self, query: &str) -> Vec<Vec<BoltValue>> {
        self.query(query).await.unwrap().rows
    }

    async fn begin(&mut self, entries: &[(&str, BoltValue)]) -> std::result::Result<BoltDict, Refused> {
        self.ask(ClientMessage::Begin { extra: extra(entries) }).await
    }

    /// Whether the server closes the connection.
    async fn is_closed(&mut self) -> bool {
        self.receive().await.is_none()
    }
}

const CATALOGUE: &str = "CREATE (a:Team {name: 'Team A'}), (:Team {name: 'Team B'}),
    (a)-[:OWNS]->(s:Service {name: 'payments'}), (s)-[:CALLS {since: date('2020-05-01')}]->(:API {name: 'billing',
    version: 'v1', status: 'deprecated'}), (s)-[:DEPLOYED_IN]->(:Region {name: 'eu-west-1'}),
    (s)-[:LINKED_TO]->(:DocChunk {text: 'Use v2.'})";

const REFERENCE: &str = "MATCH (t:Team {name: $team})-[:OWNS]->(s:Service)-[:CALLS]->(a:API)
MATCH (s)-[:DEPLOYED_IN]->(:Region {name: $region})
WHERE a.status = 'deprecated'
OPTIONAL MATCH (s)-[:LINKED_TO]->(d:DocChunk)
RETURN s.name AS service,
a.name AS api,
a.version AS version,
collect(DISTINCT d.text)[0..3] AS evidence
ORDER BY service
LIMIT 20;";

#[tokio::test]
async fn queries_write_and_read_with_parameters_types_and_counts() {
    let stand = Stand::new().await;
    let listening = Listening::start(&stand.server).await;
    let mut driver = listening.connect().await;
    let greeted = driver.log_in(Some("any password")).await.unwrap();
    assert_eq!(greeted["server"], concat!("Quiver/", env!("CARGO_PKG_VERSION")).into());
    let written = driver.query(CATALOGUE).await.unwrap();
    let BoltValue::Dict(stats) = &written.summary["stats"] else { panic!("{written:?}") };
    assert_eq!((&stats["nodes-created"], &stats["relationships-created"]), (&6.into(), &4.into()));
    assert_eq!((&written.summary["type"], &stats["contains-updates"]), (&"w".into(), &true.into()));

    let parameters = extra(&[("team", "Team A".into()), ("region", "eu-west-1".into())]);
    let found = driver.run(REFERENCE, parameters, BoltDict::new()).await.unwrap();
    assert_eq!(found.columns, ["service", "api", "version", "evidence"].map(BoltValue::from));
    let evidence = BoltValue::List(vec!["Use v2.".into()]);
    assert_eq!(found.rows, [["payments".into(), "billing".into(), "v1".into(), evidence]]);
    assert_eq!((&found.summary["type"], found.summary.get("stats")), (&"r".into(), None));

    let query = "MATCH p = (s:Service)-[c:CALLS]->(a) RETURN s, c, p, elementId(s), $day = c.since";
    let day = BoltValue::Date(BoltDate { days: 18_383 });
    let found = driver.run(query, extra(&[("day", day)]), BoltDict::new()).await.unwrap();
    let [row] = found.rows.as_slice() else { panic!("{found:?}") };
    let (BoltValue::Node(node), BoltValue::Relationship(calls), BoltValue::Path(path)) =
        (&row[0], &row[1], &row[2])
    else {
        panic!("{row:?}")
    };
    assert_eq!(
        (node.labels.as_slice(), &node.properties["name"]),
        (["Service".to_owned()].as_slice(), &"payments".into())
    );
    assert_eq!((calls.rel_type.as_str(), &calls.start_element_id), ("CALLS", &node.element_id));
    assert_eq!((path.nodes.len(), path.indices.as_slice()), (2, [1, 1].as_slice()));
    assert_eq!((&row[3], &row[4]), (&node.element_id.as_str().into(), &true.into()));

    // Rows arrive in the requested portions.
    let run = ClientMessage::Run {
        query: "UNWIND range(1, 5) AS n RETURN n".to_owned(),
        parameters: BoltDict::new(),
        extra: BoltDict::new(),
    };
    driver.ask(run).await.unwrap();
    driver.send(&ClientMessage::pull_n(3)).await;
    for number in 1..=3 {
        let Some(ServerMessage::Record { data }) = driver.receive().await else { panic!("no record") };
        assert_eq!(data, [BoltValue::Integer(number)]);
    }
    let Some(ServerMessage::Success { metadata }) = driver.receive().await else { panic!("no success") };
    assert_eq!(metadata["has_more"], true.into());
    assert_eq!(driver.ask(ClientMessage::discard_all()).await.unwrap()["has_more"], false.into());
    // The metrics.
    let metrics = stand.get("/metrics").await.text();
    assert!(
        metrics.contains("quiver_requests_total{method=\"BOLT\",path=\"RUN\",status=\"200\"} 4"),
        "{metrics}"
    );
}

/// Returns the operators of a plan, from the one that yields the rows to the first: their types, details, rows and
/// hits.
fn operators(plan: &BoltValue) -> Vec<(String, String, Option<i64>, Option<i64>)> {
    let BoltValue::Dict(plan) = plan else { panic!("{plan:?}") };
    let BoltValue::Dict(arguments) = &plan["args"] else { panic!("{plan:?}") };
    let text = |value: &BoltValue| value.as_str().unwrap().to_owned();
    let number = |name: &str| plan.get(name).and_then(BoltValue::as_int);
    let own = (text(&plan["operatorType"]), text(&arguments["Details"]), number("rows"), number("dbHits"));
    let BoltValue::List(children) = &plan["children"] else { panic!("{plan:?}") };
    std::iter::once(own).chain(children.iter().flat_map(operators)).collect()
}

#[tokio::test]
async fn a_summary_has_the_plan_that_was_asked_for() {
    let stand = Stand::new().await;
    let listening = Listening::start(&stand.server).await;
    let mut driver = listening.driver(None).await;
    driver.query(CATALOGUE).await.unwrap();
    let query = "MATCH (t:Team)-[:OWNS]->(s:Service {name: 'payments'}) RETURN t.name";
    let found = driver.query(&format!("EXPLAIN {query}")).await.unwrap();
    assert!(found.rows.is_empty() && !found.summary.contains_key("profile"), "{found:?}");
    let plan = operators(&found.summary["plan"]);
    assert_eq!(plan[0], ("Return".to_owned(), "RETURN t.name".to_owned(), None, None));
    assert!(
        plan.iter().any(|one| one.0 == "Find" && one.1.starts_with("find (s:Service) with name")),
        "{plan:?}"
    );

    let found = driver.query(&format!("profile {query}")).await.unwrap();
    assert_eq!((found.rows.len(), found.summary.get("plan")), (1, None));
    let plan = operators(&found.summary["profile"]);
    assert_eq!((plan[0].0.as_str(), plan[0].2), ("Result", Some(1)));
    let follow = plan.iter().find(|one| one.0 == "Follow").unwrap();
    assert_eq!((follow.2, follow.3), (Some(1), Some(1)), "{plan:?}");
    assert!(plan.iter().all(|one| one.3.is_some()), "{plan:?}");

    // A plan writes nothing, so it is allowed read-only and in a transaction.
    let found =
        driver.run("EXPLAIN CREATE (:X)", BoltDict::new(), extra(&[("mode", "r".into())])).await.unwrap();
    assert!(found.summary.contains_key("plan") && !found.summary.contains_key("stats"), "{found:?}");
    driver.begin(&[]).await.unwrap();
    assert!(driver.query("EXPLAIN CREATE (:X)").await.unwrap().summary.contains_key("plan"));
    let profiled = driver.query("PROFILE CREATE (:X)").await.unwrap();
    assert!(profiled.summary.contains_key("profile") && profiled.summary.contains_key("stats"));
    driver.ask(ClientMessage::Rollback).await.unwrap();
    assert_eq!(driver.rows("MATCH (x:X) RETURN count(x)").await, [[BoltValue::Integer(0)]]);
    assert!(!driver.query(query).await.unwrap().summary.contains_key("plan"));
}

#[tokio::test]
async fn what_browsers_and_routing_drivers_ask_is_answered() {
    let config = Config { bolt_agent: "Neo4j/5.26.0".to_owned(), ..Config::default() };
    let stand = Stand::with(config).await;
    let listening = Listening::start(&stand.server).await;
    let mut driver = listening.connect().await;
    assert_eq!(driver.log_in(None).await.unwrap()["server"], "Neo4j/5.26.0".into());
    driver.query(CATALOGUE).await.unwrap();
    let rows =
        driver.rows("CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0]").await;
    assert_eq!(rows, [["Quiver".into(), env!("CARGO_PKG_VERSION").into()]]);
    let mut names = async |query: &str| driver.rows(query).await.concat();
    let labels = ["API", "DocChunk", "Region", "Service", "Team"].map(BoltValue::from);
    assert_eq!(names("CALL db.labels()").await, labels);
    let types = ["CALLS", "DEPLOYED_IN", "LINKED_TO", "OWNS"].map(BoltValue::from);
    assert_eq!(names("CALL db.relationshipTypes()").await, types);
    assert!(names("CALL db.propertyKeys()").await.contains(&"status".into()));
    let route = |context: &[(&str, BoltValue)]| ClientMessage::Route {
        routing: extra(context),
        bookmarks: Vec::new(),
        extra: BoltDict::new(),
    };
    let routed = driver.ask(route(&[("address", "db.example.org:7687".into())])).await.unwrap();
    let text = format!("{routed:?}");
    assert!(
        text.contains("db.example.org:7687") && text.contains("WRITE") && text.contains("default"),
        "{text}"
    );
    assert!(driver.ask(route(&[])).await.unwrap_err().1.contains("bolt://"));
}

#[tokio::test]
async fn errors_have_the_codes_of_neo4j_and_own_messages() {
    let stand = Stand::new().await;
    let listening = Listening::start(&stand.server).await;
    let mut driver = listening.driver(None).await;
    driver.query(CATALOGUE).await.unwrap();
    for (query, code, message) in [
        ("MATCH (n) RETRUN n", "Statement.SyntaxError", "line 1, column 11: expected a clause"),
        ("CALL db.label()", "Statement.SyntaxError", "did you mean db.labels?"),
        ("SHOW DATABASES", "Statement.SyntaxError", "SHOW is not supported; CALL db.labels()"),
        ("RETURN $x", "Statement.ParameterMissing", "the parameter $x is missing"),
        ("RETURN 1 + [1] - 'a'", "Statement.TypeError", ""),
        ("RETURN 1 / 0", "Statement.ArgumentError", ""),
        ("MATCH (t:Team {name: 'Team A'}) DELETE t", "Schema.ConstraintValidationFailed", "DETACH DELETE"),
        ("UNWIND range(1, 3000000) AS x RETURN x", "Statement.BudgetReached", "budget"),
    ] {
        let (found, text) = driver.query(query).await.unwrap_err();
        assert!(
            found == format!("Neo.ClientError.{code}") && text.contains(message),
            "{query}: {found}: {text}"
        );
    }
    let parameters = extra(&[("x", BoltValue::Bytes(vec![1]))]);
    let (code, message) = driver.run("RETURN $x", parameters, BoltDict::new()).await.unwrap_err();
    assert_eq!(code, "Neo.ClientError.Statement.TypeError");
    assert!(message.contains("the parameter $x") && message.contains("Base64"), "{message}");
    for (setting, code) in [
        (("mode", "r".into()), "Neo.ClientError.Statement.AccessMode"),
        (("db", "n".repeat(1000).into()), "Neo.ClientError.Request.Invalid"),
        (("imp_user", "root".into()), "Neo.ClientError.Security.Forbidden"),
    ] {
        let refused = driver.run("CREATE (:X)", BoltDict::new(), extra(&[setting])).await.unwrap_err();
        assert_eq!(refused.0, code, "{}", refused.1);
    }
    // Nothing of it was written, and the connection continues.
    assert_eq!(driver.rows("MATCH (n) RETURN count(n)").await, [[BoltValue::Integer(6)]]);
}

#[tokio::test]
async fn a_transaction_is_written_as_a_whole_or_not_at_all() {
    let stand = Stand::new().await;
    let listening = Listening::start(&stand.server).await;
    let (mut driver, mut other) = (listening.driver(None).await, listening.driver(None).await);
    let count = "MATCH (n) RETURN count(n)";
    let number = |number: i64| [[BoltValue::Integer(number)]];

    driver.begin(&[]).await.unwrap();
    driver.query("CREATE (:A {name: 'a'})").await.unwrap();
    driver.query("MATCH (a:A) CREATE (a)-[:X]->(:B)").await.unwrap();
    assert_eq!(driver.rows(count).await, number(2));
    assert_eq!(other.rows(count).await, number(0));
    driver.ask(ClientMessage::Rollback).await.unwrap();
    assert_eq!(driver.rows(count).await, number(0));

    driver.begin(&[]).await.unwrap();
    driver.query("CREATE (:A {name: 'a', n: 0})").await.unwrap();
    driver.query("MATCH (a:A) CREATE (a)-[:X]->(:B)").await.unwrap();
    driver.ask(ClientMessage::Commit).await.unwrap();
    assert_eq!(other.rows("MATCH (:A)-[:X]->(b:B) RETURN count(b)").await, number(1));

    // A query that fails ends the transaction and undoes its earlier queries.
    driver.begin(&[]).await.unwrap();
    driver.query("CREATE (:C)").await.unwrap();
    assert_eq!(driver.query("RETURN $x").await.unwrap_err().0, "Neo.ClientError.Statement.ParameterMissing");
    assert_eq!(driver.rows(count).await, number(2));
    // So does a client that disconnects.
    let mut gone = listening.driver(None).await;
    gone.begin(&[]).await.unwrap();
    gone.query("CREATE (:C)").await.unwrap();
    drop(gone);
    // Another client changes the same data.
    driver.begin(&[]).await.unwrap();
    driver.query("MATCH (a:A) SET a.n = a.n + 1").await.unwrap();
    other.query("MATCH (a:A) SET a.n = a.n + 1").await.unwrap();
    let (code, message) = driver.ask(ClientMessage::Commit).await.unwrap_err();
    assert_eq!(code, "Neo.TransientError.Transaction.Outdated");
    assert!(message.contains("nothing of the transaction is written"), "{message}");
    assert_eq!(driver.rows("MATCH (a:A) RETURN a.n").await, number(1));
    assert_eq!(driver.rows(count).await, number(2));

    // A read-only transaction writes nothing.
    driver.begin(&[("mode", "r".into())]).await.unwrap();
    driver.query(count).await.unwrap();
    assert_eq!(driver.query("CREATE (:C)").await.unwrap_err().0, "Neo.ClientError.Statement.AccessMode");
    driver.begin(&[("tx_timeout", BoltValue::Integer(50))]).await.unwrap();
    driver.query("CREATE (:C)").await.unwrap();
    tokio::time::sleep(Duration::from_millis(60)).await;
    let refused = driver.ask(ClientMessage::Commit).await.unwrap_err();
    assert_eq!(refused.0, "Neo.ClientError.Transaction.TransactionTimedOut");
    assert_eq!(driver.rows(count).await, number(2));

    // Several results of a transaction are open at once.
    driver.begin(&[]).await.unwrap();
    let run = |query: &str| ClientMessage::Run {
        query: query.to_owned(),
        parameters: BoltDict::new(),
        extra: BoltDict::new(),
    };
    let first = driver.ask(run("RETURN 1")).await.unwrap()["qid"].clone();
    driver.ask(run("RETURN 2")).await.unwrap();
    driver
        .send(&ClientMessage::Pull { extra: extra(&[("n", BoltValue::Integer(-1)), ("qid", first)]) })
        .await;
    let Some(ServerMessage::Record { data }) = driver.receive().await else { panic!("no record") };
    assert_eq!(data, [BoltValue::Integer(1)]);
}

#[tokio::test]
async fn keys_roles_and_workspaces_are_those_of_http() {
    let (stand, keys) =
        Stand::with_keys(&[(Role::Read, &["a"]), (Role::Write, &["a", "b"]), (Role::Read, &[])]).await;
    let listening = Listening::start(&stand.server).await;
    for key in [None, Some("qv_unknown"), Some("")] {
        let mut driver = listening.connect().await;
        let (code, message) = driver.log_in(key).await.unwrap_err();
        assert_eq!(code, "Neo.ClientError.Security.Unauthorized");
        assert!(message.contains("key"), "{message}");
        assert!(driver.is_closed().await);
    }
    // Nothing is answered before login.
    let mut early = listening.connect().await;
    early
        .send(&ClientMessage::Run {
            query: "RETURN 1".to_owned(),
            parameters: BoltDict::new(),
            extra: BoltDict::new(),
        })
        .await;
    assert!(matches!(early.receive().await, Some(ServerMessage::Failure { .. })));
    assert!(early.is_closed().await);

    let in_workspace = |name: &str| extra(&[("db", name.into())]);
    let none = BoltDict::new;
    let mut writer = listening.driver(Some(&keys[1])).await;
    assert_eq!(writer.query("RETURN 1").await.unwrap_err().0, "Neo.ClientError.Security.Forbidden");
    writer.run("CREATE (:X)", none(), in_workspace("a")).await.unwrap();
    let found = writer.run("MATCH (n) RETURN count(n)", none(), in_workspace("b")).await.unwrap();
    assert_eq!(found.rows, [[BoltValue::Integer(0)]]);
    assert_eq!(found.summary["db"], "b".into());
    // A transaction uses one workspace.
    writer.begin(&[("db", "b".into())]).await.unwrap();
    writer.query("CREATE (:Y)").await.unwrap();
    writer.ask(ClientMessage::Commit).await.unwrap();
    let found = writer.run("MATCH (y:Y) RETURN count(y)", none(), in_workspace("b")).await.unwrap();
    assert_eq!(found.rows, [[BoltValue::Integer(1)]]);

    let mut reader = listening.driver(Some(&keys[0])).await;
    // A key for a single workspace need not name it.
    assert_eq!(reader.rows("MATCH (n) RETURN count(n)").await, [[BoltValue::Integer(1)]]);
    let refused = reader.run("RETURN 1", none(), in_workspace("b")).await.unwrap_err();
    assert_eq!(refused.0, "Neo.ClientError.Security.Forbidden");
    let (code, message) = reader.query("CREATE (:Z)").await.unwrap_err();
    assert_eq!(code, "Neo.ClientError.Security.Forbidden");
    assert!(message.contains("`read`") && message.contains("`write`"), "{message}");
    reader.begin(&[]).await.unwrap();
    assert_eq!(reader.query("CREATE (:Z)").await.unwrap_err().0, "Neo.ClientError.Security.Forbidden");

    let file = stand.keys();
    let id = file.list()[0].id.clone();
    assert!(file.revoke(&id).unwrap());
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(reader.query("RETURN 1").await.unwrap_err().0, "Neo.ClientError.Security.Unauthorized");
    assert_eq!(writer.run("RETURN 1", none(), in_workspace("a")).await.unwrap().rows.len(), 1);
    assert!(listening.connect().await.log_in(Some(&keys[0])).await.is_err());
}

#[tokio::test]
async fn a_rate_is_shared_with_http() {
    let stand = Stand::with(Config { requests_per_minute: Some(2), ..Config::default() }).await;
    let listening = Listening::start(&stand.server).await;
    let mut driver = listening.driver(None).await;
    driver.query("RETURN 1").await.unwrap();
    let mut http = TcpStream::connect(listening.http).await.unwrap();
    let request = format!("GET /v1/stats HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", listening.http);
    http.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    http.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    assert_eq!(
        driver.query("RETURN 1").await.unwrap_err().0,
        "Neo.TransientError.Request.NoThreadsAvailable"
    );
}

#[tokio::test]
async fn the_server_ends_after_the_query_under_way_and_rolls_back() {
    let stand = Stand::new().await;
    let listening = Listening::start(&stand.server).await;
    let (mut busy, mut open) = (listening.driver(None).await, listening.driver(None).await);
    open.begin(&[]).await.unwrap();
    open.query("CREATE (:Lost)").await.unwrap();
    let slow = "UNWIND range(1, 300000) AS x WITH sum(x % 7) AS s RETURN s";
    let query =
        ClientMessage::Run { query: slow.to_owned(), parameters: BoltDict::new(), extra: BoltDict::new() };
    busy.send(&query).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let _ = listening.end.send(());
    assert!(matches!(busy.receive().await, Some(ServerMessage::Success { .. })));
    assert!(open.is_closed().await);
    timeout(Duration::from_secs(5), listening.served).await.expect("an end").unwrap();
    let listening = Listening::start(&Stand::of(stand.server.clone()).server).await;
    drop(listening);
    let body = serde_json::json!({ "query": "MATCH (n:Lost) RETURN count(n) AS count" });
    assert_eq!(stand.post("/v1/query", &body).await.ok()["rows"][0]["count"], 0);
}

fn brief() -> Config {
    let brief = Duration::from_millis(300);
    Config { head_time_max: brief, bolt_idle_time_max: brief, connections_max: 8, ..Config::default() }
}

#[tokio::test]
async fn slow_and_silent_clients_are_closed_and_others_are_served() {
    let stand = Stand::with(brief()).await;
    let listening = Listening::start(&stand.server).await;
    let mut slow = Vec::new();
    // Twice as many as there are places, ending at different points of the handshake.
    for number in 0..16 {
        let mut stream = TcpStream::connect(listening.address).await.unwrap();
        let bytes = [0x60, 0x60, 0xb0, 0x17, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0xb1];
        stream.write_all(&bytes[..number + 4]).await.unwrap();
        slow.push(stream);
    }
    listening.is_well().await;
    for mut stream in slow {
        let mut said = Vec::new();
        let _ = timeout(Duration::from_secs(3), stream.read_to_end(&mut said)).await.expect("an end");
    }
    // Sending a byte now and then is not a login either.
    let mut trickle = TcpStream::connect(listening.address).await.unwrap();
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(3) {
        if trickle.write_all(&[0x60]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(began.elapsed() < Duration::from_secs(2), "it is still open");
    let mut silent = listening.driver(None).await;
    assert!(silent.is_closed().await);
    listening.is_well().await;
}

#[tokio::test]
async fn for_a_new_connection_the_one_that_is_idle_for_the_longest_is_closed() {
    let stand = Stand::with(Config { connections_max: 3, ..Config::default() }).await;
    let listening = Listening::start(&stand.server).await;
    let mut first = listening.driver(None).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    let mut others = [listening.driver(None).await, listening.driver(None).await];
    tokio::time::sleep(Duration::from_millis(150)).await;
    listening.is_well().await;
    assert!(first.is_closed().await);
    for other in &mut others {
        let rows = other.rows("RETURN 1").await;
        assert_eq!(rows.len(), 1);
    }
}

/// Returns a message in chunks, without its end.
fn chunks(message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in message.chunks(60_000) {
        bytes.extend(u16::try_from(chunk.len()).unwrap().to_be_bytes());
        bytes.extend(chunk);
    }
    bytes
}

#[tokio::test]
async fn garbage_endless_messages_and_deep_nesting_harm_nobody() {
    const HANDSHAKE: [u8; 20] = [0x60, 0x60, 0xb0, 0x17, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let stand = Stand::new().await;
    let listening = Listening::start(&stand.server).await;
    assert_eq!(listening.say(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await, b"");
    assert_eq!(listening.say(&[0xff; 4096]).await, b"");
    // No common version.
    let old = [&HANDSHAKE[..4], &[0, 0, 4, 4], &[0; 12]].concat();
    assert_eq!(listening.say(&old).await, [0; 4]);
    for message in
        [vec![0xff; 100], vec![0xb1, 0x01, 0xdb, 0xff, 0xff, 0xff, 0xff], vec![0x91; 20_000], vec![0xb0]]
    {
        let said = listening.say(&[&HANDSHAKE[..], &chunks(&message), &[0, 0]].concat()).await;
        assert!(String::from_utf8_lossy(&said).contains("Neo.ClientError.Request.Invalid"), "{said:?}");
    }
    // Endless messages, before and after login.
    let said = listening.say(&[&HANDSHAKE[..], &chunks(&vec![0x80; 4 << 20])].concat()).await;
    assert!(String::from_utf8_lossy(&said).contains("message size exceeds limit"), "{said:?}");
    let mut driver = listening.driver(None).await;
    let long = ClientMessage::Run {
        query: "RETURN 1".to_owned(),
        parameters: extra(&[("x", "x".repeat(2 << 20).into())]),
        extra: BoltDict::new(),
    };
    driver.send(&long).await;
    let Some(ServerMessage::Failure { metadata }) = driver.receive().await else { panic!("no failure") };
    assert!(format!("{metadata:?}").contains("message size exceeds limit of 1048576 bytes"), "{metadata:?}");
    assert!(driver.is_closed().await);
    // Deeply nested parameters and results.
    let mut driver = listening.driver(None).await;
    let nested = (0..120).fold(BoltValue::Integer(1), |inner, _| BoltValue::List(vec![inner]));
    let found = driver.run("RETURN $x AS x", extra(&[("x", nested.clone())]), BoltDict::new()).await.unwrap();
    assert_eq!(found.rows, [[nested]]);
    let deep = (0..200).fold(BoltValue::Integer(1), |inner, _| BoltValue::List(vec![inner]));
    let refused = driver.run("RETURN $x AS x", extra(&[("x", deep)]), BoltDict::new()).await.unwrap_err();
    assert_eq!(refused.0, "Neo.ClientError.Request.InvalidFormat");
    let query = format!("RETURN {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(driver.query(&query).await.unwrap_err().0, "Neo.ClientError.Statement.SyntaxError");
    let query = "RETURN reduce(x = [], i IN range(1, 100000) | [x]) AS deep";
    assert_eq!(driver.query(query).await.unwrap_err().0, "Neo.ClientError.Statement.BudgetReached");
    listening.is_well().await;
}

#[tokio::test]
async fn a_certificate_is_that_of_https() {
    use rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    };
    let file = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name);
    let tls = Tls::open(file("first.pem"), file("first.key.pem")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let keys = Keys::open(directory.path().join("server.keys")).unwrap();
    let config = Config { tls: Some(Arc::new(tls)), ..Config::default() };
    let server = Server::new(quiver::Quiver::in_memory().await.unwrap(), keys, config);
    let listening = Listening::start(&server).await;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file("authority.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = TcpStream::connect(listening.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut driver = Driver::greet(connector.connect(name, stream).await.unwrap()).await;
    driver.log_in(None).await.unwrap();
    assert_eq!(driver.rows("RETURN 1").await, [[BoltValue::Integer(1)]]);
    // Without TLS, nothing is answered in Bolt.
    assert_ne!(listening.say(&[0x60, 0x60, 0xb0, 0x17]).await.first(), Some(&0));
}
