//! Reads error responses.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// Returns the error message from the JSON forms that endpoints use, or the body if it is not JSON.
pub(crate) fn message(body: &[u8]) -> String {
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

/// Returns the delay of a `Retry-After` header, given in seconds or as a date.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}
