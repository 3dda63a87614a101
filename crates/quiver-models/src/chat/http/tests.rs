//! Tests against an endpoint that fails in every way that endpoints are known to fail.

mod exchanges;
mod structure;
mod streams;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;
use crate::{
    chat::{Finish, Message, Usage},
    endpoint::{
        Key,
        stand_in::{Answer, Ending, StandIn},
    },
    testing::chat_conformance,
};

const SECRET: &str = "sk-very-secret-0123456789";

impl StandIn {
    fn chat_options(&self) -> HttpChatOptions {
        HttpChatOptions {
            key: Some(Key::new(SECRET)),
            timeout: Duration::from_millis(500),
            backoff: Duration::from_millis(5),
            jitter_seed: Some(1),
            ..HttpChatOptions::new(&self.url, "stand-in")
        }
    }

    fn chat(&self) -> HttpChat {
        HttpChat::open(self.chat_options()).unwrap()
    }

    /// Returns the error of a request, and asserts that the key does not appear in it.
    async fn chat_error(&self) -> Error {
        let chat = self.chat();
        let error = chat.chat(&hello()).await.unwrap_err();
        let told = format!("{error} {error:?} {chat:?} {:?}", chat.options);
        assert!(!told.contains(SECRET) && !told.contains("0123456789"), "{told}");
        error
    }
}

fn hello() -> ChatRequest {
    ChatRequest::new([Message::user("Hello!")])
}

/// A correct response.
fn completion(text: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "stand-in",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    })
}

fn choice(message: &Value, finish: &str) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})
}

#[tokio::test]
async fn an_endpoint_conforms() {
    let endpoint = StandIn::start(|_, request| {
        if request["stream"] == true {
            let piece = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
            let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
            let usage = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}});
            let events = [piece("Hello"), piece(", you"), piece("!"), end, usage];
            Answer::events(events.iter().map(Value::to_string).chain(["[DONE]".to_owned()]))
        } else {
            Answer::new(200, completion("Hello, you!"))
        }
    })
    .await;
    let chat = endpoint.chat();
    chat_conformance(&chat, &hello()).await;
    let reply = chat.chat(&hello()).await.unwrap();
    assert_eq!(reply.usage, Usage { tokens_in: 9, tokens_out: 4, is_estimate: false });
    let head = endpoint.asked()[0].0.to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {SECRET}")), "{head}");
}

#[tokio::test]
async fn refusals_are_told_apart_and_not_repeated() {
    let echo = json!({"error": {"message": format!("bad key {SECRET}"), "code": "bad"}});
    for (status, body, kind, words) in [
        (401, echo.clone(), ErrorKind::Unauthorized, "rejected the key with status 401."),
        (403, echo.clone(), ErrorKind::Unauthorized, "rejected the key with status 403."),
        (
            404,
            json!({"error": {"message": "The model `stand-in` does not exist.", "code": "model_not_found"}}),
            ErrorKind::NotFound,
            "does not know the model or the address with status 404: The model `stand-in` does not exist.",
        ),
        (400, echo.clone(), ErrorKind::Invalid, "bad key … (bad)"),
        (
            429,
            json!({"error": {"message": "pay", "code": "insufficient_quota"}}),
            ErrorKind::Limit,
            "quota is used up",
        ),
    ] {
        let endpoint = StandIn::start(move |_, _| Answer::new(status, &body)).await;
        let error = endpoint.chat_error().await;
        assert_eq!(error.kind(), kind, "{error}");
        // The full stop marks the end of the message: the endpoint's message about a rejected key must not be
        // included.
        assert!(format!("{error}.").contains(words), "{error}");
        assert!(!error.is_retryable());
        assert_eq!(endpoint.asked().len(), 1, "status {status} is not repeated");
    }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_told_whatever_the_status() {
    let llama = json!({"error": {
        "code": 500, "message": "the request exceeds the available context size", "type": "exceed_context_size_error",
    }});
    for status in [500, 400, 200] {
        let body = llama.clone();
        let endpoint = StandIn::start(move |_, _| Answer::new(status, &body)).await;
        let error = endpoint.chat_error().await;
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Limit, false), "{error}");
        assert_eq!(endpoint.asked().len(), 1, "it will not be shorter the next time");
    }
}

#[tokio::test]
async fn a_missing_key_is_asked_for_by_its_name() {
    let endpoint = StandIn::start(|_, _| Answer::new(401, "")).await;
    let chat = HttpChat::open(HttpChatOptions { key: None, ..endpoint.chat_options() }).unwrap();
    let error = chat.chat(&hello()).await.unwrap_err();
    assert!(error.to_string().contains("requires a key (set QUIVER_CHAT_API_KEY)"), "{error}");
}

#[tokio::test]
async fn an_asked_for_delay_is_kept() {
    for headers in ["retry-after: 0.3\r\n", "Retry-After: 0.3\r\n"] {
        let endpoint = StandIn::start(move |number, _| match number {
            0 => Answer::new(429, "slow down").with_headers(headers),
            _ => Answer::new(200, completion("Hi.")),
        })
        .await;
        let begun = Instant::now();
        assert_eq!(endpoint.chat().chat(&hello()).await.unwrap().text, "Hi.");
        assert!(begun.elapsed() >= Duration::from_millis(300), "{:?}", begun.elapsed());
        assert_eq!(endpoint.asked().len(), 2);
    }
}

#[tokio::test]
async fn a_delay_until_a_date_is_kept() {
    // HTTP dates have no fractions of seconds, so this one is one to two seconds away.
    let date = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(2));
    let headers: &'static str = Box::leak(format!("retry-after: {date}\r\n").into_boxed_str());
    let endpoint = StandIn::start(move |number, _| match number {
        0 => Answer::new(503, "later").with_headers(headers),
        _ => Answer::new(200, completion("Hi.")),
    })
    .await;
    let begun = Instant::now();
    endpoint.chat().chat(&hello()).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(900), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn without_a_delay_the_client_waits_by_itself() {
    let endpoint = StandIn::start(|number, _| match number {
        0 => Answer::new(429, "slow down"),
        1 => Answer::new(500, "oops"),
        _ => Answer::new(200, completion("Hi.")),
    })
    .await;
    let options = HttpChatOptions { backoff: Duration::from_millis(100), ..endpoint.chat_options() };
    let begun = Instant::now();
    HttpChat::open(options).unwrap().chat(&hello()).await.unwrap();
    // At least half of 100 ms, and then half of 200 ms.
    assert!(begun.elapsed() >= Duration::from_millis(150), "{:?}", begun.elapsed());
    assert_eq!(endpoint.asked().len(), 3);
}

#[tokio::test]
async fn repetitions_are_bounded() {
    let endpoint = StandIn::start(|_, _| Answer::new(503, format!("{SECRET} is overloaded"))).await;
    let error = endpoint.chat_error().await;
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Unavailable, true));
    assert_eq!(endpoint.asked().len(), 4);
    let endpoint = StandIn::start(|_, _| Answer::new(429, "").with_headers("retry-after: 3600\r\n")).await;
    let error = endpoint.chat_error().await;
    assert_eq!(error.retry_after(), Some(Duration::from_hours(1)), "the caller decides about long delays");
    assert_eq!(endpoint.asked().len(), 1);
}

#[tokio::test]
async fn a_delay_holds_for_all_requests() {
    let endpoint = StandIn::start(|number, _| match number {
        0 => Answer::new(429, "").with_headers("retry-after: 0.4\r\n"),
        _ => Answer::new(200, completion("Hi.")),
    })
    .await;
    let (chat, request) = (endpoint.chat(), hello());
    let begun = Instant::now();
    let first = chat.chat(&request);
    let second = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        chat.chat(&request).await.map(|_| begun.elapsed())
    };
    let (first, second) = tokio::join!(first, second);
    first.unwrap();
    assert!(second.unwrap() >= Duration::from_millis(400), "the second did not run into the same refusal");
    assert_eq!(endpoint.asked().len(), 3);
}

#[tokio::test]
async fn broken_connections_are_made_again() {
    let whole = completion("Hi.").to_string();
    for ending in [Ending::Reset, Ending::Cut] {
        let body = whole.clone();
        let endpoint = StandIn::start(move |number, _| match number {
            0 => Answer::new(200, &body[..40]).ending(ending),
            _ => Answer::new(200, &body),
        })
        .await;
        assert_eq!(endpoint.chat().chat(&hello()).await.unwrap().text, "Hi.");
        assert_eq!(endpoint.asked().len(), 2);
    }
    let endpoint = StandIn::start(|_, _| Answer::new(200, "{").ending(Ending::Reset)).await;
    let error = endpoint.chat_error().await;
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().ends_with("closed the connection"), "{error}");
    let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let options = HttpChatOptions { url: format!("http://{unused}"), ..endpoint.chat_options() };
    let error = HttpChat::open(options).unwrap().chat(&hello()).await.unwrap_err();
    assert!(error.to_string().contains("can't be reached"), "{error}");
}

#[tokio::test]
async fn waits_have_a_deadline() {
    let late = |ending| {
        let delay = if ending == Ending::Whole { Duration::from_mins(1) } else { Duration::ZERO };
        Answer { delay, ..Answer::new(200, "{").ending(ending) }
    };
    for ending in [Ending::Whole, Ending::Stall] {
        let endpoint = StandIn::start(move |_, _| late(ending)).await;
        let options = HttpChatOptions {
            timeout: Duration::from_millis(50),
            attempts_max: 2,
            ..endpoint.chat_options()
        };
        let begun = Instant::now();
        let error = HttpChat::open(options).unwrap().chat(&hello()).await.unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(2));
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains("did not respond within 50ms"), "{error}");
        assert_eq!(endpoint.asked().len(), 2);
    }
    let endpoint = StandIn::start(move |_, _| late(Ending::Endless)).await;
    let options = HttpChatOptions {
        duration_max: Duration::from_millis(100),
        reply_bytes_max: usize::MAX,
        attempts_max: 1,
        ..endpoint.chat_options()
    };
    let error = HttpChat::open(options).unwrap().chat(&hello()).await.unwrap_err();
    assert!(error.to_string().contains("within 100ms"), "{error}");
}

#[tokio::test]
async fn whatever_the_model_said_is_a_reply() {
    for (body, text, finish, refusal) in [
        (completion(""), "", Finish::Stop, None),
        (choice(&json!({"content": null}), "length"), "", Finish::Length, None),
        (
            choice(&json!({"content": null, "refusal": "I can't."}), "stop"),
            "",
            Finish::Stop,
            Some("I can't."),
        ),
        (choice(&json!({"content": "Half of"}), "length"), "Half of", Finish::Length, None),
        (choice(&json!({"content": "Withh"}), "content_filter"), "Withh", Finish::Filter, None),
        (choice(&json!({"content": "Odd."}), "load"), "Odd.", Finish::Other, None),
        (choice(&json!({"content": "<think>Hm.</think>\n\nYes."}), "stop"), "Yes.", Finish::Stop, None),
        (
            choice(
                &json!({"content": [{"type": "text", "text": "A"}, {"type": "text", "text": "b"}]}),
                "stop",
            ),
            "Ab",
            Finish::Stop,
            None,
        ),
        (choice(&json!({"content": {"a": [1]}}), "stop"), r#"{"a":[1]}"#, Finish::Stop, None),
    ] {
        let endpoint = StandIn::start(move |_, _| Answer::new(200, &body)).await;
        let reply = endpoint.chat().chat(&hello()).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.finish, reply.refusal.as_deref()), (text, finish, refusal));
        assert!(reply.usage.tokens_in > 0);
    }
}

#[tokio::test]
async fn answers_that_break_the_protocol_are_refused() {
    for (body, words) in [
        ("<html>welcome</html>".to_owned(), "the reply is not JSON"),
        (json!({"choices": []}).to_string(), "the reply has no choices"),
        (json!({"choices": "none"}).to_string(), "the reply has no choices"),
        (choice(&json!({"content": 42}), "stop").to_string(), "the reply has a message that is not text"),
        (
            json!({"error": {"message": format!("no {SECRET}"), "code": 400}}).to_string(),
            "returned an error: no …",
        ),
    ] {
        let endpoint = StandIn::start(move |_, _| Answer::new(200, &body)).await;
        let error = endpoint.chat_error().await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(endpoint.asked().len(), 1);
    }
    let busy = json!({"error": {"message": "upstream is busy", "code": 502}});
    let endpoint = StandIn::start(move |number, _| match number {
        0 => Answer::new(200, &busy),
        _ => Answer::new(200, completion("Hi.")),
    })
    .await;
    assert_eq!(endpoint.chat().chat(&hello()).await.unwrap().text, "Hi.", "a failure of the moment");
}

#[tokio::test]
async fn runaway_replies_are_cut_off() {
    let endpoint = StandIn::start(|_, _| Answer::new(200, "x".repeat(5_000)).ending(Ending::Endless)).await;
    let options = HttpChatOptions { reply_bytes_max: 100_000, ..endpoint.chat_options() };
    let error = HttpChat::open(options).unwrap().chat(&hello()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(endpoint.asked().len(), 1);
}

#[tokio::test]
async fn only_so_many_requests_are_under_way() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let endpoint = StandIn::start(|_, _| {
        MOST.fetch_max(UNDER_WAY.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // The response is sent after the counter is decremented, so the count is never too high.
        tokio::spawn(async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
        });
        Answer { delay: Duration::from_millis(60), ..Answer::new(200, completion("Hi.")) }
    })
    .await;
    let options = HttpChatOptions { requests_max: 2, ..endpoint.chat_options() };
    let (chat, request) = (HttpChat::open(options).unwrap(), hello());
    let replies = futures::future::join_all((0..8).map(|_| chat.chat(&request))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert_eq!(MOST.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn requests_per_minute_are_kept() {
    let endpoint = StandIn::start(|_, _| Answer::new(200, completion("Hi."))).await;
    let options = HttpChatOptions { requests_per_minute: Some(2), ..endpoint.chat_options() };
    let (chat, request) = (HttpChat::open(options).unwrap(), hello());
    chat.chat(&request).await.unwrap();
    chat.chat(&request).await.unwrap();
    let third = tokio::time::timeout(Duration::from_millis(200), chat.chat(&request)).await;
    assert!(third.is_err(), "the third waits for the next minute");
    assert_eq!(endpoint.asked().len(), 2);
}

#[tokio::test]
async fn addresses_and_requests_are_checked_first() {
    for url in ["nowhere", "ftp://a.example", "http://user:pass@a.example/v1", "http://a.example/v1?key=1"] {
        let error = HttpChat::open(HttpChatOptions::new(url, "m")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(!error.to_string().contains("pass"), "{error}");
    }
    let options =
        HttpChatOptions { key: Some(Key::new("new\nline")), ..HttpChatOptions::new("http://a.example", "m") };
    let error = HttpChat::open(options).unwrap_err();
    assert!(!format!("{error:?}").contains("line"), "{error:?}");
    let chat = HttpChat::open(HttpChatOptions::new("http://localhost:1", "m")).unwrap();
    assert_eq!(chat.chat(&ChatRequest::new([])).await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn futures_can_be_sent() {
    fn assert_send<T: Send>(_: T) {}
    let chat = HttpChat::open(HttpChatOptions::new("http://localhost:1", "m")).unwrap();
    let request = hello();
    assert_send(chat.chat(&request));
    assert_send(chat.stream(&request, &mut |_| {}));
}
