//! What endpoints answer.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Reply {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Reads the vectors of an answer, in the order of the texts; or tells what is wrong with it.
pub(super) fn vectors(body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let reply: Reply = serde_json::from_slice(body).map_err(|error| {
        // What the parser says quotes no more than a token of the answer.
        format!("answered with something else than embeddings: {error}")
    })?;
    if reply.data.len() != count {
        return Err(format!("gave {} vectors for {count} texts", reply.data.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, Item { index, embedding }) in reply.data.into_iter().enumerate() {
        // Endpoints that leave the index out answer in order.
        let index = index.unwrap_or(position);
        match vectors.get_mut(index) {
            Some(free @ None) => *free = Some(embedding),
            Some(Some(_)) => return Err(format!("gave two vectors for text {index}")),
            None => return Err(format!("gave a vector for text {index} of {count}")),
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

/// The message of an error, in the forms that endpoints use; else the beginning of the body.
pub(super) fn message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return text.trim().to_owned() };
    let error = &value["error"];
    let candidates = [&error["message"], error, &value["message"], &value["detail"]];
    let message = candidates.into_iter().find_map(Value::as_str).unwrap_or_default();
    match error["code"].as_str() {
        Some(code) => format!("{message} ({code})"),
        None => message.to_owned(),
    }
}

/// The delay that an endpoint asks for, in seconds or until a date.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

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
}
