//! Reads responses.

use serde::Deserialize;

#[derive(Deserialize)]
struct Reply {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Returns the vectors of a response in the order of the texts, or a description of what is wrong.
pub(super) fn vectors(body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let reply: Reply = serde_json::from_slice(body).map_err(|error| {
        // The parser's message quotes at most one token of the response.
        format!("did not return embeddings: {error}")
    })?;
    if reply.data.len() != count {
        return Err(format!("returned {} vectors for {count} texts", reply.data.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, Item { index, embedding }) in reply.data.into_iter().enumerate() {
        // Endpoints that omit the index answer in order.
        let index = index.unwrap_or(position);
        match vectors.get_mut(index) {
            Some(free @ None) => *free = Some(embedding),
            Some(Some(_)) => return Err(format!("returned two vectors for text {index}")),
            None => return Err(format!("returned a vector for text {index} of {count}")),
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}
