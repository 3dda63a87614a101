//! Resources that clients read without a tool call: the size of the database, the names for queries, and documents.

use std::fmt::Write as _;

use quiver::Quiver;
use quiver_forms::agent::Counted;
use rmcp::{
    ErrorData,
    model::{
        ListResourcesResult, MetaObject, PaginatedRequestParams, ReadResourceResult, Resource,
        ResourceContents, ResourceTemplate, ResultType,
    },
};
use serde_json::{Value, json};

use crate::Tools;

/// The names that queries can use: labels, relationship types and property keys.
const SCHEMA: &str = "quiver://schema";
/// The size of the database.
const STATS: &str = "quiver://stats";
/// The page that shows how an answer was found. It is not listed, because tools refer to it.
const PATH: &str = "ui://quiver/path";
/// The type of pages that clients show next to the result of a tool.
const APP_TYPE: &str = "text/html;profile=mcp-app";
/// The prefix of document addresses; the percent-encoded key follows.
const DOCUMENTS: &str = "quiver://documents/";
/// Number of documents listed at once.
const DOCUMENTS_AT_ONCE: usize = 100;

/// Returns the template of document addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{DOCUMENTS}{{key}}"), "document")
        .with_title("A document")
        .with_description("The full text of a document, by its percent-encoded key.")
        .with_mime_type("text/plain");
    vec![template]
}

/// Returns metadata that tells a client to show the result of a tool on the page.
pub(crate) fn shown_by_page() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert("ui".to_owned(), json!({ "resourceUri": PATH }));
    meta
}

impl Tools {
    /// Lists the resources, with one page of the documents at a time.
    pub(crate) async fn list(
        &self,
        asked: Option<PaginatedRequestParams>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let after = asked.and_then(|asked| asked.cursor).map(|cursor| decoded(&cursor)).transpose();
        let after = after.map_err(|()| ErrorData::invalid_params("the cursor is invalid", None))?;
        let quiver = self.opened().await?;
        let listed = quiver.documents().await.map_err(|error| self.failed(error))?;
        let mut keys = listed
            .into_iter()
            .map(|document| document.key)
            .filter(|key| after.as_ref().is_none_or(|after| key > after));
        let part: Vec<String> = keys.by_ref().take(DOCUMENTS_AT_ONCE).collect();
        let next_cursor = keys.next().and_then(|_| part.last().map(|key| encoded(key)));
        let mut resources = if after.is_none() { first() } else { Vec::new() };
        resources.extend(part.into_iter().map(|key| {
            Resource::new(format!("{DOCUMENTS}{}", encoded(&key)), key).with_mime_type("text/plain")
        }));
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    pub(crate) async fn read_resource_at(&self, address: &str) -> Result<ReadResourceResult, ErrorData> {
        let unknown = || {
            let why = format!("there is no resource {address:?}; `resources/list` lists the resources");
            ErrorData::resource_not_found(why, Some(json!({ "uri": address })))
        };
        let json = |value: Value| {
            ResourceContents::text(value.to_string(), address).with_mime_type("application/json")
        };
        let contents = match address {
            SCHEMA => json(schema(&*self.opened().await?).await.map_err(|error| self.failed(error))?),
            PATH => ResourceContents::text(quiver_page::app(), address).with_mime_type(APP_TYPE),
            STATS => {
                let stats = self.opened().await?.stats().await.map_err(|error| self.failed(error))?;
                json(serde_json::to_value(counted(stats)).unwrap_or_default())
            }
            _ => {
                let key = address.strip_prefix(DOCUMENTS).ok_or_else(unknown)?;
                let key = decoded(key).map_err(|()| unknown())?;
                let passages = self.opened().await?.passages_of(&key).await;
                let passages = passages.map_err(|error| self.failed(error))?;
                if passages.is_empty() {
                    return Err(unknown());
                }
                let text: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
                ResourceContents::text(text.join("\n\n"), address)
            }
        };
        let mut read = ReadResourceResult::new(vec![contents]);
        read.result_type = Some(ResultType::COMPLETE);
        Ok(read)
    }

    async fn opened(&self) -> Result<std::sync::Arc<Quiver>, ErrorData> {
        self.database().read().await.map_err(|why| ErrorData::internal_error(why, None))
    }

    fn failed(&self, error: quiver::Error) -> ErrorData {
        ErrorData::internal_error(self.database().tell(error), None)
    }
}

/// Returns the resources that every database has.
fn first() -> Vec<Resource> {
    vec![
        Resource::new(STATS, "stats")
            .with_title("Size")
            .with_description("The numbers of documents, passages, entities and relations in the workspace.")
            .with_mime_type("application/json"),
        Resource::new(SCHEMA, "schema")
            .with_title("Names for queries")
            .with_description(
                "The labels, relationship types and property keys that the tool `query` can use.",
            )
            .with_mime_type("application/json"),
    ]
}

/// Returns the names that queries can use.
async fn schema(quiver: &Quiver) -> quiver::Result<Value> {
    let names = async |query: &str| {
        let rows = quiver.query(query).await?;
        let names = rows.rows.iter().flatten().map(|value| rows.json(value));
        Ok::<_, quiver::Error>(names.collect::<Vec<Value>>())
    };
    Ok(json!({
        "labels": names("CALL db.labels()").await?,
        "relationship_types": names("CALL db.relationshipTypes()").await?,
        "property_keys": names("CALL db.propertyKeys()").await?,
    }))
}

/// Returns the size of the workspace.
pub(crate) fn counted(stats: quiver::Stats) -> Counted {
    Counted {
        workspace: stats.workspace,
        documents: stats.documents,
        passages: stats.passages,
        entities: stats.entities,
        relations: stats.relations,
    }
}

/// Encodes a key as a part of an address.
fn encoded(key: &str) -> String {
    let mut encoded = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing into a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Decodes the key in an address.
fn decoded(encoded: &str) -> Result<String, ()> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16)).ok_or(());
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).map_err(|_| ())?);
    }
    String::from_utf8(bytes).map_err(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{decoded, encoded};

    #[test]
    fn every_key_comes_back_from_its_address() {
        for key in ["notes/ferry.md", "a b%2F", "ä/€", "", "x?y#z", "%"] {
            let address = encoded(key);
            assert!(
                address.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?# ".contains(&byte)),
                "{address}"
            );
            assert_eq!(decoded(&address).as_deref(), Ok(key));
        }
        for broken in ["%", "%2", "%zz", "%ff", "%+1"] {
            assert_eq!(decoded(broken), Err(()), "{broken}");
        }
    }
}
