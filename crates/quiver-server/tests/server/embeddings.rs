//! Vectors for `OpenAI` clients.

use std::sync::Arc;

use quiver::{
    Quiver,
    models::{Embedder, Embedding, Encoder, Fingerprint, Input, Result, Role},
};
use quiver_server::{Config, Keys, Server};
use serde_json::{Value, json};

use crate::support::Stand;

/// Embeds a text as its length, and a question reversed.
#[derive(Debug)]
struct Lengths(Fingerprint);

#[async_trait::async_trait]
impl Embedder for Lengths {
    fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        let vector = |input: &Input<'_>| {
            let (sin, cos) = (input.text.len() as f32).sin_cos();
            let text = if role == Role::Query { vec![cos, sin] } else { vec![sin, cos] };
            Embedding { text: text.clone(), spans: input.spans.iter().map(|_| text.clone()).collect() }
        };
        Ok(inputs.iter().map(vector).collect())
    }
}

async fn stand() -> Stand {
    let fingerprint = Fingerprint {
        model: "lengths".to_owned(),
        dimension: 2,
        normalisation: "unit".to_owned(),
        tokenizer: "none".to_owned(),
    };
    let encoder = Encoder::with_embedder(Arc::new(Lengths(fingerprint)));
    let quiver = Quiver::builder().memory().encoder(encoder).open().await.unwrap();
    let keys = Keys::open(tempfile::tempdir().unwrap().path().join("none")).unwrap();
    Stand::of(Server::new(quiver, keys, Config::default()))
}

/// Returns the numbers of a vector in a reply.
fn numbers_of(embedding: &Value) -> Vec<f32> {
    serde_json::from_value(embedding["embedding"].clone()).unwrap()
}

async fn embed(stand: &Stand, asked: &Value) -> Value {
    let reply = stand.post("/v1/embeddings", asked).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    serde_json::from_slice(&reply.body).unwrap()
}

#[tokio::test]
async fn texts_are_embedded_in_their_order() {
    let stand = stand().await;
    let one = embed(&stand, &json!({ "input": "ferry", "model": "quiver", "user": "me" })).await;
    assert_eq!((&one["object"], &one["model"]), (&json!("list"), &json!("lengths")));
    assert_eq!(one["data"].as_array().unwrap().len(), 1);
    let numbers = [5.0_f32.sin(), 5.0_f32.cos()];
    let embedding = &one["data"][0];
    assert_eq!((&embedding["object"], &embedding["index"]), (&json!("embedding"), &json!(0)));
    assert_eq!(numbers_of(embedding), numbers);
    assert!(one["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
    assert_eq!(one["usage"]["prompt_tokens"], one["usage"]["total_tokens"]);
    let many = embed(&stand, &json!({ "input": ["a", "ferry"], "model": "lengths", "dimensions": 2 })).await;
    assert_eq!((numbers_of(&many["data"][1]), &many["data"][1]["index"]), (numbers.to_vec(), &json!(1)));
    assert_ne!(many["data"][0]["embedding"], many["data"][1]["embedding"]);
    let asked = embed(&stand, &json!({ "input": "ferry", "input_type": "query" })).await;
    assert_eq!(numbers_of(&asked["data"][0]), [numbers[1], numbers[0]]);
    // The bytes of the numbers, which OpenAI clients request by default.
    let coded = embed(&stand, &json!({ "input": "ferry", "encoding_format": "base64" })).await;
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    assert_eq!(coded["data"][0]["embedding"], base64(&bytes));
}

/// Encodes eight bytes as base64, by hand.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let mut text = String::new();
    for at in (0..bits.len()).step_by(6) {
        let six = format!("{:0<6}", &bits[at..(at + 6).min(bits.len())]);
        text.push(char::from(LETTERS[usize::from_str_radix(&six, 2).unwrap()]));
    }
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

#[tokio::test]
async fn what_can_not_be_embedded_is_said() {
    let with = stand().await;
    for (asked, place) in [
        (json!({ "input": [] }), "input"),
        (json!({ "input": [1, 2] }), "input"),
        (json!({ "input": " " }), "input"),
        (json!({ "input": ["a", ""] }), "input[1]"),
        (json!({ "input": vec!["a"; 2049] }), "input"),
        (json!({ "input": "a", "model": "text-embedding-3-small" }), "model"),
        (json!({ "input": "a", "dimensions": 512 }), "dimensions"),
        (json!({ "input": "a", "encoding_format": "hex" }), "encoding_format"),
        (json!({}), "body"),
    ] {
        let (code, named, detail) = with.post("/v1/embeddings", &asked).await.problem(400);
        assert_eq!((code.as_str(), named.as_str()), ("invalid", place), "{asked}: {detail}");
    }
    let without = Stand::new().await.post("/v1/embeddings", &json!({ "input": "a" })).await;
    let (code, _, detail) = without.problem(404);
    assert!(code == "not_found" && detail.contains("`embedder`"), "{detail}");
}
