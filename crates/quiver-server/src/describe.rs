//! The `OpenAPI` 3.1 description of the server, generated from the table of endpoints and the forms.

use std::{collections::BTreeMap, sync::LazyLock};

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    endpoint::{Content, Endpoint, SchemaOf, endpoints},
    gate::Access,
    problem::Details,
};

/// The served description.
pub(crate) static TEXT: LazyLock<String> = LazyLock::new(description);

/// Generates the description.
pub fn description() -> String {
    let settings = || {
        SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
    };
    let mut generators = Generators {
        taken: settings().for_deserialize().into_generator(),
        given: settings().for_serialize().into_generator(),
    };
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in endpoints() {
        let operation = operation(&endpoint, &mut generators);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.as_str().to_ascii_lowercase()] = operation;
    }
    let refusals = refusals(&mut generators.given);
    let mut schemas: Map<String, Value> = generators.taken.take_definitions(true);
    for (name, schema) in generators.given.take_definitions(true) {
        let known = schemas.insert(name.clone(), schema.clone());
        assert!(known.is_none_or(|known| known == schema), "two forms are called {name}");
    }
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Quiver",
            "version": "1",
            "description": "Questions, memory and documents over a vector database.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": refusals,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key from `quiver keys create`. A server without keys does not require one.",
                },
            },
        },
    });
    let mut text = serde_json::to_string_pretty(&sorted(document)).expect("the description is JSON");
    text.push('\n');
    text
}

/// Sorts the keys of a value, since the order must not depend on the features that the JSON crate was built with.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(list) => list.into_iter().map(sorted).collect(),
        other => other,
    }
}

struct Generators {
    taken: SchemaGenerator,
    given: SchemaGenerator,
}

fn operation(endpoint: &Endpoint, generators: &mut Generators) -> Value {
    let mut operation = json!({
        "operationId": endpoint.operation(),
        "summary": endpoint.summary,
        "parameters": parameters(endpoint, &mut generators.taken),
        "responses": responses(endpoint, &mut generators.given),
    });
    match endpoint.takes {
        Content::None => {}
        content => {
            let content = contents(content, &mut generators.taken);
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
    }
    if let Access::Role(role) = endpoint.access {
        operation["security"] = json!([{ "key": [] }, {}]);
        operation["description"] =
            json!(format!("Requires a key with the role `{}`, if the server uses keys.", role.word()));
    }
    operation
}

fn contents(content: Content, generator: &mut SchemaGenerator) -> Value {
    match content {
        Content::None => json!({}),
        Content::Json(schema) => json!({ "application/json": { "schema": schema(generator) } }),
        Content::JsonOrFiles(schema) => json!({
            "application/json": { "schema": schema(generator) },
            "multipart/form-data": { "schema": {
                "type": "object",
                "properties": {
                    "file": { "type": "array", "minItems": 1, "items": { "type": "string", "format": "binary" } },
                },
                "required": ["file"],
                "additionalProperties": false,
            } },
        }),
        // A stream contains events, which no schema of its text describes.
        Content::Text(&["text/event-stream"]) => json!({ "text/event-stream": {} }),
        Content::Text(types) => {
            let schema = |kind: &str| {
                if kind.starts_with("text/") || kind.ends_with("json") {
                    json!({ "schema": { "type": "string" } })
                } else {
                    // OpenAPI 3.1 describes bytes by their media type alone.
                    json!({})
                }
            };
            types.iter().map(|kind| ((*kind).to_owned(), schema(kind))).collect()
        }
    }
}

/// The parameters in paths.
const IN_PATHS: [(&str, &str); 2] = [
    ("key", "The key of the document, with each slash encoded as %2F."),
    ("id", "The ID: `id` in another reply."),
];

fn parameters(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut parameters = Vec::new();
    for (name, description) in IN_PATHS {
        if endpoint.path.contains(&format!("{{{name}}}")) {
            parameters.push(json!({
                "name": name,
                "in": "path",
                "required": true,
                "description": description,
                "schema": { "type": "string", "minLength": 1 },
            }));
        }
    }
    if let Some(schema) = endpoint.query {
        parameters.extend(query(schema, generator));
    }
    if endpoint.access != Access::Open && endpoint.path != "/metrics" {
        parameters.push(json!({
            "name": "Quiver-Workspace",
            "in": "header",
            "required": false,
            "description": "The workspace. Default: that of the key, or else that of the server.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[^\\u0000-\\u001f\\u007f]+$" },
        }));
    }
    parameters
}

/// Returns the parameters in the query string, which are the fields of a form.
fn query(schema: SchemaOf, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut own =
        generator.settings().clone().with(|settings| settings.inline_subschemas = true).into_generator();
    let form = serde_json::to_value(schema(&mut own)).unwrap_or_default();
    let required: Vec<&str> =
        form["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let fields = form["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| {
            let mut schema = field.clone();
            // An omitted parameter is absent, never null.
            if let Some(types) = schema["type"].as_array_mut() {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    schema["type"] = only.clone();
                }
            }
            let fields = schema.as_object_mut();
            let description = fields.and_then(|fields| {
                if fields.get("default").is_some_and(Value::is_null) {
                    fields.remove("default");
                }
                fields.remove("description")
            });
            json!({
                "name": name,
                "in": "query",
                "required": required.contains(&name.as_str()),
                "description": description,
                "schema": schema,
            })
        })
        .collect()
}

/// The statuses of all refusals, with their meanings.
const REFUSALS: &[(u16, &str)] = &[
    (400, "The request is invalid; `place` names the invalid part."),
    (401, "A key is needed."),
    (403, "The key does not allow this, or the origin is not allowed."),
    (404, "The document, session, entity or job does not exist, or the server does not have this endpoint."),
    (408, "The request took too long."),
    (413, "The body is too large."),
    (415, "The type of the body is not supported."),
    (421, "The request is for another host."),
    (422, "A web page can't be fetched, or a page or a file can't be read or contains no text."),
    (429, "Too many requests; `Retry-After` says when to retry."),
    (500, "Something went wrong; the server's log says what."),
    (503, "The database can't be used."),
    (507, "The disk is full."),
];

/// Returns the refusals as parts of the description, by status.
fn refusals(generator: &mut SchemaGenerator) -> Value {
    let problem = generator.subschema_for::<Details<'_>>();
    let refusal = |(status, description): &(u16, &str)| {
        let content = json!({ "application/problem+json": { "schema": problem } });
        (status.to_string(), json!({ "description": description, "content": content }))
    };
    REFUSALS.iter().map(refusal).collect()
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let content = contents(endpoint.gives, generator);
    let mut responses = json!({});
    responses[endpoint.status.to_string()] = match endpoint.status {
        202 => json!({
            "description": "Accepted; `Location` is the address of its status.",
            "headers": { "Location": { "required": true, "schema": { "type": "string" } } },
            "content": content,
        }),
        _ => json!({ "description": "Done.", "content": content }),
    };
    if endpoint.path == "/mcp" {
        responses["202"] = json!({ "description": "Accepted; there is no reply." });
        // A client that asks for progress gets messages, the last of which is the reply.
        responses["200"]["content"]["text/event-stream"] = json!({});
    }
    let takes = !matches!(endpoint.takes, Content::None);
    for (status, _) in REFUSALS {
        let is_possible = match (status, endpoint.access) {
            (403 | 421, _) => true,
            (503, Access::Open) => endpoint.path == "/readyz",
            (_, Access::Open) => false,
            (404, _) => {
                endpoint.path.contains('{')
                    || matches!(endpoint.path, "/v1/command" | "/v1/embeddings" | "/v1/forget" | "/v1/jobs")
                    || matches!(endpoint.path, "/v1/merges" | "/v1/renames" | "/v1/splits" | "/v1/deletions")
            }
            (413 | 415, _) => takes,
            (422, _) => endpoint.path.starts_with("/v1/documents") && takes,
            _ => true,
        };
        if is_possible {
            responses[status.to_string()] = json!({ "$ref": format!("#/components/responses/{status}") });
        }
    }
    if endpoint.path == "/mcp" {
        let problem = generator.subschema_for::<Details<'_>>();
        responses["400"] = json!({
            "description": "The request is invalid or is not a valid message; the error message says why.",
            "content": { "application/problem+json": { "schema": problem }, "application/json": {} },
        });
    }
    responses
}
