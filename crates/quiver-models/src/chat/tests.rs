use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;

use super::{estimate::tokens, *};
use crate::{
    Error, ErrorKind,
    testing::{ScriptedChat, chat_conformance, said},
};

fn hello() -> ChatRequest {
    ask("Hello!")
}

fn ask(text: &str) -> ChatRequest {
    ChatRequest::new([Message::user(text)])
}

/// A model that answers everything, and a counter of its calls.
fn counted() -> (ScriptedChat, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let chat = ScriptedChat::new().when(
        "all",
        |_| true,
        move |request| {
            counter.fetch_add(1, Ordering::SeqCst);
            Ok(said(request, &format!("You said {}", request.messages[0].text)))
        },
    );
    (chat, calls)
}

#[tokio::test]
async fn the_scripted_model_and_the_wrappers_conform() {
    let directory = tempfile::tempdir().unwrap();
    let scripted = || ScriptedChat::new().on("Hello", "Hello to you, too!");
    chat_conformance(&scripted(), &hello()).await;
    chat_conformance(&CountingChat::new(scripted(), Prices::default()), &hello()).await;
    chat_conformance(&BudgetedChat::new(scripted(), Budget::default(), Prices::default()), &hello()).await;
    chat_conformance(&DeadlineChat::new(scripted(), Duration::from_mins(1)), &hello()).await;
    let all = CountingChat::new(
        CachedChat::open(
            BudgetedChat::new(Arc::new(scripted()), Budget::default(), Prices::default()),
            directory.path(),
        )
        .unwrap(),
        Prices::default(),
    );
    chat_conformance(&all, &hello()).await;
    assert_eq!(all.ledger().total.calls_cached, 4, "{}", all.ledger().total);
}

#[tokio::test]
async fn a_reply_is_asked_for_once() {
    let directory = tempfile::tempdir().unwrap();
    let (scripted, calls) = counted();
    let chat = CachedChat::open(scripted, directory.path()).unwrap();
    let first = chat.chat(&hello()).await.unwrap();
    assert!(!first.is_cached && !chat.contains(&ask("Bye!")).await && chat.contains(&hello()).await);
    assert!(chat.has(&hello()).await && !chat.has(&ask("Bye!")).await && !chat.inner().has(&hello()).await);
    let again = chat.chat(&hello().for_job("other")).await.unwrap();
    assert_eq!(again, ChatReply { is_cached: true, ..first.clone() });
    let mut pieces = Vec::new();
    chat.stream(&hello(), &mut |piece| pieces.push(piece.to_owned())).await.unwrap();
    assert_eq!(pieces, ["You said Hello!"]);
    assert_eq!(calls.load(Ordering::SeqCst), 1);

    let reopened = CachedChat::open(counted().0, directory.path()).unwrap();
    assert_eq!(reopened.chat(&hello()).await.unwrap(), again, "it survives the process");
    assert!(reopened.inner().requests().is_empty());
    reopened.forget(&hello()).await.unwrap();
    reopened.forget(&hello()).await.unwrap();
    assert!(!reopened.contains(&hello()).await);
}

#[tokio::test]
async fn whatever_differs_is_another_request() {
    let directory = tempfile::tempdir().unwrap();
    let (scripted, calls) = counted();
    let chat = CachedChat::open(scripted, directory.path()).unwrap();
    let requests = [
        hello(),
        ask("Hello!!"),
        ChatRequest::new([Message::system("Hello!")]),
        ChatRequest::new([Message::user("Hello!"), Message::user("")]),
        ChatRequest { temperature: None, ..hello() },
        ChatRequest { temperature: Some(0.5), ..hello() },
        ChatRequest { seed: Some(1), ..hello() },
        hello().with_tokens_max(1),
        hello().with_json("a", json!({"type": "object"})),
        hello().with_json("a", json!({"type": "array"})),
    ];
    for (number, request) in requests.iter().enumerate() {
        chat.chat(request).await.unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), number + 1, "{request:?}");
    }
    // The order of a schema's keys does not matter.
    let schema = |text: &str| hello().with_json("a", serde_json::from_str(text).unwrap());
    chat.chat(&schema(r#"{"type": "object", "title": "b"}"#)).await.unwrap();
    chat.chat(&schema(r#"{"title": "b", "type": "object"}"#)).await.unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), requests.len() + 1);
    let other = ScriptedChat::new().named("other").on("Hello", "Hi.");
    let other = CachedChat::open(other, directory.path()).unwrap();
    assert!(!other.chat(&hello()).await.unwrap().is_cached, "another model is another matter");
}

#[tokio::test(start_paused = true)]
async fn equal_requests_at_once_make_one_call() {
    let directory = tempfile::tempdir().unwrap();
    let (scripted, calls) = counted();
    let chat = CachedChat::open(Slow(scripted), directory.path()).unwrap();
    let request = hello();
    let (one, two, three) = tokio::join!(chat.chat(&request), chat.chat(&request), chat.chat(&request));
    assert!(!one.unwrap().is_cached && two.unwrap().is_cached && three.unwrap().is_cached);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    let given_up = tokio::time::timeout(Duration::from_millis(1), chat.chat(&ask("Bye!"))).await;
    assert!(given_up.is_err());
    assert_eq!(chat.chat(&ask("Bye!")).await.unwrap().text, "You said Bye!", "nobody waits for the dead");
    assert_eq!(chat.under_way(), 0, "nothing is left behind");
}

/// A model that takes 20 ms.
#[derive(Debug)]
struct Slow<M>(M);

#[async_trait::async_trait]
impl<M: ChatModel> ChatModel for Slow<M> {
    fn model(&self) -> &str {
        self.0.model()
    }

    async fn chat(&self, request: &ChatRequest) -> crate::Result<ChatReply> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.0.chat(request).await
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> crate::Result<ChatReply> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.0.stream(request, on_text).await
    }

    async fn has(&self, _: &ChatRequest) -> bool {
        false
    }
}

#[tokio::test]
async fn what_is_damaged_counts_as_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let (scripted, calls) = counted();
    let chat = CachedChat::open(scripted, directory.path()).unwrap();
    chat.chat(&hello()).await.unwrap();
    let mut folders = fs::read_dir(directory.path()).unwrap().map(|folder| folder.unwrap().path());
    let folder = folders.find(|folder| !folder.ends_with("partial")).unwrap();
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    let changed = String::from_utf8(whole.clone()).unwrap().replace("You said", "You sang").into_bytes();
    for (number, content) in [&whole[..whole.len() - 1], &whole[..10], b"", &changed].into_iter().enumerate()
    {
        fs::write(&file, content).unwrap();
        assert_eq!(chat.chat(&hello()).await.unwrap().text, "You said Hello!");
        assert_eq!(calls.load(Ordering::SeqCst), number + 2);
        assert_eq!(fs::read(&file).unwrap(), whole, "it is written anew");
    }
    fs::write(&file, changed).unwrap();
    assert!(!chat.contains(&hello()).await);
}

#[tokio::test]
async fn failures_and_silence_are_not_kept() {
    let directory = tempfile::tempdir().unwrap();
    let numbers = AtomicUsize::new(0);
    let scripted = ScriptedChat::new().when(
        "all",
        |_| true,
        move |request| match numbers.fetch_add(1, Ordering::SeqCst) {
            0 => Err(Error::new(ErrorKind::Unavailable, "busy")),
            1 => Ok(said(request, " ")),
            2 => Ok(ChatReply { refusal: Some("No.".to_owned()), ..said(request, "") }),
            _ => panic!("the refusal is kept"),
        },
    );
    let chat = CachedChat::open(scripted, directory.path()).unwrap();
    assert!(chat.chat(&hello()).await.is_err());
    assert_eq!(chat.chat(&hello()).await.unwrap().text, " ");
    for is_cached in [false, true] {
        let reply = chat.chat(&hello()).await.unwrap();
        assert_eq!((reply.refusal.as_deref(), reply.is_cached), (Some("No."), is_cached));
    }
}

#[tokio::test]
async fn a_reply_that_cannot_be_kept_is_returned() {
    let directory = tempfile::tempdir().unwrap();
    let chat = CachedChat::open(counted().0, directory.path().join("cache")).unwrap();
    fs::remove_dir_all(directory.path().join("cache")).unwrap();
    fs::write(directory.path().join("cache"), "in the way").unwrap();
    assert_eq!(chat.chat(&hello()).await.unwrap().text, "You said Hello!");
    assert_eq!(chat.unkept(), 1);
    let error = CachedChat::open(counted().0, directory.path().join("cache")).unwrap_err();
    assert!(error.to_string().contains("cache can't be used"), "{error}");
}

#[tokio::test]
async fn the_ledger_adds_up_by_job_and_question() {
    let directory = tempfile::tempdir().unwrap();
    let scripted = ScriptedChat::new().when(
        "all but one",
        |request| request.messages[0].text != "fail",
        |request| {
            let usage = Usage { tokens_in: 1000, tokens_out: 10, is_estimate: false };
            Ok(ChatReply { usage, ..said(request, "Yes.") })
        },
    );
    let prices = Prices { million_in: 2.5, million_out: 10.0 };
    let chat = CountingChat::new(CachedChat::open(scripted, directory.path()).unwrap(), prices);
    chat.chat(&ask("a").for_job("extract")).await.unwrap();
    chat.chat(&ask("b").for_job("rerank").for_question("q")).await.unwrap();
    chat.chat(&ask("c").for_job("answer").for_question("q")).await.unwrap();
    chat.chat(&ask("c").for_job("answer").for_question("q")).await.unwrap();
    chat.chat(&ask("fail").for_job("answer").for_question("r")).await.unwrap_err();
    let ledger = chat.ledger();
    let total = Tally { duration_us: 0, ..ledger.total };
    let expected = Tally {
        calls: 5,
        calls_cached: 1,
        calls_failed: 1,
        tokens_in: 3000,
        tokens_out: 30,
        tokens_saved: 1010,
        is_estimate: false,
        cost_nano: 7_800_000,
        duration_us: 0,
    };
    assert_eq!(total, expected);
    assert!(ledger.total.duration_us > 0 && (ledger.total.cost() - 0.0078).abs() < 1e-12);
    assert_eq!(ledger.jobs.keys().collect::<Vec<_>>(), ["answer", "extract", "rerank"]);
    assert_eq!(ledger.jobs["answer"].calls, 3);
    let question = ledger.question("q").unwrap();
    assert_eq!((question.calls, question.calls_cached, question.tokens_in), (3, 1, 2000));
    assert_eq!((ledger.question("r").unwrap().calls_failed, ledger.question("s")), (1, None));
    let stored = serde_json::to_string(&ledger).unwrap();
    assert_eq!(serde_json::from_str::<Ledger>(&stored).unwrap(), ledger);
    assert!(
        total.to_string().starts_with("5 calls (1 cached, 1 failed), 3000 tokens in, 30 out, 0.0078 spent")
    );
}

#[tokio::test]
async fn a_ledger_tells_so_many_questions_apart() {
    let mut ledger = Ledger::default();
    for number in 0..1_100 {
        let purpose = Purpose { job: "answer".to_owned(), question: Some(number.to_string()) };
        ledger.add(&purpose, None, &Prices::default(), Duration::ZERO);
    }
    assert_eq!((ledger.questions.len(), ledger.total.calls), (1_000, 1_100));
    assert!(ledger.question("99").is_none() && ledger.question("100").is_some());
}

#[tokio::test]
async fn a_budget_ends_the_work_before_it_is_exceeded_and_a_rerun_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let requests: Vec<ChatRequest> =
        (0..10).map(|number| ask(&format!("Passage {number}")).with_tokens_max(100)).collect();
    let (scripted, calls) = counted();
    let scripted = Arc::new(scripted);
    let most = estimate::usage_max(&requests[0]).tokens();
    let took = scripted.chat(&requests[0]).await.unwrap().usage.tokens();
    calls.store(0, Ordering::SeqCst);
    // Enough for two replies and the longest possible third.
    let tokens_max = Some(2 * took + most);
    let mut runs = 0;
    loop {
        runs += 1;
        let budget = Budget { tokens_max, ..Budget::default() };
        let budgeted = BudgetedChat::new(Arc::clone(&scripted), budget, Prices::default());
        let chat = CachedChat::open(budgeted, directory.path()).unwrap();
        let mut stopped = None;
        for request in &requests {
            if let Err(error) = chat.chat(request).await {
                stopped = Some(error);
                break;
            }
        }
        match stopped {
            None => break,
            Some(error) => {
                assert_eq!(error.kind(), ErrorKind::Budget, "{error}");
                assert!(!error.is_retryable());
                assert!(error.to_string().contains(&format!("of {} tokens", 2 * took + most)), "{error}");
                assert_eq!(calls.load(Ordering::SeqCst), 3 * runs, "it stops in time, and not too early");
            }
        }
    }
    assert_eq!((runs, calls.load(Ordering::SeqCst)), (4, 10), "no call is made twice");
}

#[tokio::test(start_paused = true)]
async fn calls_at_once_keep_within_the_budget() {
    let requests: Vec<ChatRequest> = (0..10).map(|number| ask(&format!("Passage {number}"))).collect();
    for budget in [
        Budget { calls_max: Some(4), ..Budget::default() },
        Budget { cost_max: Some(4.0 * 0.01), ..Budget::default() },
    ] {
        let (scripted, calls) = counted();
        let priced = Prices { million_in: 0.0, million_out: 10_000.0 / 2048.0 };
        let chat = BudgetedChat::new(Slow(scripted), budget, priced);
        let replies: Vec<_> =
            futures::future::join_all(requests.iter().map(|request| chat.chat(request))).await;
        let refused = replies.iter().filter_map(|reply| reply.as_ref().err());
        assert!(refused.clone().all(|error| error.kind() == ErrorKind::Budget));
        match budget.calls_max {
            Some(_) => assert_eq!((calls.load(Ordering::SeqCst), refused.count()), (4, 6)),
            // A call reserves 0.01 but costs far less, so the others wait until its cost is known.
            None => assert_eq!((calls.load(Ordering::SeqCst), refused.count()), (10, 0)),
        }
    }
    let (scripted, calls) = counted();
    let chat = BudgetedChat::new(
        Slow(scripted),
        Budget { calls_max: Some(2), ..Budget::default() },
        Prices::default(),
    );
    for request in &requests[..2] {
        let given_up = tokio::time::timeout(Duration::from_millis(1), chat.chat(request)).await;
        assert!(given_up.is_err());
    }
    assert_eq!(
        chat.chat(&requests[2]).await.unwrap_err().kind(),
        ErrorKind::Budget,
        "given up counts as made"
    );
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

/// Texts with published token counts: the OpenAI cookbook on counting tokens, for `cl100k_base`.
#[test]
fn estimates_are_near_published_counts() {
    for (text, published) in [
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        ("tiktoken is great!", 6),
    ] {
        let estimate = tokens(text);
        assert!(estimate.abs_diff(published) * 3 <= published, "{text}: {estimate} for {published}");
    }
    let request =
        ChatRequest::new([Message::system("Be brief."), Message::user("Hello!")]).with_tokens_max(7);
    let usage = estimate::usage_max(&request);
    assert_eq!((usage.tokens_out, usage.is_estimate), (7, true));
    let with_schema = request.clone().with_json("a", json!({"type": "object"}));
    assert!(estimate::usage_max(&with_schema).tokens_in > usage.tokens_in);
    assert!(usage.tokens_in > tokens("Be brief.") + tokens("Hello!"));
    let prices = Prices { million_in: 0.0, million_out: 1.0 };
    let mut plan = estimate::tally_max(&request, &prices);
    plan.add(&estimate::tally_max(&request, &prices));
    assert_eq!((plan.calls, plan.tokens_out, plan.cost_nano, plan.is_estimate), (2, 14, 14_000, true));
}

#[tokio::test]
async fn the_script_shows_what_it_does_not_know() {
    let chat = ScriptedChat::new().on("ferry", "At seven.").on("bus", "At eight.");
    assert_eq!(chat.chat(&ask("When is the ferry?")).await.unwrap().text, "At seven.");
    let error = chat.chat(&ask("When is the train?")).await.unwrap_err();
    assert!(error.to_string().contains("When is the train?"), "{error}");
    assert_eq!(chat.unused(), ["bus"]);
    assert_eq!(chat.requests().len(), 2);
}

/// A model that never answers.
#[derive(Debug)]
struct Silent;

#[async_trait::async_trait]
impl ChatModel for Silent {
    fn model(&self) -> &'static str {
        "silent"
    }

    async fn chat(&self, _: &ChatRequest) -> crate::Result<ChatReply> {
        std::future::pending().await
    }

    async fn stream(&self, _: &ChatRequest, _: OnText<'_>) -> crate::Result<ChatReply> {
        std::future::pending().await
    }

    async fn has(&self, _: &ChatRequest) -> bool {
        false
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline() {
    let chat = DeadlineChat::new(Silent, Duration::from_millis(1500));
    for reply in [chat.chat(&hello()).await, chat.stream(&hello(), &mut |_| {}).await] {
        let error = reply.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.to_string(), "silent did not answer within 1.5 s");
    }
}
