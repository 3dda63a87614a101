use std::{ffi::OsString, path::Path};

use quiver::models::EncoderSetting;

use super::{Layer, Place, Settings, Sources, sources::read};
use crate::arguments::{Arguments, Restated};

fn settle(line: &str, file: &str, variables: &[(&str, &str)]) -> anyhow::Result<Settings> {
    let arguments = Arguments::read(line.split(' '))?;
    // A home directory without settings, so that the tests do not depend on the user's settings.
    let variables = variables.iter().chain(&[("HOME", "/nonexistent")]);
    let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut sources = Sources::find(&arguments, variables)?;
    sources.layers.insert(0, read(Path::new("/home/quiver.toml"), file)?);
    Settings::from_sources(&arguments, &sources)
}

fn place(line: &str, file: &str, variables: &[(&str, &str)]) -> Place {
    settle(line, file, variables).unwrap().place
}

fn error(line: &str, file: &str, variables: &[(&str, &str)]) -> String {
    settle(line, file, variables).unwrap_err().to_string()
}

#[test]
fn flags_overrule_variables_and_these_files() {
    let file = "path = \"from-file\"\npassages = 3\nhops = 1\n";
    let variables = [("QUIVER_PATH", "from-variable"), ("QUIVER_PASSAGES", "4")];
    assert_eq!(place("quiver stats", "", &[]), Place::Directory("quiver-data".into()));
    assert_eq!(place("quiver stats", file, &[]), Place::Directory("/home/from-file".into()));
    assert_eq!(place("quiver stats", file, &variables), Place::Directory("from-variable".into()));
    assert_eq!(place("quiver stats --path flag", file, &variables), Place::Directory("flag".into()));
    let settings = settle("quiver ask why --passages 5", file, &variables).unwrap();
    assert_eq!((settings.passages, settings.hops), (Some(5), Some(1)));
    let settings = settle("quiver ask why", file, &variables).unwrap();
    assert_eq!((settings.passages, settings.hops), (Some(4), Some(1)));
}

#[test]
fn a_place_overrules_a_place_of_the_other_sort() {
    let variables = [("QUIVER_URL", "http://localhost:6334")];
    assert_eq!(place("quiver stats --path flag", "", &variables), Place::Directory("flag".into()));
    assert!(matches!(place("quiver stats", "path = \"here\"", &variables), Place::Server(_)));
    let both = error("quiver stats", "path = \"here\"\nurl = \"http://there\"", &[]);
    assert!(both.contains("/home/quiver.toml: path and url can't both be set"), "{both}");
}

#[test]
fn an_unknown_setting_is_named_with_its_file_its_line_and_near_names() {
    let message = error("quiver stats", "# mine\n\npasages = 3\n", &[]);
    assert_eq!(message, "/home/quiver.toml:3: there is no setting \"pasages\"; did you mean passages?");
    let message = error("quiver stats", "colour = 3\n", &[]);
    assert_eq!(
        message,
        "/home/quiver.toml:1: there is no setting \"colour\"; the nearest is chat_for, and `quiver --help` lists all"
    );
}

#[test]
fn a_setting_of_the_wrong_type_is_named_with_its_line() {
    let message = error("quiver stats", "prefix = \"a\"\npassages = \"many\"\n", &[]);
    assert!(message.starts_with("/home/quiver.toml:2: passages: invalid type"), "{message}");
    let message = error("quiver stats", "prefix = \n", &[]);
    assert!(message.starts_with("/home/quiver.toml:1: "), "{message}");
    let message = error("quiver stats", "", &[("QUIVER_HOPS", "many")]);
    assert_eq!(message, "QUIVER_HOPS=many: give a whole number");
    let message = error("quiver stats", "", &[("QUIVER_ON_ERROR", "sometimes")]);
    assert_eq!(message, "QUIVER_ON_ERROR=sometimes: it must be one of skip, stop");
    let message = error("quiver stats", "timeout_s = -1.0", &[]);
    assert!(message.contains("timeout_s must be more than 0"), "{message}");
}

#[test]
fn a_variable_that_is_no_setting_is_warned_of() {
    let arguments = Arguments::read(["quiver", "stats"]).unwrap();
    let variables = [("QUIVER_PTH", "x"), ("QUIVER_TEST_DATASETS", "y"), ("PATH", "z")];
    let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let sources = Sources::find(&arguments, variables.into_iter()).unwrap();
    assert_eq!(sources.warnings, ["the variable QUIVER_PTH is not a setting; did you mean QUIVER_PATH?"]);
}

#[test]
fn keys_are_never_printed() {
    let variables = [("QUIVER_API_KEY", "hush"), ("QUIVER_URL", "http://localhost:6334")];
    let settings = settle("quiver stats", "embedder_api_key = \"hush\"", &variables).unwrap();
    assert!(!format!("{settings:?}").contains("hush"), "{settings:?}");
    let Place::Server(server) = settings.place else { panic!("it is a server") };
    assert_eq!(server.api_key.unwrap().reveal(), "hush");
    for unquoted in ["api_key = 12345678901", "api_key = 1.5e9", "api_key = sk-12345678901"] {
        let message = error("quiver stats", unquoted, &[]);
        assert!(!message.contains("12345678901") && !message.contains("1.5e9"), "{message}");
        assert!(message.contains("string"), "{message}");
    }
    for address in ["url = \"http://me:hush@localhost:6334\"", "chat = \"http:http://me:hush@localhost#m\""] {
        let message = error("quiver stats", address, &[]);
        assert!(
            !message.contains("hush") && message.contains("contains a user name or password"),
            "{message}"
        );
    }
}

#[test]
fn a_prefix_that_leads_elsewhere_is_refused() {
    for prefix in ["../x", "a/b", "", ".hidden", "a b"] {
        let file = format!("prefix = {prefix:?}");
        assert!(error("quiver stats", &file, &[]).contains("is not a valid name"), "{prefix:?}");
    }
    assert_eq!(settle("quiver stats --prefix my-notes_2.0", "", &[]).unwrap().prefix, "my-notes_2.0");
}

#[test]
fn embedders_are_read() {
    assert_eq!(settle("quiver stats", "", &[]).unwrap().embedder, EncoderSetting::Lexical);
    let settings = settle("quiver stats --embedder fastembed:models/mini", "", &[]).unwrap();
    assert_eq!(settings.embedder, EncoderSetting::FastEmbed { model: "models/mini".into() });
    let message = error("quiver stats", "embedder = \"lexicon\"", &[]);
    assert!(message.contains("\"lexicon\"") && message.contains("fastembed:"), "{message}");
}

#[test]
fn every_key_is_a_field_and_a_variable() {
    for key in super::layer::KEYS {
        let value = match key {
            "on_error" => "skip",
            "profile" => "fast",
            "read_consistency" => "one",
            "freshness" => "any",
            "restated" => "replaces",
            "chat_for" => "answer",
            "allow_private_addresses" | "chat_remember" => "true",
            _ => "1",
        };
        assert!(Layer::default().set(key, value).unwrap(), "{key}");
        let is_list = matches!(key, "chat_for" | "chat_kinds" | "chat_predicates");
        let is_text = matches!(
            key,
            "path"
                | "url"
                | "server"
                | "key"
                | "prefix"
                | "workspace"
                | "embedder"
                | "profile"
                | "on_error"
                | "chat"
                | "chat_cache"
                | "chat_extract"
                | "chat_rerank"
                | "chat_answer"
                | "chat_contextualise"
                | "chat_query"
                | "chat_facts"
                | "rerank"
                | "read_consistency"
                | "freshness"
                | "restated"
                | "otel_endpoint"
                | "otel_headers"
                | "otel_service_name"
        ) || key.contains("api_key");
        let value = match (is_list, is_text) {
            (true, _) => format!("[{value:?}]"),
            (_, true) => format!("{value:?}"),
            _ => value.to_owned(),
        };
        read(Path::new("quiver.toml"), &format!("{key} = {value}")).unwrap();
    }
}

#[test]
fn what_a_new_value_does_is_read() {
    let restated = |line: &str, file: &str| settle(line, file, &[]).map(|settings| settings.restated);
    assert_eq!(restated("quiver recall why", "").unwrap(), Restated::Adds);
    assert_eq!(restated("quiver recall why", "restated = \"replaces\"").unwrap(), Restated::Replaces);
    let flag = restated("quiver recall why --restated adds", "restated = \"replaces\"");
    assert_eq!(flag.unwrap(), Restated::Adds);
    assert!(error("quiver recall why", "restated = \"swaps\"", &[]).contains("swaps"));
}

#[test]
fn language_models_are_read() {
    use quiver::models::chat::{Budget, ChatSetting, Prices};

    let settings = settle("quiver stats", "", &[]).unwrap();
    assert_eq!((settings.chat.model.clone(), settings.chat.extracts()), (ChatSetting::None, false));
    let file = "chat = \"http:http://localhost:11434/v1#m\"\nchat_for = [\"answer\"]\nchat_price_in = 1.5\n\
                chat_kinds = [\"person\", \"drug\"]\nchat_cache = \"kept\"\nchat_api_key_file = \"key\"\n";
    let settings = settle("quiver ask why", file, &[("QUIVER_CHAT_PRICE_OUT", "6")]).unwrap();
    let chat = &settings.chat;
    assert_eq!(chat.model.to_string(), "http:http://localhost:11434/v1#m");
    let options = &chat.options;
    assert_eq!((options.extract, options.rerank, options.answer), (false, false, true));
    assert_eq!(options.prices, Prices { million_in: 1.5, million_out: 6.0 });
    assert_eq!(options.schema.kinds, ["person", "drug"]);
    assert_eq!(chat.cache.as_deref(), Some(Path::new("/home/kept")));
    assert_eq!(chat.api_key_file.as_deref(), Some(Path::new("/home/key")));
    // Other commands need no model.
    assert_eq!(settle("quiver stats", file, &[]).unwrap().chat.model, ChatSetting::None);
    let settings = settle("quiver ask why --chat-for extract,rerank", file, &[("QUIVER_CHAT_KINDS", "a, b")]);
    let options = settings.unwrap().chat.options;
    assert_eq!((options.extract, options.rerank, options.answer), (true, true, false));
    assert_eq!(options.schema.kinds, ["a", "b"]);

    let budget = |line: &str| settle(line, file, &[]).unwrap().chat.budget;
    assert_eq!(budget("quiver ingest . --budget 2.50"), Budget { cost_max: Some(2.5), ..Budget::default() });
    assert_eq!(budget("quiver ingest . --budget 5calls"), Budget { calls_max: Some(5), ..Budget::default() });
    assert_eq!(
        budget("quiver ingest . --budget 7tokens"),
        Budget { tokens_max: Some(7), ..Budget::default() }
    );
    assert!(error("quiver ingest . --budget 2.50", "", &[]).contains("set chat_price_in and chat_price_out"));
    assert!(error("quiver ingest . --budget much", file, &[]).contains("500calls"));
    assert!(error("quiver ask why", "chat = \"gpt\"", &[]).contains("http:URL#MODEL"));
    assert!(
        error("quiver ask why", "chat_price_in = -1.0", &[])
            .contains("chat_price_in is the price per million tokens")
    );
    assert!(error("quiver ask why", "", &[("QUIVER_CHAT_FOR", "poems")]).contains("extract, rerank, answer"));
}

#[test]
fn facts_are_read_by_a_model_only_if_that_is_asked_for() {
    use quiver::models::chat::ChatSetting;

    let file = "chat = \"http:http://localhost:11434/v1#m\"\nchat_facts = \"small\"\n";
    let chat = |line: &str, more: &str| settle(line, &format!("{file}{more}"), &[]).unwrap().chat;
    let remembering = chat("quiver remember hello", "");
    assert_eq!((remembering.model, remembering.options.facts), (ChatSetting::None, false));
    assert!(!chat("quiver ask why", "").options.facts && chat("quiver ask why", "").options.answer);
    for (line, more) in [
        ("quiver remember hello", "chat_for = [\"facts\", \"answer\"]\nchat_facts_wait_s = 2.5\n"),
        ("quiver remember hello --chat-for facts", "chat_facts_wait_s = 2.5\n"),
    ] {
        let chat = chat(line, more);
        assert_eq!(chat.model.to_string(), "http:http://localhost:11434/v1#m");
        assert!(chat.options.facts && !chat.options.extract);
        assert_eq!(chat.options.facts_wait, std::time::Duration::from_millis(2500));
        assert_eq!(chat.models, [(quiver::ChatJob::Facts, "small".to_owned())].into());
    }
    for wrong in
        ["chat_facts = \"http:http://localhost:1/v1#m\"", "chat_answer = \"none\"", "chat_query = \"\""]
    {
        assert!(error("quiver ask why", wrong, &[]).contains("the name of another model"), "{wrong}");
    }
    assert!(error("quiver ask why", "chat_facts_wait_s = 0", &[]).contains("more than 0"));
}

#[test]
fn what_orders_candidates_is_one_setting() {
    use quiver::RerankSetting::{Chat, FastEmbed, None};

    let chat = "chat = \"http:http://localhost:11434/v1#m\"\n";
    let orders = |line: &str, file: &str| {
        let settings = settle(line, &format!("{chat}{file}"), &[]).unwrap();
        (settings.rerank.setting, settings.chat.options.rerank)
    };
    let local = FastEmbed { model: "bge-reranker-base".into() };
    assert_eq!(orders("quiver ask why", ""), (None, true), "the language model does, where there is one");
    assert_eq!(orders("quiver ask why", "chat_for = [\"answer\"]"), (None, false));
    assert_eq!(orders("quiver ask why --chat-for answer", "rerank = \"chat\""), (Chat, true));
    assert_eq!(orders("quiver ask why", "rerank = \"none\""), (None, false));
    assert_eq!(
        orders("quiver search why --rerank fastembed:bge-reranker-base", "rerank = \"none\""),
        (local, false)
    );
    assert_eq!(orders("quiver context why", "rerank = \"fastembed:m\"").0, FastEmbed { model: "m".into() });
    assert_eq!(orders("quiver ingest . --rerank fastembed:m", ""), (None, true), "an ingest opens none");

    let weight = |file: &str| settle("quiver ask why", file, &[]).unwrap().rerank.options.weight;
    assert_eq!((weight(""), weight("rerank_weight = 1.5")), (0.25, 1.5));
    assert!(error("quiver ask why", "rerank_weight = -1.0", &[]).contains("rerank_weight must be 0 or more"));
    assert!(error("quiver ask why", "rerank = \"chat\"", &[]).contains("--chat selects one"));
    assert!(error("quiver ask why", "rerank = \"bge\"", &[]).contains("`fastembed:NAME_OR_DIRECTORY`"));
}
