//! The client for applications: over a network, and over a directory that several of them share.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use quiver::{Document, Quiver};
use quiver_server::{
    Client, Config, DirectoryOptions, ErrorKind, Role, Server,
    forms::{
        Answered, Searched, Versioned,
        agent::RecallParameters,
        context::Packed,
        memory::{Recalled, Remembered},
        request::{Ask, Part, Query, Turn},
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use tokio::{net::TcpListener, sync::oneshot, task::JoinSet, time::sleep};

use crate::support::Stand;

/// A server on a port of its own.
struct Served {
    address: String,
    _end: oneshot::Sender<()>,
}

impl Served {
    async fn start(server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (end, told) = oneshot::channel::<()>();
        tokio::spawn(async move { server.serve(listener, async { drop(told.await) }).await });
        Self { address, _end: end }
    }
}

fn ships() -> [Document; 2] {
    [
        Document::new("ships/aurelia", "The Aurelia was built at the Norby yard in 1911.")
            .with_title("Aurelia"),
        Document::new("ships/norby", "The Norby yard was founded by Ida Holm in Bergen.")
            .with_title("Norby yard"),
    ]
}

/// Options of a process that waits for others as long as a test may take.
fn patient() -> DirectoryOptions {
    DirectoryOptions { wait: Duration::from_mins(2), ..DirectoryOptions::default() }
}

#[tokio::test]
async fn a_server_does_what_the_methods_say() {
    let served = Served::start(Stand::new().await.server).await;
    let client = Client::connect(&served.address).await.unwrap();
    assert_eq!(client.ingest(ships()).await.unwrap().documents.added, 2);
    let answered = client.ask("Who founded the Norby yard?").await.unwrap();
    assert_eq!(answered.answer.as_deref(), Some("Ida Holm"));
    assert_eq!(answered.citations[0].title, "Norby yard");
    let one = Ask { passages: Some(1), ..Ask::new("the Norby yard") };
    let searched = client.search(one.clone()).await.unwrap();
    let next = client.search_from(one, searched.next.as_deref().unwrap()).await.unwrap();
    assert_ne!(searched.passages[0].passage, next.passages[0].passage);
    let turn = Turn { session: Some("kitchen".to_owned()), ..Turn::new("Mara works at Tidewater.") };
    assert_eq!(client.remember([turn]).await.unwrap().turns[0].facts[0].object, "Tidewater");
    assert_eq!(client.recall("Where does Mara work?").await.unwrap().answer.as_deref(), Some("Tidewater"));
    assert!(client.context("Where does Mara work?").await.unwrap().text.contains("Tidewater"));
    let queried = client.query("MATCH (e {name: 'Ida Holm'}) RETURN e.name AS name").await.unwrap();
    assert_eq!(queried.rows[0]["name"], "Ida Holm");
    let part = Part { after: Some("ships/aurelia".to_owned()), ..Part::default() };
    assert_eq!(client.documents(&part).await.unwrap().documents[0].key, "ships/norby");
    assert_eq!(client.delete("ships/norby").await.unwrap().documents, 1);
    assert_eq!(client.delete("ships/norby").await.unwrap().missing, ["ships/norby"]);
    assert_eq!(client.stats().await.unwrap().documents, 1);
    let other = client.clone().in_workspace("other");
    assert_eq!(other.stats().await.unwrap().documents, 0);
}

#[tokio::test]
async fn keys_limit_what_a_client_does_and_errors_keep_the_problem() {
    let config = Config { requests_per_minute: Some(6), ..Config::default() };
    let (stand, keys) = Stand::with_keys_and(config, &[(Role::Read, &["a"]), (Role::Write, &["b"])]).await;
    let served = Served::start(stand.server.clone()).await;
    let client = Client::connect(&served.address).await.unwrap();
    let refused = client.stats().await.unwrap_err();
    assert_eq!((refused.kind(), refused.code()), (ErrorKind::Forbidden, Some("unauthorized")));

    let reader = client.clone().with_key(&keys[0]);
    assert_eq!(reader.stats().await.unwrap().workspace, "a");
    let refused = reader.remember(["Mara works at Tidewater."]).await.unwrap_err();
    assert_eq!((refused.kind(), refused.status()), (ErrorKind::Forbidden, Some(403)));
    assert!(!refused.is_retryable());
    let many = Ask { passages: Some(400), ..Ask::new("Where?") };
    let refused = reader.ask(many).await.unwrap_err();
    assert_eq!((refused.kind(), refused.code()), (ErrorKind::Invalid, Some("invalid")));
    assert_eq!((refused.place(), refused.message()), (Some("passages"), "must be from 1 to 50"));
    assert_eq!(refused.to_string(), "passages: must be from 1 to 50");
    let refused = reader.query("CREATE (n)").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused}");

    let writer = client.with_key(&keys[1]);
    writer.remember(["Mara works at Tidewater."]).await.unwrap();
    let mut refused = None;
    for _ in 0..10 {
        refused = refused.or(writer.stats().await.err());
    }
    let refused = refused.expect("a limit on requests");
    assert_eq!((refused.kind(), refused.code()), (ErrorKind::Busy, Some("too_many_requests")));
    assert!(refused.is_retryable() && refused.retry_after().is_some_and(|after| !after.is_zero()));
}

#[tokio::test]
async fn an_address_where_nobody_answers_is_named_and_a_connection_that_was_idle_for_long_is_replaced() {
    let refused = Client::connect("http://127.0.0.1:1").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unreachable);
    assert!(refused.to_string().contains("http://127.0.0.1:1"), "{refused}");
    let config = Config { head_time_max: Duration::from_millis(100), ..Config::default() };
    let served = Served::start(Stand::with(config).await.server).await;
    let client = Client::connect(&served.address).await.unwrap();
    for _ in 0..3 {
        client.stats().await.unwrap();
        sleep(Duration::from_millis(250)).await;
    }
}

/// Reads a form as a client does, and writes it as the server does.
fn read<T: Serialize + DeserializeOwned>(reply: &str) {
    let form: Versioned<T> = serde_json::from_str(reply).unwrap();
    assert_eq!(serde_json::to_string(&form).unwrap(), reply);
}

#[tokio::test]
async fn a_form_that_is_read_is_the_one_that_was_written() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let asked = json!({ "question": "Who founded the yard where the Aurelia was built?", "trace": true });
    let answered = stand.post("/v1/ask", &asked).await.text();
    assert!(answered.contains("plain_rank"), "{answered}");
    read::<Answered>(&answered);
    read::<Answered>(&stand.post("/v1/ask", &json!({ "question": "Who baked the bread?" })).await.text());
    read::<Searched>(&stand.post("/v1/search", &asked).await.text());
    let turns =
        json!({ "turns": [{ "text": "Mara works at Tidewater." }, { "text": "Mara left Tidewater." }] });
    read::<Remembered>(&stand.post("/v1/remember", &turns).await.text());
    let asked = json!({ "question": "Where does Mara work?" });
    read::<Recalled>(&stand.post("/v1/recall", &asked).await.text());
    read::<Packed>(&stand.post("/v1/context", &asked).await.text());
    let later = json!({ "version": 2, "question": "?", "passages": [] });
    let refused = serde_json::from_value::<Versioned<Searched>>(later).unwrap_err();
    assert!(refused.to_string().contains("version 2"), "{refused}");
}

#[tokio::test]
async fn a_directory_that_another_process_has_for_itself_is_busy() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("data");
    let own = Quiver::open(&path).await.unwrap();
    let options = DirectoryOptions { wait: Duration::from_millis(100), ..DirectoryOptions::default() };
    let refused = Client::open_with(&path, options.clone()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Busy, "{refused}");
    assert!(refused.is_retryable() && refused.to_string().contains("is held by"), "{refused}");
    drop(own);
    let client = Client::open_with(&path, options).await.unwrap();
    assert_eq!(client.stats().await.unwrap().workspace, "default");
    client.close().await;
    assert!(!path.join("quiver.sock").exists());
    Quiver::open(&path).await.unwrap();
}

/// Writes one turn and reads it.
async fn write(client: &Client, writer: usize, boat: usize) {
    let turn = Turn {
        session: Some(format!("client{writer}")),
        ..Turn::new(format!("Ann{writer} owns Boat{writer}x{boat}."))
    };
    let remembered = client.remember([turn]).await.unwrap();
    assert_eq!(remembered.turns[0].facts.len(), 1);
    let recalled = client.recall(format!("Who owns Boat{writer}x{boat}?")).await.unwrap();
    assert_eq!(recalled.answer, Some(format!("Ann{writer}")));
}

/// Compares the turns in the sessions of writers with the numbers of acknowledged ones.
async fn check(path: &Path, acknowledged: &[usize], more: usize) {
    let quiver = Quiver::open(path).await.unwrap();
    let sessions = quiver.sessions().await.unwrap();
    for (writer, acknowledged) in acknowledged.iter().enumerate() {
        let session = sessions.iter().find(|session| session.name == format!("client{writer}"));
        let turns = session.map_or(0, |session| usize::try_from(session.turns).unwrap());
        assert!(
            (*acknowledged..=acknowledged + more).contains(&turns),
            "{writer}: {acknowledged} of {turns}"
        );
    }
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn handles_of_one_directory_write_and_read_while_those_that_hold_it_close_it() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("data");
    let mut writers = JoinSet::new();
    for writer in 0..8 {
        let path = path.clone();
        writers.spawn(async move {
            for boat in 0..3 {
                // Each has the directory open in its own way, and one of them releases it for all.
                let client = Client::open_with(&path, patient()).await.unwrap();
                write(&client, writer, boat).await;
                client.close().await;
            }
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    check(&path, &[3; 8], 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_whose_path_is_too_long_for_a_socket_is_opened_in_turns() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x".repeat(120)).join("data");
    let mut writers = JoinSet::new();
    for writer in 0..2 {
        let path = path.clone();
        writers.spawn(async move {
            let client = Client::open_with(&path, patient()).await.unwrap();
            for boat in 0..3 {
                write(&client, writer, boat).await;
            }
            let before = RecallParameters { tokens: 50, ..RecallParameters::new("Who owns Boat0x0?") };
            client.recall(before).await.unwrap();
            assert_eq!(client.query(Query::new("RETURN 1 AS one")).await.unwrap().rows[0]["one"], 1);
            assert_eq!(client.ask("").await.unwrap_err().place(), Some("question"));
            client.close().await;
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    assert!(!path.join("quiver.sock").exists());
    check(&path, &[3; 2], 0).await;
}

/// The environment of a process that writes: the directory, and its number.
const PLACE: &str = "QUIVER_TEST_CLIENT";
const NUMBER: &str = "QUIVER_TEST_CLIENT_NUMBER";

/// Runs in the processes of the test below.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it writes until it is told to end"]
async fn writes_until_it_is_told_to_end() {
    let (Ok(path), Ok(number)) = (env::var(PLACE), env::var(NUMBER)) else { return };
    let number: usize = number.parse().unwrap();
    let path = Path::new(&path);
    let client = Client::open_with(path.join("data"), patient()).await.unwrap();
    for boat in 0.. {
        if path.join("end").exists() {
            break;
        }
        write(&client, number, boat).await;
        println!("\nacknowledged {}", boat + 1);
    }
    client.close().await;
}

#[test]
fn no_acknowledged_write_is_lost_when_processes_that_hold_the_directory_are_killed() {
    const WRITERS: usize = 8;
    const KILLS: usize = 4;
    let home = tempfile::tempdir().unwrap();
    let start = |number: usize| -> Child {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "client::writes_until_it_is_told_to_end", "--ignored", "--nocapture"])
            .env(PLACE, home.path())
            .env(NUMBER, number.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut children: Vec<Child> = (0..WRITERS).map(start).collect();
    let outputs: Vec<_> = children.iter_mut().map(|child| child.stdout.take().unwrap()).collect();
    let acknowledged: Vec<AtomicUsize> = (0..WRITERS).map(|_| AtomicUsize::new(0)).collect();
    let killed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for (output, acknowledged) in outputs.into_iter().zip(&acknowledged) {
            scope.spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if let Some(number) = line.strip_prefix("acknowledged ") {
                        acknowledged.store(number.parse().unwrap(), Ordering::Relaxed);
                    }
                }
            });
        }
        let done = || acknowledged.iter().map(|number| number.load(Ordering::Relaxed)).sum::<usize>();
        let began = Instant::now();
        while killed.lock().unwrap().len() < KILLS {
            let before = done();
            while done() < before + WRITERS {
                assert!(began.elapsed() < Duration::from_mins(5), "nobody writes");
                thread::sleep(Duration::from_millis(5));
            }
            let holder = fs::read_to_string(home.path().join("data/quiver.lock")).unwrap_or_default();
            let holder = children.iter_mut().find(|child| child.id().to_string() == holder.trim());
            if let Some(holder) = holder.filter(|child| !killed.lock().unwrap().contains(&child.id())) {
                holder.kill().unwrap();
                holder.wait().unwrap();
                killed.lock().unwrap().push(holder.id());
            }
        }
        fs::write(home.path().join("end"), "").unwrap();
    });
    let killed = killed.into_inner().unwrap();
    for child in &mut children {
        assert_eq!(child.wait().unwrap().success(), !killed.contains(&child.id()));
    }
    let acknowledged: Vec<usize> = acknowledged.iter().map(|number| number.load(Ordering::Relaxed)).collect();
    // A write that was running when its client was killed may be stored too, once.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(check(&home.path().join("data"), &acknowledged, 1));
}
