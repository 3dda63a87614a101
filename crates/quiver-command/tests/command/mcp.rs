//! `quiver mcp` as an agent's client sees it: lines of JSON over standard input and output.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::support::Home;

/// A client with its own server, as every editor starts one.
pub(crate) struct Client {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut child = home.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let requests = child.stdin.take().unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, requests, replies, last: 0 };
        let initialize = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" }
        });
        let reply = client.request("initialize", &initialize);
        assert_eq!(reply["result"]["serverInfo"]["name"], "quiver", "{reply:#}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.requests, "{message}").unwrap();
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters }));
        loop {
            let mut line = String::new();
            assert_ne!(self.replies.read_line(&mut line).unwrap(), 0, "the server has ended");
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["id"] == self.last {
                return reply;
            }
        }
    }

    /// Calls a tool, which must succeed, and returns its structured result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let reply = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &reply["result"];
        assert!(result["isError"] != true && result["structuredContent"].is_object(), "{reply:#}");
        result["structuredContent"].clone()
    }

    /// Calls a tool, which must succeed. Returns `None` if the process has ended.
    fn try_call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        self.last += 1;
        let call = json!({ "name": tool, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": self.last, "method": "tools/call", "params": call });
        writeln!(self.requests, "{message}").ok()?;
        let mut line = String::new();
        if self.replies.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
            return None;
        }
        let reply: Value = serde_json::from_str(&line).unwrap();
        assert!(reply["id"] == self.last && reply["result"]["isError"] != true, "{reply:#}");
        Some(reply["result"]["structuredContent"].clone())
    }

    /// Calls a tool, which must fail, and returns its message.
    fn fail(&mut self, tool: &str, arguments: &Value) -> String {
        let reply = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let failed = &reply["result"];
        if failed["isError"] == true {
            return failed["content"][0]["text"].as_str().unwrap().to_owned();
        }
        reply["error"]["message"].as_str().unwrap_or_else(|| panic!("{reply:#}")).to_owned()
    }

    fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", &json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    /// Closes standard input, like a client that ends.
    pub(crate) fn end(self) {
        let Self { mut child, requests, .. } = self;
        drop(requests);
        assert!(child.wait().unwrap().success());
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_line_that_is_no_message_is_answered_with_an_error() {
    let home = Home::new();
    let mut client = Client::start(&home, &["mcp"]);
    for line in [&b"{\"jsonrpc\": nothing}\n"[..], b"{\"method\": \"caf\xe9\"}\n"] {
        client.requests.write_all(line).unwrap();
        let mut reply = String::new();
        client.replies.read_line(&mut reply).unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(-32700), &Value::Null), "{reply:#}");
    }
    assert!(!client.tools().is_empty());
    client.end();
}

#[test]
fn every_tool_has_schemas_and_says_whether_it_changes_anything() {
    let home = Home::new();
    let names = |tools: &[Value]| -> Vec<String> {
        let mut names: Vec<String> =
            tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let mut client = Client::start(&home, &["mcp"]);
    let tools = client.tools();
    assert_eq!(names(&tools), ["ask", "context", "forget", "open", "query", "recall", "remember", "search"]);
    for tool in &tools {
        assert!(!tool.to_string().contains("\"format\":\"uint"), "clients warn about it: {tool:#}");
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 40), "{tool:#}");
        assert!(tool["outputSchema"]["properties"].is_object(), "{tool:#}");
        for (name, parameter) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(parameter["description"].is_string(), "{name} of {tool:#}");
        }
        let changes = ["remember", "forget"].contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], !changes, "{tool:#}");
    }
    client.end();
    let mut client = Client::start(&home, &["mcp", "--tools", "all"]);
    assert_eq!(
        names(&client.tools()),
        [
            "ask",
            "context",
            "documents",
            "facts",
            "forget",
            "ingest",
            "open",
            "query",
            "recall",
            "remember",
            "search",
            "stats"
        ]
    );
    client.end();
}

#[test]
fn what_is_remembered_is_recalled_and_forgotten() {
    let home = Home::new();
    let mut client = Client::start(&home, &["mcp", "--tools", "all"]);
    let nothing = client.call("recall", &json!({ "question": "Who runs Redis?" }));
    assert!(nothing["answer"].is_null() && nothing["no_answer"].is_string(), "{nothing:#}");
    let told =
        json!({ "text": "Redis is run by Mo.", "session": "plan", "speaker": "Bo", "at": "2026-03-02" });
    let remembered = client.call("remember", &told);
    let silent = client.call("recall", &json!({ "question": "Where does Bo live?" }));
    assert!(silent["no_answer"].is_string() && silent["lines"] == json!([]), "{silent:#}");
    assert_eq!(silent["found"], json!(["Bo, 2026-03-02: Redis is run by Mo."]));
    assert_eq!(remembered["facts"].as_array().unwrap().len(), 1, "{remembered:#}");
    client.call(
        "remember",
        &json!({
            "text": "From now on Redis is run by Lena.", "session": "plan", "speaker": "Bo", "at": "2026-03-09"
        }),
    );
    let now = client.call("recall", &json!({ "question": "Who runs Redis?" }));
    assert_eq!(now["answer"], "Lena", "{now:#}");
    let then = client.call("recall", &json!({ "question": "Who runs Redis?", "as_of": "2026-03-05" }));
    assert_eq!(then["answer"], "Mo", "{then:#}");
    let history = client.call("facts", &json!({ "about": "Redis", "history": true }));
    let holds: Vec<bool> =
        history["facts"].as_array().unwrap().iter().map(|fact| fact["holds"] == true).collect();
    assert_eq!(holds.iter().filter(|holds| **holds).count(), 1, "{history:#}");
    let preview = client.call("forget", &json!({ "session": "plan" }));
    assert_eq!((&preview["dry_run"], &preview["turns"]), (&json!(true), &json!(2)), "{preview:#}");
    assert_eq!(client.call("recall", &json!({ "question": "Who runs Redis?" }))["answer"], "Lena");
    let forgotten = client.call("forget", &json!({ "session": "plan", "dry_run": false }));
    assert_eq!(forgotten["turns"], 2, "{forgotten:#}");
    assert!(client.call("recall", &json!({ "question": "Who runs Redis?" }))["answer"].is_null());
    client.end();
}

#[test]
fn documents_are_searched_and_read_on() {
    let home = Home::new();
    let page: String = (0..60)
        .map(|number| format!("Paragraph {number} tells of the lamp in tower {number}.\n\n"))
        .collect();
    home.write("docs/lamps.md", format!("# Lamps\n\n{page}"));
    home.write("docs/keeper.md", "# Keeper\n\nThe keeper of the lamps is Ida Holm.\n");
    home.run(&["ingest", "docs", "--source", "docs"]).expect(0);
    let mut client = Client::start(&home, &["mcp", "--tools", "all"]);
    assert_eq!(client.call("documents", &json!({}))["documents"], json!(["docs:keeper.md", "docs:lamps.md"]));
    let found = client.call("search", &json!({ "query": "keeper of the lamps" }));
    assert_eq!(found["passages"][0]["document"], "docs:keeper.md", "{found:#}");
    let only = json!({ "query": "keeper of the lamps", "documents": ["docs:lamps.md"] });
    let found = client.call("search", &only);
    let all_of = |found: &Value| found["passages"].as_array().unwrap().clone();
    assert!(all_of(&found).iter().all(|one| one["document"] == "docs:lamps.md"), "{found:#}");
    let found = client.call(
        "search",
        &json!({ "query": "keeper of the lamps", "filter": { "metadata": { "team": "harbour" } } }),
    );
    assert!(all_of(&found).is_empty(), "no document has such metadata: {found:#}");
    // The budget cuts the list before its limit, and the next call goes on with what was cut.
    let (mut names, mut next) = (Vec::new(), Value::Null);
    loop {
        let asked = json!({ "query": "lamp in tower", "limit": 2, "tokens": 1, "from": next });
        let found = client.call("search", &asked);
        names.extend(all_of(&found).iter().map(|one| one["name"].as_str().unwrap().to_owned()));
        assert_eq!(all_of(&found).len(), 1, "one passage is always returned: {found:#}");
        next = found["next"].clone();
        if next.is_null() {
            break;
        }
    }
    let whole = client.call("search", &json!({ "query": "lamp in tower", "limit": 50, "tokens": 100_000 }));
    let whole: Vec<_> = all_of(&whole).iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    assert!(whole.len() > 2 && names == whole, "{names:?} {whole:?}");
    let wrong = client.fail("search", &json!({ "query": "lamps", "from": "docs:lamps.md" }));
    assert!(wrong.starts_with("`from`: "), "{wrong}");
    let (mut name, mut text) = ("docs:lamps.md".to_owned(), String::new());
    for _ in 0..100 {
        let opened = client.call("open", &json!({ "name": name, "tokens": 60 }));
        text.push_str(opened["text"].as_str().unwrap());
        match opened["next"].as_str() {
            Some(next) => next.clone_into(&mut name),
            None => break,
        }
    }
    assert!((0..60).all(|number| text.contains(&format!("tower {number}."))), "{text}");
    let preview = client.call("forget", &json!({ "document": "docs:lamps.md" }));
    assert_eq!(preview["dry_run"], true);
    client.call("forget", &json!({ "document": "docs:lamps.md", "dry_run": false }));
    assert_eq!(client.call("stats", &json!({}))["documents"], 1);
    client.end();
}

/// Over the socket of the directory, and with a path that is too long for one.
#[test]
fn a_client_that_asks_is_told_how_far_a_call_is() {
    let home = Home::new();
    let long = format!("{}/data", "long-names-of-directories".repeat(6));
    for path in ["data", &long] {
        let mut client = Client::start(&home, &["mcp", "--tools", "all", "--path", path]);
        let document = |number: usize| json!({ "name": format!("ships/{number}"), "text": format!("Ship {number} was built in Bergen.") });
        let documents: Vec<Value> = (0..200).map(document).collect();
        client.last += 1;
        let call = json!({ "name": "ingest", "arguments": { "documents": documents }, "_meta": { "progressToken": 7 } });
        client.send(&json!({ "jsonrpc": "2.0", "id": client.last, "method": "tools/call", "params": call }));
        let mut told = Vec::new();
        let reply = loop {
            let mut line = String::new();
            assert_ne!(client.replies.read_line(&mut line).unwrap(), 0, "the server has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == client.last {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress", "{message:#}");
            assert_eq!(
                (&message["params"]["progressToken"], &message["params"]["total"]),
                (&json!(7), &json!(200.0))
            );
            told.push(message["params"]["progress"].as_f64().unwrap());
        };
        assert_eq!(reply["result"]["structuredContent"]["added"], 200, "{reply:#}");
        assert!(told.len() > 2 && told.is_sorted() && told.last() == Some(&200.0), "{told:?}");
        assert_eq!(client.call("stats", &json!({}))["documents"], 200);
        client.end();
    }
}

#[test]
fn a_wrong_call_says_what_to_do() {
    let home = Home::new();
    let mut client = Client::start(&home, &["mcp"]);
    for (tool, arguments, expected) in [
        ("recall", json!({ "question": " " }), "`question` must not be empty"),
        ("recall", json!({ "question": "Who?", "as_of": "soon" }), "2026-03-01"),
        ("recall", json!({ "query": "Who?" }), "query"),
        ("remember", json!({}), "give `text`"),
        ("open", json!({ "name": "nothing.md" }), "`search` returns the names of documents"),
        ("forget", json!({}), "say what to forget"),
        ("forget", json!({ "about": "Nobody", "dry_run": false }), "Nobody"),
        ("forget", json!({ "document": "nothing.md", "dry_run": false }), "nothing.md"),
    ] {
        let said = client.fail(tool, &arguments);
        assert!(said.contains(expected), "{tool} {arguments}: {said}");
    }
    client.end();
}

/// A server answers a client's messages until the server ends.
#[cfg(all(unix, feature = "serve"))]
#[test]
fn a_client_goes_on_where_a_server_holds_the_directory_and_when_it_has_ended() {
    let home = Home::new();
    let server = crate::serve::Server::start(&home, &[]);
    let mut client = Client::start(&home, &["mcp", "--tools", "all", "--wait", "60"]);
    let told = |text: &str| json!({ "text": text, "session": "plan", "speaker": "Bo" });
    let remembered = client.call("remember", &told("Redis is run by Mo."));
    assert_eq!(remembered["facts"][0]["object"], "Mo", "{remembered:#}");
    // The server and the command see it at once.
    let known = home.run(&["recall", "Who runs Redis?", "--wait", "0", "--json"]).expect(0).json();
    assert_eq!(known["answer"], "Mo", "{known:#}");
    assert!(client.fail("recall", &json!({ "question": " " })).contains("`question` must not be empty"));
    assert_eq!(client.tools().len(), 12);
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(client.call("recall", &json!({ "question": "Who runs Redis?" }))["answer"], "Mo");
    client.call("remember", &told("Boat9 is owned by Cid."));
    client.end();
    home.run(&["recall", "Who owns Boat9?", "--wait", "60"]).expect(0);
}

/// Two clients of one directory, and the command in between; one client is killed.
#[test]
fn clients_and_the_command_share_a_directory() {
    let home = Home::new();
    let mut one = Client::start(&home, &["mcp", "--wait", "60"]);
    let mut other = Client::start(&home, &["mcp", "--wait", "60"]);
    for number in 0..3 {
        let fact = |owner: &str| json!({ "text": format!("{owner} owns Boat{number}."), "session": owner });
        one.call("remember", &fact("Ann"));
        other.call("remember", &fact("Bob"));
    }
    home.run(&["remember", "Cid owns Boat9.", "--session", "Cid", "--wait", "60"]).expect(0);
    one.kill();
    let known = other.call("recall", &json!({ "question": "Who owns Boat9?" }));
    assert_eq!(known["answer"], "Cid", "{known:#}");
    other.end();
    let sessions = home.run(&["sessions", "--wait", "60"]).expect(0);
    for line in ["3  Ann", "3  Bob", "1  Cid"] {
        assert!(sessions.stdout.contains(line), "{line:?} is not in {sessions:#?}");
    }
}

/// While a client's process holds the directory, it runs commands; one that needs the directory itself gets it when
/// there have been no calls for a moment.
#[cfg(all(unix, feature = "serve"))]
#[test]
fn commands_need_not_wait_for_a_client_that_holds_the_directory() {
    let home = Home::new();
    let mut client = Client::start(&home, &["mcp", "--wait", "60"]);
    client.call("recall", &json!({ "question": "Who runs Redis?" }));
    assert!(!home.path("quiver-data").exists(), "a question makes no database");
    client.call("remember", &json!({ "text": "Redis is run by Mo.", "session": "plan" }));
    let known = home.run(&["recall", "Who runs Redis?", "--wait", "0", "--json"]).expect(0).json();
    assert_eq!(known["answer"], "Mo", "{known:#}");
    let exported = home.run(&["export", "--wait", "60"]).expect(0).stdout;
    assert!(exported.contains("Redis is run by Mo."), "{exported}");
    assert!(!home.path("quiver-data/quiver.sock").exists());
    assert_eq!(client.call("recall", &json!({ "question": "Who runs Redis?" }))["answer"], "Mo");
    client.end();
    assert!(!home.path("quiver-data/quiver.sock").exists());
}

/// Eight clients write and read while four of their processes are killed, each while it held the directory.
#[cfg(all(unix, feature = "serve"))]
#[test]
fn no_acknowledged_write_is_lost_when_processes_that_hold_the_directory_are_killed() {
    use std::sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    };

    const CLIENTS: usize = 8;
    const KILLS: usize = 4;
    let home = Home::new();
    let (done, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let acknowledged: Vec<AtomicUsize> = (0..CLIENTS).map(|_| AtomicUsize::new(0)).collect();
    let survivors = Mutex::new(Vec::new());
    let clients: Vec<Client> =
        (0..CLIENTS).map(|_| Client::start(&home, &["mcp", "--wait", "120"])).collect();
    let processes: Vec<u32> = clients.iter().map(|client| client.child.id()).collect();
    std::thread::scope(|scope| {
        for (number, mut client) in clients.into_iter().enumerate() {
            let (done, ended, acknowledged, survivors) = (&done, &ended, &acknowledged[number], &survivors);
            scope.spawn(move || {
                for boat in 0.. {
                    if ended.load(Ordering::Relaxed) {
                        survivors.lock().unwrap().push(client);
                        return;
                    }
                    let text = format!("Ann{number} owns Boat{number}x{boat}.");
                    let told = json!({ "text": text, "session": format!("client{number}") });
                    let Some(written) = client.try_call("remember", &told) else { break };
                    assert_eq!(written["facts"].as_array().map(Vec::len), Some(1), "{written:#}");
                    acknowledged.store(boat + 1, Ordering::Relaxed);
                    let asked = json!({ "question": format!("Who owns Boat{number}x{boat}?") });
                    let Some(known) = client.try_call("recall", &asked) else { break };
                    assert_eq!(known["answer"], format!("Ann{number}"), "{known:#}");
                    done.fetch_add(1, Ordering::Relaxed);
                }
                // It was killed.
                assert_eq!(client.child.wait().unwrap().code(), None);
            });
        }
        let mut killed = Vec::new();
        while killed.len() < KILLS {
            let before = done.load(Ordering::Relaxed);
            while done.load(Ordering::Relaxed) < before + 2 * CLIENTS {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let holder = std::fs::read_to_string(home.path("quiver-data/quiver.lock")).unwrap();
            let Ok(holder) = holder.trim().parse::<u32>() else { continue };
            if processes.contains(&holder) && !killed.contains(&holder) {
                let kill = std::process::Command::new("kill").args(["-9", &holder.to_string()]).status();
                assert!(kill.unwrap().success());
                killed.push(holder);
            }
        }
        ended.store(true, Ordering::Relaxed);
    });
    let survivors = survivors.into_inner().unwrap();
    assert_eq!(survivors.len(), CLIENTS - KILLS);
    survivors.into_iter().for_each(Client::end);
    let sessions = home.run(&["sessions", "--json", "--wait", "60"]).expect(0).json();
    for (number, acknowledged) in acknowledged.iter().enumerate() {
        let acknowledged = acknowledged.load(Ordering::Relaxed);
        let name = format!("client{number}");
        let session = sessions["sessions"].as_array().unwrap().iter().find(|session| session["name"] == name);
        let turns = usize::try_from(session.unwrap()["turns"].as_u64().unwrap()).unwrap();
        // The write that was running when its client was killed may be stored too, once.
        assert!((acknowledged..=acknowledged + 1).contains(&turns), "{name}: {acknowledged} of {turns}");
    }
    home.run(&["verify"]).expect(0);
}

/// A call that waits for the directory is cancelled, and never answered.
#[cfg(all(unix, feature = "serve"))]
#[test]
fn a_call_that_is_cancelled_is_not_answered_and_holds_up_no_other() {
    let home = Home::with_documents();
    let mut ingest =
        home.command(&["ingest", "-", "--stdin-as", "jsonl"]).stdin(Stdio::piped()).spawn().unwrap();
    let lock = home.path("quiver-data/quiver.lock");
    while std::fs::read_to_string(&lock).unwrap_or_default() != ingest.id().to_string() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mut client = Client::start(&home, &["mcp", "--wait", "120"]);
    let asked = json!({ "name": "ask", "arguments": { "question": "Who founded the Norby yard?" } });
    client.send(&json!({ "jsonrpc": "2.0", "id": "unwanted", "method": "tools/call", "params": asked }));
    let cancelled = json!({ "requestId": "unwanted", "reason": "the user went on" });
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    writeln!(ingest.stdin.take().unwrap(), "{}", json!({ "id": "tide", "text": "The tide turns at noon." }))
        .unwrap();
    assert!(ingest.wait().unwrap().success());
    client.send(&json!({ "jsonrpc": "2.0", "id": "wanted", "method": "tools/call", "params": asked }));
    let mut line = String::new();
    client.replies.read_line(&mut line).unwrap();
    let reply: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(reply["id"], "wanted", "{reply:#}");
    assert_eq!(reply["result"]["structuredContent"]["answer"], "Ida Holm", "{reply:#}");
    client.end();
}
