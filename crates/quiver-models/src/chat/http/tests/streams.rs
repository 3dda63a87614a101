//! Streamed replies, and endpoints that don't stream.

use super::*;

/// An event with a piece of a reply.
fn piece(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
}

fn end(finish: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
}

/// Streams a request and returns the result and the pieces.
async fn stream(chat: &HttpChat) -> (Result<ChatReply>, Vec<String>) {
    let mut pieces = Vec::new();
    let reply = chat.stream(&hello(), &mut |piece| pieces.push(piece.to_owned())).await;
    (reply, pieces)
}

#[tokio::test]
async fn pieces_come_as_they_are_said() {
    let usage = json!({"choices": null, "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
    let events =
        [piece(""), piece("<thi"), piece("nk>Hm</think>\n"), piece("Żó"), piece("łw."), end("length"), usage];
    let endpoint = StandIn::start(move |_, _| {
        Answer::events(events.iter().map(Value::to_string).chain(["[DONE]".into()]))
    })
    .await;
    let (reply, pieces) = stream(&endpoint.chat()).await;
    let reply = reply.unwrap();
    assert_eq!(pieces, ["Żó", "łw."]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Żółw.", Finish::Length));
    assert_eq!(reply.usage, Usage { tokens_in: 7, tokens_out: 3, is_estimate: false });
    let body = &endpoint.bodies()[0];
    assert_eq!((&body["stream"], &body["stream_options"]), (&json!(true), &json!({"include_usage": true})));
}

#[tokio::test]
async fn a_stream_that_is_cut_is_an_error_and_not_repeated() {
    for ending in [Ending::Whole, Ending::Cut, Ending::Reset] {
        let endpoint =
            StandIn::start(move |_, _| Answer::events([piece("Half "), piece("of")]).ending(ending)).await;
        let (reply, pieces) = stream(&endpoint.chat()).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.to_string().contains("closed the connection"), "{error}");
        // A reset may overtake the data sent before it.
        assert!("Half of".starts_with(&pieces.concat()), "{pieces:?}");
        if ending != Ending::Reset {
            assert_eq!(pieces.concat(), "Half of");
            assert_eq!(endpoint.asked().len(), 1, "what was given can't be taken back");
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_before_its_first_word_is_repeated() {
    let endpoint = StandIn::start(|number, _| match number {
        0 => Answer::events([piece("")]).ending(Ending::Cut),
        1 => Answer::events([piece("")]),
        2 => Answer::new(500, ""),
        _ => Answer::events([piece("Hi."), end("stop")]),
    })
    .await;
    let (reply, pieces) = stream(&endpoint.chat()).await;
    assert_eq!((reply.unwrap().text.as_str(), pieces), ("Hi.", vec!["Hi.".to_owned()]));
    assert_eq!(endpoint.asked().len(), 4);
}

#[tokio::test]
async fn a_stream_that_stalls_is_given_up() {
    let endpoint = StandIn::start(|_, _| Answer::events([piece("Half of")]).ending(Ending::Stall)).await;
    let options = HttpChatOptions { timeout: Duration::from_millis(100), ..endpoint.chat_options() };
    let begun = Instant::now();
    let (reply, pieces) = stream(&HttpChat::open(options).unwrap()).await;
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert!(reply.unwrap_err().to_string().contains("did not respond within 100ms"));
    assert_eq!(pieces, ["Half of"]);
}

#[tokio::test]
async fn runaway_streams_are_cut_off() {
    let one_line = Answer { parts: vec!["data: ".to_owned() + &"x".repeat(1_000)], ..Answer::events([""]) };
    let thoughts = json!({"choices": [{"delta": {"reasoning_content": "hm ".repeat(100)}}]});
    for answer in [Answer::events([piece("and on ")]), one_line, Answer::events([thoughts])] {
        let endpoint = StandIn::start(move |_, _| answer.clone().ending(Ending::Endless)).await;
        let options = HttpChatOptions { reply_bytes_max: 10_000, ..endpoint.chat_options() };
        let (reply, pieces) = stream(&HttpChat::open(options).unwrap()).await;
        assert_eq!(reply.unwrap_err().kind(), ErrorKind::Limit);
        assert!(pieces.concat().len() <= 10_000);
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_told() {
    let error = json!({"error": {"message": "out of memory", "code": 500}});
    let endpoint = StandIn::start(move |_, _| Answer::events([piece("Half"), error.clone()])).await;
    let (reply, pieces) = stream(&endpoint.chat()).await;
    let error = reply.unwrap_err();
    assert_eq!((error.kind(), pieces.concat().as_str()), (ErrorKind::Unavailable, "Half"));
    assert!(error.to_string().contains("out of memory"), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_does_not_stream_gives_one_piece() {
    let endpoint = StandIn::start(|_, _| {
        Answer::new(200, completion("Hello, you!")).with_headers("content-type: application/json\r\n")
    })
    .await;
    let (reply, pieces) = stream(&endpoint.chat()).await;
    assert_eq!((reply.unwrap().text.as_str(), pieces), ("Hello, you!", vec!["Hello, you!".to_owned()]));
}

#[tokio::test]
async fn a_refusal_may_be_streamed() {
    let no = |text: &str| json!({"choices": [{"delta": {"refusal": text}}]});
    let endpoint = StandIn::start(move |_, _| Answer::events([no("I "), no("can't."), end("stop")])).await;
    let (reply, pieces) = stream(&endpoint.chat()).await;
    assert_eq!(reply.unwrap().refusal.as_deref(), Some("I can't."));
    assert!(pieces.is_empty());
}
