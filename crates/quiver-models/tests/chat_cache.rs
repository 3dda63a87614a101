//! Returned replies survive a kill at any point.
#![cfg(all(unix, feature = "testing"))]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::{
    collections::BTreeSet,
    env,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use quiver_models::{
    chat::{CachedChat, ChatModel, ChatRequest, Message},
    testing::{ScriptedChat, said},
};

const DIRECTORY: &str = "QUIVER_TEST_CHAT_CACHE";
const PASSAGES: usize = 200;
/// How often the child is killed.
const KILLS: u64 = 10;
/// Number of concurrent requests.
const AT_ONCE: usize = 4;

fn request(number: usize) -> ChatRequest {
    ChatRequest::new([Message::user(format!("{number}"))])
}

/// Appends a line to a file, in one write.
fn note(path: &Path, line: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Returns the lines that were completely written.
fn noted(path: &Path) -> Vec<String> {
    let notes = fs::read_to_string(path).unwrap_or_default();
    notes.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned).collect()
}

/// Asks for everything, and records each call to the model and each returned reply.
async fn ask_for_everything(directory: PathBuf) {
    let calls = directory.join("calls");
    let scripted = ScriptedChat::new().when(
        "all",
        |_| true,
        move |request| {
            note(&calls, &request.messages[0].text);
            // Large enough to take more than one write.
            Ok(said(request, &format!("{}|", request.messages[0].text).repeat(20_000)))
        },
    );
    let chat = CachedChat::open(scripted, directory.join("cache")).unwrap();
    for first in (0..PASSAGES).step_by(AT_ONCE) {
        let asked = (first..first + AT_ONCE).map(|number| {
            let (chat, directory) = (&chat, &directory);
            async move {
                let reply = chat.chat(&request(number)).await.unwrap();
                assert!(reply.text.split_terminator('|').all(|part| part == number.to_string()));
                note(&directory.join("returned"), &number.to_string());
            }
        });
        futures::future::join_all(asked).await;
    }
}

/// The child process; without its variable, it does nothing.
#[tokio::test]
async fn child() {
    if let Some(directory) = env::var_os(DIRECTORY) {
        ask_for_everything(directory.into()).await;
    }
}

#[test]
fn what_was_returned_is_never_asked_for_again() {
    let directory = tempfile::tempdir().unwrap();
    let [calls, returned] = ["calls", "returned"].map(|name| directory.path().join(name));
    let mut kills = 0;
    let mut returned_before = BTreeSet::new();
    for round in 0..=KILLS {
        let calls_before = noted(&calls).len();
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["child", "--exact"])
            .env(DIRECTORY, directory.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The last one is not killed.
        if round < KILLS {
            thread::sleep(Duration::from_millis(40 + round * round * 7919 % 97));
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        let again: Vec<String> =
            noted(&calls).drain(calls_before..).filter(|call| returned_before.contains(call)).collect();
        assert!(again.is_empty(), "{again:?} were returned before kill {kills}");
        returned_before.extend(noted(&returned));
        if status.success() {
            break;
        }
        kills += 1;
    }
    assert_eq!(returned_before.len(), PASSAGES);
    let calls = noted(&calls).len();
    println!("{calls} calls for {PASSAGES} requests, with {kills} kills");
    assert!(kills >= 3, "a test that kills nothing shows nothing: {kills} kills");
    assert!(calls <= PASSAGES + kills * AT_ONCE, "only what was under way is asked for again: {calls} calls");
}
