use std::{
    fs,
    time::{Duration, SystemTime},
};

use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

use super::{key::find, refusal::retry_after, *};

#[test]
fn delays_come_as_seconds_or_dates() {
    let delay = |value: &str| {
        retry_after(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(value).unwrap())]))
    };
    assert_eq!(delay("2"), Some(Duration::from_secs(2)));
    assert_eq!(delay("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
    let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_hours(2));
    assert!(delay(&later) > Some(Duration::from_hours(1)));
    assert_eq!(delay("-1"), None);
    assert_eq!(delay("soon"), None);
}

#[test]
fn messages_come_in_several_forms() {
    assert_eq!(message(br#"{"error":{"message":"no","code":"bad"}}"#), "no (bad)");
    assert_eq!(message(br#"{"error":"no"}"#), "no");
    assert_eq!(message(br#"{"detail":"no"}"#), "no");
    assert_eq!(message(b"<html> "), "<html>");
}

#[test]
fn a_key_is_found_where_it_may_be() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("key");
    fs::write(&file, "from-file\n").unwrap();
    let url = |url: &str| Url::parse(url).unwrap();
    let here = url("http://localhost/v1");
    let path = file.to_str().unwrap();
    let found = |given: Option<&str>, url: &Url, variables: &[(&str, &str)]| {
        let environment = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        };
        find(given.map(Key::new).as_ref(), "A_KEY", url, &environment)
    };
    let all = [("A_KEY", " from-variable "), ("A_KEY_FILE", path), ("OPENAI_API_KEY", "openai")];
    assert_eq!(found(Some("given"), &here, &all).unwrap(), Some(Key::new("given")));
    assert_eq!(found(Some(" "), &here, &all).unwrap(), Some(Key::new("from-variable")));
    assert_eq!(found(None, &here, &all[1..]).unwrap(), Some(Key::new("from-file")));
    assert_eq!(found(None, &here, &all[2..]).unwrap(), None, "another host's key stays at home");
    let openai = url("https://api.openai.com/v1");
    assert_eq!(found(None, &openai, &all[2..]).unwrap(), Some(Key::new("openai")));
    assert_eq!(found(None, &url("http://api.openai.com/v1"), &all[2..]).unwrap(), None, "not in the clear");
    fs::write(&file, " \n").unwrap();
    let error = found(None, &here, &all[1..]).unwrap_err();
    assert!(error.to_string().ends_with("is empty"), "{error}");
    let error = Key::from_file(directory.path().join("absent")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(format!("{:?}", Key::new("hush")), "Key(…)");
}

#[test]
fn delays_grow_and_repeat_with_a_seed() {
    let retries = Retries {
        attempts_max: 9,
        backoff: Duration::from_secs(1),
        delay_max: Duration::from_secs(20),
        seed: Some(7),
    };
    let error = Error::new(ErrorKind::Unavailable, "failed");
    let delays = || -> Vec<Option<Duration>> {
        let mut attempts = retries.begin();
        let mut delay = || {
            let delay = attempts.delay(&error);
            attempts.made += 1;
            delay
        };
        (0..9).map(|_| delay()).collect()
    };
    let first = delays();
    assert_eq!(first, delays(), "the seed decides");
    for (attempt, delay) in first[..8].iter().enumerate() {
        let full = Duration::from_secs(1 << attempt).min(Duration::from_secs(40));
        let delay = delay.unwrap();
        assert!(
            delay >= (full / 2).min(retries.delay_max) && delay <= full.min(retries.delay_max),
            "{delay:?}"
        );
    }
    assert_eq!(first[8], None, "that was the last attempt");

    let mut attempts = retries.begin();
    let asked =
        |seconds| Error::new(ErrorKind::Unavailable, "busy").with_retry_after(Duration::from_secs(seconds));
    assert_eq!(attempts.delay(&asked(3)), Some(Duration::from_secs(3)), "what was asked for is kept");
    assert_eq!(attempts.delay(&asked(21)), None, "longer delays are the caller's to decide");
    assert_eq!(attempts.delay(&Error::new(ErrorKind::Invalid, "no")), None);
}
