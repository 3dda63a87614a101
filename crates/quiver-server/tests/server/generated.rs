//! Requests generated from a description, so that a new endpoint or tool is tested automatically.

use serde_json::{Map, Value, json};

/// Number of requests per endpoint and tool.
const REQUESTS: usize = 12;
/// Maximum nesting of bodies.
const DEPTH_MAX: usize = 6;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The media type and the text.
    pub(crate) body: Option<(&'static str, String)>,
}

/// Generates requests that use these words for all names, IDs and texts.
pub(crate) struct Generator<'d> {
    description: &'d Value,
    words: &'d [String],
    /// Seeded with the name of the endpoint, so that failures are reproducible.
    random: u64,
}

impl<'d> Generator<'d> {
    pub(crate) fn new(description: &'d Value, words: &'d [String]) -> Self {
        Self { description, words, random: 0 }
    }

    /// Returns all operations by method and path.
    pub(crate) fn operations(&self) -> Vec<String> {
        let paths = self.description["paths"].as_object().unwrap().iter();
        let mut all: Vec<String> = paths
            .flat_map(|(path, methods)| {
                methods.as_object().unwrap().keys().map(move |method| format!("{method} {path}"))
            })
            .collect();
        all.sort();
        all
    }

    /// Returns requests to all endpoints and calls of these tools, each with its operation.
    pub(crate) fn requests(&mut self, tools: &Value) -> Vec<(String, Made)> {
        let description = self.description;
        let mut made = Vec::new();
        for (path, methods) in description["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let name = format!("{method} {path}");
                let method = match method.as_str() {
                    "get" => "get",
                    "put" => "put",
                    "post" => "post",
                    "delete" => "delete",
                    other => panic!("{other} is not known here"),
                };
                self.seed(&name);
                for _ in 0..REQUESTS {
                    let path = self.path(path, operation);
                    made.push((name.clone(), Made { method, path, body: self.body(operation) }));
                }
            }
        }
        for tool in tools.as_array().unwrap() {
            self.seed(tool["name"].as_str().unwrap());
            for _ in 0..REQUESTS {
                let arguments = self.value(&tool["inputSchema"], &tool["inputSchema"], 0);
                let call = json!({ "name": tool["name"], "arguments": arguments });
                let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
                let body = Some(("application/json", message.to_string()));
                made.push((
                    "post /mcp".to_owned(),
                    Made { method: "post", path: "/mcp?tools=all".to_owned(), body },
                ));
            }
        }
        made
    }

    fn path(&mut self, path: &str, operation: &Value) -> String {
        let (mut path, mut query) = (path.to_owned(), Vec::new());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let is_needed = parameter["required"] == true;
            let value = match self.value(&parameter["schema"], self.description, 0) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let value = encoded(&value);
            match parameter["in"].as_str().unwrap() {
                "path" => path = path.replace(&format!("{{{name}}}"), &value),
                "query" if is_needed || self.below(2) == 0 => query.push(format!("{name}={value}")),
                // The header with the workspace is tested elsewhere.
                _ => {}
            }
        }
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }

    fn body(&mut self, operation: &Value) -> Option<(&'static str, String)> {
        let content = operation["requestBody"]["content"].as_object()?;
        let (kind, form) = content.iter().next()?;
        Some(match kind.as_str() {
            "application/json" => {
                ("application/json", self.value(&form["schema"], self.description, 0).to_string())
            }
            "application/x-ndjson" => ("application/x-ndjson", self.word()),
            _ => ("text/plain", self.word()),
        })
    }

    /// Generates a value of a schema, whose references point into the root.
    fn value(&mut self, schema: &Value, root: &Value, depth: usize) -> Value {
        if let Some(pointer) = schema["$ref"].as_str() {
            let schema = root.pointer(pointer.trim_start_matches('#')).unwrap();
            return self.value(schema, root, depth + 1);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        for several in ["enum", "anyOf", "oneOf"] {
            if let Some(several) = schema[several].as_array().filter(|several| !several.is_empty()) {
                let one = several[self.below(several.len())].clone();
                return if schema.get("enum").is_some() { one } else { self.value(&one, root, depth + 1) };
            }
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ if schema.get("properties").is_some() => vec!["object"],
            _ => vec!["string"],
        };
        match kinds[self.below(kinds.len())] {
            "object" => self.object(schema, root, depth),
            "array" if depth < DEPTH_MAX => json!([self.value(&schema["items"], root, depth + 1)]),
            "array" => json!([]),
            "integer" | "number" => {
                let least = schema["minimum"].as_u64().unwrap_or(0);
                json!(least + self.below(3) as u64)
            }
            // Make real changes more often than dry runs.
            "boolean" => json!(self.below(3) == 0),
            "null" => Value::Null,
            _ => Value::String(self.word()),
        }
    }

    fn object(&mut self, schema: &Value, root: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_needed =
                schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
            if is_needed || depth < DEPTH_MAX && self.below(3) == 0 {
                object.insert(name.clone(), self.value(property, root, depth + 1));
            }
        }
        Value::Object(object)
    }

    /// Reseeds, so that the requests of one endpoint do not depend on the other endpoints.
    fn seed(&mut self, name: &str) {
        self.random = name.bytes().fold(7, |seed, byte| seed * 31 % 1_000_003 + u64::from(byte));
    }

    fn word(&mut self) -> String {
        self.words[self.below(self.words.len())].clone()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).unwrap() % bound
    }
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}
