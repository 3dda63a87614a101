//! A mock endpoint for tests that can be scripted to fail.

use std::{
    fmt::Display,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::sleep,
};

/// A response of the endpoint.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: &'static str,
    /// The body, written part by part.
    pub(crate) parts: Vec<String>,
    /// The delay before anything is written.
    pub(crate) delay: Duration,
    pub(crate) ending: Ending,
}

/// How a response ends.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Ending {
    /// Normally.
    Whole,
    /// The connection closes before the announced length is reached.
    Cut,
    /// The connection is reset.
    Reset,
    /// No more data follows, and the connection stays open.
    Stall,
    /// The last part is repeated forever.
    Endless,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Display) -> Self {
        let parts = vec![body.to_string()];
        Self { status, headers: "", parts, delay: Duration::ZERO, ending: Ending::Whole }
    }

    /// Creates a stream of server-sent events with the given data, without the final `[DONE]` event.
    pub(crate) fn events<T: Display>(events: impl IntoIterator<Item = T>) -> Self {
        let parts = events.into_iter().map(|event| format!("data: {event}\n\n")).collect();
        Self { headers: "content-type: text/event-stream\r\n", parts, ..Self::new(200, "") }
    }

    pub(crate) fn with_headers(self, headers: &'static str) -> Self {
        Self { headers, ..self }
    }

    pub(crate) fn ending(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }
}

/// A mock endpoint that answers from a script and records its requests.
pub(crate) struct StandIn {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl StandIn {
    /// Starts listening. The script gets the number of the request, counted from 0, and its body.
    pub(crate) async fn start(script: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (script, seen) = (Arc::new(script), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&script), Arc::clone(&seen)));
            }
        });
        Self { url, asked }
    }

    /// Returns the head and the body of each request.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the body of each request.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.asked().into_iter().map(|(_, body)| body).collect()
    }
}

async fn answer(
    mut stream: TcpStream,
    script: Arc<impl Fn(usize, &Value) -> Answer>,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
) {
    let mut received = Vec::new();
    let (head, body) = loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.unwrap();
        if count == 0 {
            return;
        }
        received.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&received);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
        if body.len() >= length.parse::<usize>().unwrap() {
            break (head.to_owned(), serde_json::from_str(body).unwrap_or(Value::Null));
        }
    };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push((head, body.clone()));
        seen.len() - 1
    };
    let answer = script(number, &body);
    sleep(answer.delay).await;
    // The client may have closed the connection.
    let _ = write(&mut stream, answer).await;
}

async fn write(stream: &mut TcpStream, answer: Answer) -> std::io::Result<()> {
    let Answer { status, headers, parts, delay: _, ending } = answer;
    let length: usize = parts.iter().map(String::len).sum();
    let announced = if ending == Ending::Whole { length } else { length + 1_000_000_000 };
    let head =
        format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {announced}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    for part in &parts {
        stream.write_all(part.as_bytes()).await?;
        stream.flush().await?;
        if parts.len() > 1 {
            sleep(Duration::from_millis(2)).await;
        }
    }
    match ending {
        Ending::Whole | Ending::Cut => Ok(()),
        Ending::Reset => stream.set_zero_linger(),
        Ending::Stall => {
            sleep(Duration::from_mins(1)).await;
            Ok(())
        }
        Ending::Endless => loop {
            stream.write_all(parts[parts.len() - 1].as_bytes()).await?;
        },
    }
}
