//! Clients built with the official SDKs of the Model Context Protocol, over both transports.

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    serve::Server,
    support::{Home, Run},
};

/// A client in a home, with a server started for it or one that is already running.
fn client(home: &Home, program: &[&str], fact: &str, question: &str, server: &[&str]) -> Command {
    let mut command = Command::new(program[0]);
    command
        .args(&program[1..])
        .args([fact, question])
        .args(server)
        .current_dir(home.path("."))
        .env("HOME", home.path("."));
    command
}

/// Runs a client to its end.
fn run(home: &Home, program: &[&str], fact: &str, question: &str, server: &[&str]) -> Value {
    let run = Run::of(client(home, program, fact, question, server).output().unwrap()).expect(0);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

/// Runs a client with a directory of its own and with a server, and then with what it remembered there.
fn check(program: &[&str]) {
    let home = Home::new();
    let quiver = env!("CARGO_BIN_EXE_quiver");
    let expected = |answer: &str, relations: u64| {
        json!({
            "tools": ["ask", "context", "forget", "open", "query", "recall", "remember", "search"],
            "answer": answer,
            "refused": true,
            "resources": ["quiver://stats", "quiver://schema"],
            "relations": relations,
            "prompts": ["brief", "keep", "memory"],
            "brief": true,
        })
    };
    let path = home.path("data").display().to_string();
    let over_stdio = [quiver, "mcp", "--path", &path, "--wait", "60"];
    let learned = run(&home, program, "Redis is run by Mo.", "Who runs Redis?", &over_stdio);
    assert_eq!(learned, expected("Mo", 1));
    let server = Server::start(&home, &["--path", "data", "--wait", "60"]);
    let address = format!("http://{}/mcp", server.address);
    let learned = run(&home, program, "Boat9 is owned by Cid.", "Who runs Redis?", &[&address]);
    assert_eq!(learned, expected("Mo", 2));
    // The directory is held by the server, which answers for the process that the client starts.
    let learned = run(&home, program, "Boat8 is owned by Ann.", "Who owns Boat9?", &over_stdio);
    assert_eq!(learned, expected("Cid", 3));
    assert_eq!(server.terminate(), Some(0));

    // Two at once in one directory; the first one, whose server holds it, is killed.
    let mut first = client(&home, program, "Boat7 is owned by Ida.", "", &over_stdio);
    let mut first = first.env("HOLD", "").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(first.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "holds");
    let learned = run(&home, program, "Boat6 is owned by Bo.", "Who owns Boat7?", &over_stdio);
    assert_eq!(learned, expected("Ida", 5));
    first.kill().unwrap();
    first.wait().unwrap();
    let learned = run(&home, program, "Boat5 is owned by Eve.", "Who owns Boat6?", &over_stdio);
    assert_eq!(learned, expected("Bo", 6));
}

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/clients").join(name).display().to_string()
}

#[test]
#[ignore = "needs node, and in QUIVER_TEST_MCP_NPM a directory where npm installed @modelcontextprotocol/sdk"]
fn the_typescript_sdk_uses_the_tools_resources_and_prompts() {
    let directory = env::var("QUIVER_TEST_MCP_NPM").unwrap();
    check(&["node", &script("client.mjs"), &directory]);
}

#[test]
#[ignore = "needs in QUIVER_TEST_MCP_PYTHON a python that has the package mcp"]
fn the_python_sdk_uses_the_tools_resources_and_prompts() {
    let python = env::var("QUIVER_TEST_MCP_PYTHON").unwrap();
    check(&[&python, &script("client.py")]);
}
