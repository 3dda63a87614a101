use serde_json::Value;

use super::options::Structure;

/// Parameters that some endpoints reject and that can be omitted.
const DISPENSABLE: [&str; 3] = ["stream_options", "temperature", "seed"];

/// The parameters that an endpoint accepts. It starts with the documented interface and learns from error responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) json: Json,
    /// Whether the options fix how JSON is requested.
    is_json_fixed: bool,
    /// Whether the reply limit is sent as `max_completion_tokens` instead of `max_tokens`.
    pub(super) has_completion_tokens: bool,
    /// Which of the `DISPENSABLE` parameters are omitted.
    left_out: [bool; DISPENSABLE.len()],
}

/// How JSON is requested, the most reliable way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Json {
    /// The endpoint enforces the schema.
    Schema,
    /// The endpoint enforces JSON, and an instruction contains the schema.
    Object,
    /// Only an instruction contains the schema.
    Instruction,
}

impl Dialect {
    pub(super) fn new(structure: Structure) -> Self {
        let json = match structure {
            Structure::Auto | Structure::Schema => Json::Schema,
            Structure::Instruction => Json::Instruction,
        };
        Self {
            json,
            is_json_fixed: structure != Structure::Auto,
            has_completion_tokens: false,
            left_out: [false; DISPENSABLE.len()],
        }
    }

    /// Returns whether a parameter is sent.
    pub(super) fn takes(&self, field: &str) -> bool {
        let position = DISPENSABLE.iter().position(|dispensable| *dispensable == field);
        position.is_none_or(|position| !self.left_out[position])
    }

    /// Returns the dialect to try after an error response, if the response says which parameter is the problem.
    pub(super) fn after(self, refusal: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(refusal).to_lowercase();
        let parameter = serde_json::from_str::<Value>(&text).ok().and_then(|value| {
            let parameter = &value["error"]["param"];
            parameter.as_str().map(str::to_owned)
        });
        // If the endpoint names the parameter, ignore other parameters mentioned in its message.
        let is_about = |name: &str| match &parameter {
            Some(parameter) => parameter.contains(name),
            None => text.contains(name),
        };
        let is_about_json = ["response_format", "json_schema", "json_object"].into_iter().any(is_about);
        if is_about_json && !self.is_json_fixed && self.json < Json::Instruction {
            let json = if self.json == Json::Schema { Json::Object } else { Json::Instruction };
            return Some(Self { json, ..self });
        }
        if text.contains("max_completion_tokens") && !self.has_completion_tokens {
            return Some(Self { has_completion_tokens: true, ..self });
        }
        let refused = DISPENSABLE.iter().position(|field| is_about(field) && self.takes(field))?;
        let mut left_out = self.left_out;
        left_out[refused] = true;
        Some(Self { left_out, ..self })
    }

    /// Combines what two dialects have learned.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            json: self.json.max(other.json),
            is_json_fixed: self.is_json_fixed,
            has_completion_tokens: self.has_completion_tokens || other.has_completion_tokens,
            left_out: std::array::from_fn(|field| self.left_out[field] || other.left_out[field]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(dialect: Dialect, refusal: &str) -> Option<Dialect> {
        dialect.after(refusal.as_bytes())
    }

    #[test]
    fn refusals_teach_one_thing_at_a_time() {
        let first = Dialect::new(Structure::Auto);
        let object = after(first, r#"{"error":{"message":"This response_format type is unavailable now"}}"#);
        let object = object.unwrap();
        assert_eq!(object.json, Json::Object);
        let instruction = after(object, r#"{"error":{"message":"bad","param":"response_format"}}"#).unwrap();
        assert_eq!(instruction.json, Json::Instruction);
        assert_eq!(after(instruction, "response_format"), None, "there is no other way");
        let tokens = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                      Use 'max_completion_tokens' instead.";
        let tokens = format!(r#"{{"error":{{"message":"{tokens}","param":"max_tokens"}}}}"#);
        assert!(after(first, &tokens).unwrap().has_completion_tokens);
        let temperature = r#"{"error":{"message":"'temperature' does not support 0.0, and response_format is fine",
            "param":"temperature"}}"#;
        let colder = after(first, temperature).unwrap();
        assert!(!colder.takes("temperature") && colder.takes("seed") && colder.json == Json::Schema);
        assert_eq!(after(first, r#"{"error":{"message":"the prompt is too long"}}"#), None);
        assert_eq!(object.and(colder), colder.and(object));
    }

    #[test]
    fn a_fixed_way_stays() {
        for structure in [Structure::Schema, Structure::Instruction] {
            assert_eq!(after(Dialect::new(structure), "response_format"), None);
        }
    }
}
