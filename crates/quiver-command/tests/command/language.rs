//! A language model in the command: an endpoint in this process.

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    io::Read as _,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    stand_in::{Prompt, Reply, StandIn, TOKENS_IN},
    support::{Home, Run, files, generated},
};

/// How often an ingest is killed.
const KILLS: u32 = 10;
const QUESTION: &str = "In which town is the yard that built the Aurelia?";

/// Answers each job as requested, about the ships.
fn willing(prompt: &Prompt) -> Reply {
    Reply::Text(match prompt.job() {
        "extract" => prompt.extraction(),
        "rerank" => json!({"order": [prompt.label("Aurelia"), "P99"]}).to_string(),
        "answer" => {
            let norby = prompt.passages().into_iter().find(|(.., text)| text.contains("Bergen")).unwrap().0;
            format!(
                "The Aurelia was built at the Norby yard [{}]. The yard is in Bergen [{norby}]. It is said to be \
                     haunted by Captain Flint.",
                prompt.label("Aurelia")
            )
        }
        _ => String::new(),
    })
}

fn ships() -> Home {
    let home = Home::new();
    home.write("ships/aurelia.md", "# Aurelia\n\nThe Aurelia was built at the Norby yard in 1911.\n");
    home.write("ships/norby.txt", "The Norby yard was founded by Ida Holm in the town of Bergen.\n");
    home
}

#[test]
fn a_model_reads_orders_and_answers_and_what_it_took_is_told() {
    let stand_in = StandIn::start(Duration::ZERO, willing);
    let home = ships();
    home.write(
        "quiver.toml",
        format!(
            "chat = {:?}\nchat_price_in = 2.0\nchat_price_out = 4.0\nchat_kinds = [\"thing\"]\n",
            stand_in.setting
        ),
    );
    let estimate = home.run(&["ingest", "ships", "--dry-run", "--json"]).expect(0).json();
    assert_eq!(
        (&estimate["documents"], &estimate["passages"], &estimate["most"]["calls"]),
        (&json!(2), &json!(2), &json!(1))
    );
    assert!(estimate["most"]["cost"].as_f64().unwrap() > 0.0, "{estimate}");
    assert!(!home.path("quiver-data").exists() && stand_in.calls() == 0, "a dry run does nothing");
    let told = home.run(&["ingest", "ships", "--dry-run"]).expect(0).stdout;
    assert!(told.contains("stand-in would be called at most 1 times"), "{told}");

    let ingested = home.run(&["ingest", "ships", "--json"]).expect(0).json();
    assert_eq!((&ingested["passages"]["fallen_back"], &ingested["problems"]), (&json!(0), &json!([])));
    assert_eq!(ingested["spent"]["jobs"]["extract"]["calls"], 1);
    let export = home.export("quiver-data");
    assert!(export.contains("stands near") && export.contains("\"thing\""), "{export}");

    let calls = stand_in.calls();
    let answered = home.run(&["ask", QUESTION, "--json", "--trace"]).expect(0).json();
    assert_eq!(stand_in.calls() - calls, 2, "one call to order, one to answer");
    assert_eq!(answered["answer"], "The Aurelia was built at the Norby yard. The yard is in Bergen.");
    assert_eq!(
        (&answered["model"], answered["sentences"].as_array().unwrap().len()),
        (&json!("stand-in"), 2)
    );
    assert_eq!(answered["citations"].as_array().unwrap().len(), 2);
    let spent = &answered["spent"];
    assert_eq!((&spent["total"]["calls"], &spent["jobs"]["rerank"]["calls"]), (&json!(2), &json!(1)));
    assert!(spent["total"]["cost"].as_f64().unwrap() > 4.0, "{spent}");
    let trace = answered["trace"].to_string();
    assert!(
        trace.contains("Captain Flint") && trace.contains("P99"),
        "what was dropped and repaired is told: {trace}"
    );

    // The second time, the replies are cached.
    let again = home.run(&["ask", QUESTION]).expect(0).says("language model: 2 calls (2 cached, 0 failed)");
    assert!(
        again.stdout.starts_with("The Aurelia was built at the Norby yard. The yard is in Bergen.\n"),
        "{again:#?}"
    );
    assert!(again.stdout.contains("\nFrom Aurelia:\n"), "{again:#?}");
    assert_eq!(stand_in.calls(), calls + 2);

    let stats = home.run(&["stats", "--json"]).expect(0).json();
    let total = &stats["spent"]["total"];
    assert_eq!((&total["calls"], &total["calls_cached"]), (&json!(5), &json!(2)));
    let cost =
        ingested["spent"]["total"]["cost"].as_f64().unwrap() + spent["total"]["cost"].as_f64().unwrap();
    assert!((total["cost"].as_f64().unwrap() - cost).abs() < 1e-6, "{stats}");
    let told = home.run(&["stats"]).expect(0).stdout;
    assert!(told.contains("language models") && told.contains("  rerank "), "{told}");
    home.run(&["verify"]).expect(0);
}

#[test]
fn jobs_can_be_left_to_the_rules() {
    let stand_in = StandIn::start(Duration::ZERO, willing);
    let home = ships();
    home.run(&["ingest", "ships", "--chat", &stand_in.setting, "--chat-for", "answer"]).expect(0);
    assert_eq!(stand_in.calls(), 0);
    let answered =
        home.run(&["ask", QUESTION, "--json", "--chat", &stand_in.setting, "--chat-for", "answer"]);
    let answered = answered.expect(0).json();
    assert_eq!((stand_in.calls(), &answered["model"]), (1, &json!("stand-in")));
    let answered = home.run(&["ask", QUESTION, "--json"]).expect(0).json();
    assert_eq!(
        (stand_in.calls(), &answered["model"]),
        (1, &Value::Null),
        "and without the setting there is none"
    );
}

#[test]
fn a_model_of_its_own_reads_facts_from_turns_if_it_is_asked_to() {
    const TURN: &str = "Kestrel stays under the harbour crane.";
    let stand_in = StandIn::start(Duration::ZERO, |prompt| match (prompt.job(), prompt.model.as_str()) {
        ("facts", "small") => {
            let fact = |object: &str| {
                json!({"quote": TURN, "subject": "Kestrel", "predicate": "stays under", "object": object,
                    "from": null, "to": null, "denied": false})
            };
            let facts = [fact("harbour crane"), fact("old pier")];
            Reply::Text(json!({"turns": [{"id": "T1", "facts": facts}]}).to_string())
        }
        _ => Reply::Refused(400, "no".to_owned()),
    });
    let home = Home::new();
    home.write(
        "quiver.toml",
        format!("chat = {:?}\nchat_facts = \"small\"\nchat_facts_wait_s = 2\n", stand_in.setting),
    );
    let remember = ["remember", TURN, "--session", "s", "--at", "2026-03-02"];
    home.run(&remember).expect(0).says("remembered 1 turn with 0 facts");
    assert_eq!(stand_in.calls(), 0, "no turn is sent anywhere by default");

    let told = home.run(&[&remember[..], &["--chat-for", "facts"]].concat()).expect(0);
    let told = told.says("dropped from the model's reply: Kestrel | stays under | old pier");
    assert!(told.stdout.starts_with("Kestrel | stays under | harbour crane  ["), "{told:#?}");
    assert!(home.run(&["facts", "Kestrel"]).expect(0).stdout.contains("(s, read by small)"));
    let facts = home.run(&["facts", "Kestrel", "--json"]).expect(0).json();
    assert_eq!(facts["facts"][0]["reader"], "small");
    assert_eq!(home.run(&["stats", "--json"]).expect(0).json()["spent"]["jobs"]["facts"]["calls"], 1);

    #[cfg(feature = "mcp")]
    {
        // Agents are told the same.
        let told_by = |arguments: &[&str], text: &str| {
            let mut client =
                crate::mcp::Client::start(&home, &[&["mcp", "--chat-for", "facts"], arguments].concat());
            let told = client.call("remember", &json!({ "text": text, "session": "agent" }));
            client.end();
            told
        };
        let told = told_by(&[], TURN);
        assert_eq!(told["facts"][0]["object"], "harbour crane", "{told:#}");
        let dropped = told["dropped"].as_array().unwrap();
        assert!(dropped.len() == 1 && dropped[0].as_str().unwrap().contains("old pier"), "{told:#}");
        assert_eq!(told.get("unread"), None, "{told:#}");
        let told = told_by(&["--chat", "http:http://127.0.0.1:9/v1#m"], "Postgres is run by Mo.");
        assert_eq!((&told["facts"][0]["object"], told.get("dropped")), (&json!("Mo"), None), "{told:#}");
        assert!(told["unread"].as_str().unwrap().contains("small failed"), "{told:#}");
    }

    // A model that fails costs no turn and no exit code.
    let failed = ["remember", "Redis is run by Mo.", "--chat-for", "facts", "--json", "--session", "s"];
    let unasked =
        home.run(&[&failed[..], &["--chat", "http:http://127.0.0.1:9/v1#m"]].concat()).expect(0).json();
    let turn = &unasked["turns"][0];
    assert_eq!((&turn["facts"][0]["object"], &turn["facts"][0]["reader"]), (&json!("Mo"), &Value::Null));
    assert!(turn["unread"].as_str().unwrap().contains("small failed"), "{turn}");
    home.run(&["verify"]).expect(0);
}

#[test]
fn an_answer_is_shown_while_it_comes() {
    let stand_in = StandIn::start(Duration::ZERO, |prompt| match prompt.job() {
        "answer" => {
            let Reply::Text(text) = willing(prompt) else { unreachable!() };
            // The stream is cut in the second sentence.
            Reply::Cut(text.split("Bergen").next().unwrap().to_owned())
        }
        _ => willing(prompt),
    });
    let home = ships();
    home.run(&["ingest", "ships"]).expect(0);
    let plain = home.run(&["ask", QUESTION]).expect(0).stdout;
    let headline = plain.lines().next().unwrap();
    let run = home.run(&["ask", QUESTION, "--chat", &stand_in.setting, "--chat-for", "answer"]).expect(0);
    let run = run.says(
        "degraded: the language model stand-in gave no answer, so the answer is quoted from the evidence",
    );
    let mut lines = run.stdout.lines();
    let shown = lines.next().unwrap();
    assert!(shown.starts_with("The Aurelia was built at the Norby yard."), "{run:#?}");
    assert_eq!(
        (lines.next(), lines.next()),
        (Some("That answer was withdrawn. The final reply:"), Some(headline)),
        "{run:#?}"
    );
}

#[test]
fn where_the_model_fails_the_rules_stand_and_it_is_told() {
    let home = ships();
    // One of two passages, each in a call of its own, gets an unreadable reply.
    let stand_in = StandIn::start(Duration::ZERO, |prompt| match prompt.job() {
        "extract" if prompt.user.contains("Bergen") => Reply::Text("Je ne sais pas.".to_owned()),
        "extract" => willing(prompt),
        _ => Reply::Refused(400, r#"{"error": {"message": "no such luck"}}"#.to_owned()),
    });
    home.write("quiver.toml", format!("chat = {:?}\nchat_batch = 1\n", stand_in.setting));
    let run = home.run(&["ingest", "ships"]).expect(0);
    let run = run.says("ships/norby.txt: the model's reply: the reply contains no JSON");
    assert!(run.stdout.contains("1 passage extracted by rules only, as reported above"), "{run:#?}");
    assert!(run.stdout.contains("language model: 2 calls"), "{run:#?}");
    home.run(&["ask", QUESTION])
        .expect(0)
        .says("the built-in ranking is used")
        .says("the answer is quoted from the evidence");
    // If no call succeeds, the ingest says so and stored data stays.
    let home = ships();
    let refuses =
        StandIn::start(Duration::ZERO, |_| Reply::Refused(404, r#"{"error": "no model"}"#.to_owned()));
    home.run(&["ingest", "ships", "--chat", &refuses.setting]).expect(4).says("does not know the model");
    home.run(&["documents"]).expect(0).says("0 documents");
}

#[test]
fn a_budget_stops_an_ingest_and_the_same_command_goes_on() {
    let stand_in = StandIn::start(Duration::ZERO, willing);
    let home = Home::new();
    home.write("people.jsonl", generated(20, 3));
    home.write("quiver.toml", format!("chat = {:?}\nbatch = 4\nchat_requests = 2\n", stand_in.setting));
    let budget = ["ingest", "people.jsonl", "--budget", "2calls", "--json"];
    let mut runs = 0;
    loop {
        runs += 1;
        let run = home.run(&budget).expect_one_of(&[0, 6]);
        home.run(&["verify"]).expect(0);
        let ingested = run.json();
        if run.code == Some(0) {
            assert_eq!((&ingested["stopped"], &ingested["out_of_budget"]), (&json!(false), &Value::Null));
            break;
        }
        assert!(ingested["out_of_budget"].as_str().unwrap().contains("2 calls"), "{ingested}");
        let run = run.says("the same command resumes");
        assert!(runs < 10, "{run:#?}");
    }
    assert_eq!((stand_in.calls(), stand_in.prompts(), runs), (5, 5, 3), "nothing is paid for twice");
    home.run(&["ingest", "people.jsonl", "--budget", "2.50"])
        .expect(2)
        .says("set chat_price_in and chat_price_out");
}

/// Returns the bundled multi-hop set, or the MuSiQue sample in the directory that `QUIVER_TEST_DATASETS` names: the
/// file and its name.
fn corpus() -> (PathBuf, &'static str) {
    if let Some(datasets) = env::var_os("QUIVER_TEST_DATASETS") {
        return (Path::new(&datasets).join("musique_train_corpus.json"), "the MuSiQue sample");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    (root.join("datasets/multihop/corpus.jsonl"), "the bundled multi-hop set")
}

/// Returns the prompts with cached replies, identified by the usage that the stand-in reported.
fn kept(replies: &Path) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    if !replies.exists() {
        return kept;
    }
    for path in files(replies) {
        if path.components().any(|part| part.as_os_str() == "partial") {
            continue;
        }
        let content = fs::read_to_string(&path).unwrap();
        let reply: Value = serde_json::from_str(content.split_once('\n').unwrap().1).unwrap();
        kept.insert(
            usize::try_from(reply["reply"]["usage"]["tokens_in"].as_u64().unwrap()).unwrap() - TOKENS_IN,
        );
    }
    kept
}

/// Each call is made only once: if its reply was cached when the process was killed, it is never made again; otherwise
/// the next run makes it once more.
#[test]
fn killed_at_ten_points_an_ingest_makes_each_call_once() {
    let (corpus, name) = corpus();
    let stand_in = StandIn::start(Duration::from_millis(40), |prompt| Reply::Text(prompt.extraction()));
    let home = Home::new();
    home.write("quiver.toml", format!("chat = {:?}\n", stand_in.setting));
    let corpus = corpus.to_str().unwrap();
    let ingest = ["ingest", corpus, "--path", "data"];
    let began = Instant::now();
    home.run(&["ingest", corpus, "--path", "undisturbed"]).expect(0);
    let (duration, calls) = (began.elapsed(), stand_in.calls());
    assert_eq!(calls, stand_in.prompts(), "undisturbed, no call is made twice");
    assert!(calls > 20, "{calls} calls show nothing");

    let mut random = fastrand::Rng::with_seed(11);
    let (mut kills, mut lost) = (0, 0);
    for kill in 0..KILLS {
        let (before, had) = (stand_in.calls(), kept(&home.path("data/replies")));
        let mut child = home.command(&ingest).spawn().unwrap();
        if kill % 2 == 0 {
            // At any moment; together they take about half of the total time.
            thread::sleep(duration.mul_f64(0.02 + 0.16 * random.f64()));
        } else {
            // While calls are running.
            let calls = before + random.usize(1..=calls / 10);
            while stand_in.calls() < calls && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_millis(1));
            }
        }
        kills += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL leaves no chance to clean up.
        child.wait().unwrap();
        // What was sent is counted, however late a busy machine gets to it.
        let mut counted = usize::MAX;
        while std::mem::replace(&mut counted, stand_in.calls()) != counted {
            thread::sleep(Duration::from_millis(100));
        }
        let made = &stand_in.asked()[before..];
        let again: Vec<&usize> = made.iter().filter(|prompt| had.contains(prompt)).collect();
        assert!(again.is_empty(), "{again:?} were kept, and asked for again");
        let has = kept(&home.path("data/replies"));
        lost += made.iter().filter(|prompt| !has.contains(prompt)).count();
    }
    let (before, had) = (stand_in.calls(), kept(&home.path("data/replies")));
    home.run(&ingest).expect(0);
    assert!(stand_in.asked()[before..].iter().all(|prompt| !had.contains(prompt)));
    let made = stand_in.calls() - calls;
    println!(
        "{name}: {calls} calls undisturbed; {made} with {kills} kills, of which {lost} were under way at a kill"
    );
    assert_eq!(
        (made, stand_in.prompts()),
        (calls + lost, calls),
        "no prompt is another one, no call is made twice"
    );
    assert!((1..=4 * KILLS as usize).contains(&lost), "only what was under way is asked for again: {lost}");
    assert!(kills >= KILLS / 2, "only {kills} processes were still at work");
    assert!(home.export("data") == home.export("undisturbed"), "it ends with the same graph");
    home.run(&["verify", "--path", "data"]).expect(0);
}

#[test]
fn a_key_is_shown_to_the_endpoint_and_to_nobody_else() {
    const KEY: &str = "sk-hush-0123456789";
    let stand_in = StandIn::start(Duration::ZERO, |prompt| {
        assert!(prompt.head.contains(KEY), "the endpoint gets the key");
        match prompt.job() {
            "extract" => willing(prompt),
            // An endpoint that repeats the key.
            "rerank" => Reply::Refused(400, format!(r#"{{"error": {{"message": "no {KEY}"}}}}"#)),
            _ => Reply::Refused(
                401,
                format!(r#"{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}"#),
            ),
        }
    });
    let home = ships();
    let key = home.write("key", format!("{KEY}\n"));
    let mut told = String::new();
    for (name, value) in [("QUIVER_CHAT_API_KEY", KEY), ("QUIVER_CHAT_API_KEY_FILE", key.to_str().unwrap())] {
        for arguments in [
            &["ingest", "ships"][..],
            &["ask", QUESTION, "--trace"],
            &["ask", QUESTION, "--trace", "--json"],
            &["search", QUESTION, "--json"],
            &["ingest", "ships", "--dry-run"],
            &["stats"],
            &["export"],
        ] {
            let mut command = home.command(arguments);
            command.env(name, value).env("QUIVER_CHAT", &stand_in.setting).env("RUST_LOG", "trace");
            let run = Run::of(command.output().unwrap()).expect(0);
            assert!(!run.stderr.contains("is not a setting"), "{run:#?}");
            write!(told, "{arguments:?} {run:?}").unwrap();
        }
    }
    assert!(told.contains("no …") && told.contains("rejected the key"), "both were refused");
    for path in files(&home.path("quiver-data")) {
        told += &String::from_utf8_lossy(&fs::read(path).unwrap());
    }
    assert!(!told.contains(KEY) && !told.contains("0123456789"));
}

#[test]
fn with_no_model_configured_nothing_tries_the_network() {
    // Any request through a proxy would arrive here, and no other host is named anywhere.
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let home = ships();
    for arguments in [
        &["ingest", "ships"][..],
        &["ingest", "ships", "--dry-run"],
        &["ask", QUESTION, "--trace"],
        &["search", QUESTION],
        &["remember", "The Aurelia is owned by Mo.", "--session", "s"],
        &["recall", "Who owns the Aurelia?"],
        &["stats"],
        &["verify"],
    ] {
        let mut command = home.command(arguments);
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, &address);
        }
        // A key alone does not request any calls.
        command.env("OPENAI_API_KEY", "sk-1").env("QUIVER_CHAT_API_KEY", "sk-2").env_remove("NO_PROXY");
        let sockets = sockets_of(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        assert!(sockets.is_empty(), "{arguments:?} opened {sockets:?}");
    }
    let tried = proxy.accept();
    assert!(tried.is_err(), "{tried:?}");
}

/// Returns the internet sockets that a process has until it ends; none if the system does not show them.
fn sockets_of(mut child: std::process::Child) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let directory = PathBuf::from(format!("/proc/{}/fd", child.id()));
    while child.try_wait().unwrap().is_none() {
        let open = fs::read_dir(&directory).into_iter().flatten().flatten();
        let targets = open.filter_map(|entry| fs::read_link(entry.path()).ok());
        let sockets: Vec<String> = targets
            .filter_map(|target| {
                let target = target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned();
                Some(target)
            })
            .collect();
        for table in ["tcp", "tcp6", "udp", "udp6"] {
            let mut text = String::new();
            let path = format!("/proc/{}/net/{table}", child.id());
            let _ = fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text));
            let inode = |line: &str| line.split_whitespace().nth(9).map(str::to_owned);
            seen.extend(text.lines().filter_map(inode).filter(|inode| sockets.contains(inode)));
        }
        thread::sleep(Duration::from_millis(1));
    }
    seen
}
