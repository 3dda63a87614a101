//! A stand-in for an OpenAI-compatible endpoint with a language model, which counts its requests.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// Answers a prompt.
type Says = dyn Fn(&Prompt) -> Reply + Send + Sync;

/// A prompt as a model sees it.
pub(crate) struct Prompt {
    /// The instructions.
    pub(crate) system: String,
    /// The user message.
    pub(crate) user: String,
    /// The headers of the request.
    pub(crate) head: String,
    /// The model that is asked.
    pub(crate) model: String,
}

/// An answer of the stand-in.
pub(crate) enum Reply {
    Text(String),
    /// A status and a body.
    Refused(u16, String),
    /// The text, with the connection cut before the end.
    Cut(String),
}

/// The endpoint.
pub(crate) struct StandIn {
    /// The value for `--chat`.
    pub(crate) setting: String,
    asked: Arc<Mutex<Asked>>,
}

#[derive(Default)]
struct Asked {
    /// The distinct prompts by number.
    prompts: Vec<String>,
    numbers: BTreeMap<String, usize>,
    /// The number of each call's prompt, in order.
    calls: Vec<usize>,
}

/// Added to the number of the prompt in the reported usage, so that a cached reply identifies its prompt.
pub(crate) const TOKENS_IN: usize = 1_000_000;

impl StandIn {
    /// Starts to listen. Every reply takes `delay`.
    pub(crate) fn start(delay: Duration, says: impl Fn(&Prompt) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let setting = format!("http:http://{}/v1#stand-in", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Asked>> = Arc::default();
        let (says, seen): (Arc<Says>, _) = (Arc::new(says), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (says, seen) = (Arc::clone(&says), Arc::clone(&seen));
                thread::spawn(move || {
                    // The client may be dead.
                    let _ = answer(stream?, delay, says.as_ref(), &seen);
                    Ok::<_, std::io::Error>(())
                });
            }
        });
        Self { setting, asked }
    }

    pub(crate) fn calls(&self) -> usize {
        self.asked.lock().unwrap().calls.len()
    }

    /// Returns the number of each call's prompt, in order.
    pub(crate) fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().calls.clone()
    }

    /// Returns the number of distinct prompts.
    pub(crate) fn prompts(&self) -> usize {
        self.asked.lock().unwrap().prompts.len()
    }
}

fn answer(mut stream: TcpStream, delay: Duration, says: &Says, seen: &Mutex<Asked>) -> std::io::Result<()> {
    let (head, body) = request(&mut stream)?;
    let text = |message: usize| body["messages"][message]["content"].as_str().unwrap_or_default().to_owned();
    let model = body["model"].as_str().unwrap_or_default().to_owned();
    let prompt = Prompt { system: text(0), user: text(1), head, model };
    let number = {
        let mut seen = seen.lock().unwrap();
        let key = format!("{}\n{}", prompt.system, prompt.user);
        let next = seen.prompts.len();
        let number = *seen.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            seen.prompts.push(key);
        }
        seen.calls.push(number);
        number
    };
    thread::sleep(delay);
    let usage = json!({"prompt_tokens": TOKENS_IN + number, "completion_tokens": 10});
    let (status, said, is_cut) = match says(&prompt) {
        Reply::Refused(status, body) => return write(&mut stream, status, "application/json", &body, false),
        Reply::Text(text) => (200, text, false),
        Reply::Cut(text) => (200, text, true),
    };
    if body["stream"] != true {
        let message = json!({"role": "assistant", "content": said});
        let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage});
        return write(&mut stream, status, "application/json", &whole.to_string(), is_cut);
    }
    let mut events = String::new();
    for piece in said.split_inclusive(' ') {
        let delta = json!({"choices": [{"delta": {"content": piece}, "finish_reason": null}]});
        write!(events, "data: {delta}\n\n").unwrap();
    }
    if !is_cut {
        let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage});
        write!(events, "data: {end}\n\ndata: [DONE]\n\n").unwrap();
    }
    write(&mut stream, status, "text/event-stream", &events, is_cut)
}

fn request(stream: &mut TcpStream) -> std::io::Result<(String, Value)> {
    let mut received = Vec::new();
    loop {
        let mut buffer = [0; 16384];
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        received.extend_from_slice(&buffer[..count]);
        let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&received[..end]).into_owned();
        let length = head.to_lowercase().lines().find_map(|line| {
            line.strip_prefix("content-length: ").and_then(|length| length.parse::<usize>().ok())
        });
        let body = &received[end + 4..];
        if body.len() >= length.unwrap_or(0) {
            return Ok((head, serde_json::from_slice(body).unwrap_or(Value::Null)));
        }
    }
}

fn write(stream: &mut TcpStream, status: u16, kind: &str, body: &str, is_cut: bool) -> std::io::Result<()> {
    // The announced bytes beyond the body never arrive.
    let length = body.len() + usize::from(is_cut) * 1000;
    let head = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

impl Prompt {
    /// Returns the job of the prompt.
    pub(crate) fn job(&self) -> &'static str {
        let jobs = [
            ("You read entities", "extract"),
            ("You order passages", "rerank"),
            ("You answer", "answer"),
            ("You read facts", "facts"),
        ];
        jobs.into_iter().find(|(begins, _)| self.system.starts_with(begins)).map_or("unknown", |(_, job)| job)
    }

    /// Returns the passages in the prompt: label, title and text.
    pub(crate) fn passages(&self) -> Vec<(String, String, String)> {
        let parts = self.user.split("<passage id=\"").skip(1);
        parts
            .map(|part| {
                let (label, rest) = part.split_once('"').unwrap();
                let (head, rest) = rest.split_once(">\n").unwrap();
                let title = head.split('"').nth(1).unwrap_or_default();
                let text = rest.split_once("\n</passage>").unwrap().0;
                (label.to_owned(), title.to_owned(), text.to_owned())
            })
            .collect()
    }

    /// Returns the label of the passage with this title.
    pub(crate) fn label(&self, title: &str) -> String {
        let passages = self.passages();
        let found = passages.iter().find(|(_, known, _)| known == title);
        found.map_or_else(|| panic!("no {title:?} in {passages:?}"), |(label, ..)| label.clone())
    }

    /// Returns an extraction that takes capitalised words for names.
    pub(crate) fn extraction(&self) -> String {
        let passages: Vec<Value> = self
            .passages()
            .into_iter()
            .map(|(label, _, text)| {
                let mut names: Vec<&str> = Vec::new();
                for word in text.split(|character: char| !character.is_alphanumeric()) {
                    if word.chars().count() > 3
                        && word.starts_with(char::is_uppercase)
                        && !names.contains(&word)
                    {
                        names.push(word);
                    }
                }
                names.truncate(3);
                let entity =
                    |name: &&str| json!({"name": name, "kind": "thing", "description": null, "aliases": []});
                let relations: Vec<Value> = names
                    .windows(2)
                    .map(|ends| json!({"subject": ends[0], "predicate": "stands near", "object": ends[1]}))
                    .collect();
                let entities: Vec<Value> = names.iter().map(entity).collect();
                json!({"id": label, "entities": entities, "relations": relations})
            })
            .collect();
        json!({ "passages": passages }).to_string()
    }
}
