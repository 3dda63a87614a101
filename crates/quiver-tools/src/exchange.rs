//! One request and its reply, without a session, as clients send them over HTTP.

use std::{convert::Infallible, future::ready, mem};

use futures::{sink, stream};
use rmcp::{
    ErrorData, RoleServer, Service as _,
    model::{
        CallToolResult, ClientCapabilities, ClientJsonRpcMessage, ClientRequest, ContentBlock, ErrorCode,
        GetMeta as _, Implementation, InitializeRequestParams, JsonRpcRequest, ProtocolVersion, RequestId,
        ServerJsonRpcMessage, ServerResult,
    },
    service::{RequestContext, serve_directly},
};
use serde_json::{Value, json};

use crate::Tools;

/// A message from a client.
#[derive(Debug)]
pub enum Message {
    /// A request, which gets a reply.
    Call(Box<Call>),
    /// A notification, which gets no reply.
    Notice,
    /// An invalid message, with the reply for the client.
    Unreadable(Value),
}

/// A request from a client.
#[derive(Debug)]
pub struct Call {
    id: RequestId,
    request: ClientRequest,
    version: ProtocolVersion,
}

impl Message {
    /// Parses a message of a client that speaks this version of the protocol. If none is given, the oldest version with
    /// HTTP is assumed.
    pub fn read(message: Value, version: Option<ProtocolVersion>) -> Self {
        let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        let is_list = message.is_array();
        match serde_json::from_value::<ClientJsonRpcMessage>(message) {
            Ok(ClientJsonRpcMessage::Request(JsonRpcRequest { id, request, .. })) => {
                let version = version.unwrap_or(ProtocolVersion::V_2025_03_26);
                Self::Call(Box::new(Call { id, request, version }))
            }
            Ok(_) => Self::Notice,
            Err(_) => {
                let why = if is_list {
                    "send one message at a time: the protocol no longer supports batches"
                } else {
                    "this is not a Model Context Protocol message: it needs `jsonrpc`, `method` and `params`"
                };
                Self::Unreadable(failed(id, ErrorData::invalid_request(why, None)))
            }
        }
    }

    /// Parses the name of a protocol version.
    ///
    /// # Errors
    /// Fails if the version is unknown; the text lists the known ones.
    pub fn version(name: &str) -> Result<ProtocolVersion, String> {
        let known = ProtocolVersion::KNOWN_VERSIONS;
        known.iter().find(|version| version.as_str() == name).cloned().ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(ProtocolVersion::as_str).collect();
            format!(
                "{name:?} is not a known version of the protocol; the known versions are {}",
                names.join(", ")
            )
        })
    }
}

impl Call {
    /// Returns the called tool, if the request calls one.
    pub fn tool(&self) -> Option<&str> {
        match &self.request {
            ClientRequest::CallToolRequest(call) => Some(&call.params.name),
            _ => None,
        }
    }

    /// Whether the client asks for progress.
    pub fn wants_progress(&self) -> bool {
        self.request.get_meta().get_progress_token().is_some()
    }

    /// Returns the conversation named in the arguments of a tool.
    pub fn session(&self) -> Option<&str> {
        match &self.request {
            ClientRequest::CallToolRequest(call) => call.params.arguments.as_ref()?.get("session")?.as_str(),
            _ => None,
        }
    }

    /// Returns a function that makes the reply for a refused request, given the reason.
    pub fn refusal(&self) -> impl FnOnce(&str) -> Value + use<> {
        let (id, is_tool) = (self.id.clone(), self.tool().is_some());
        move |why| {
            if !is_tool {
                return failed(Some(id), ErrorData::internal_error(why.to_owned(), None));
            }
            let mut refused = CallToolResult::error(vec![ContentBlock::text(why)]);
            refused.result_type = None;
            done(id, ServerResult::CallToolResult(refused))
        }
    }
}

impl Tools {
    /// Answers a request. Dropping the future ends the work.
    pub async fn answer(&self, call: Call) -> Value {
        self.answer_telling(call, |_| {}).await
    }

    /// Answers a request, and reports its progress if the client asks for that: `tell` gets notifications to send
    /// before the reply.
    pub async fn answer_telling(&self, call: Call, tell: impl Fn(Value) + Send + Sync + 'static) -> Value {
        let Call { id, mut request, version } = call;
        let version = match &request {
            ClientRequest::InitializeRequest(asked) => asked.params.protocol_version.clone(),
            _ => version,
        };
        let client = InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
            .with_protocol_version(version);
        let told = sink::unfold((), move |(), message: ServerJsonRpcMessage| {
            if let Ok(message) = serde_json::to_value(message) {
                tell(message);
            }
            ready(Ok::<_, Infallible>(()))
        });
        // Nobody sends more.
        let transport = (told, stream::pending());
        let service = serve_directly::<RoleServer, _, _, _, _>(self.clone(), transport, Some(client));
        let mut context = RequestContext::new(id.clone(), service.peer().clone());
        mem::swap(&mut context.meta, request.get_meta_mut());
        match self.handle_request(request, context).await {
            Ok(result) => done(id, result),
            Err(error) => failed(Some(id), error),
        }
    }
}

fn done(id: RequestId, result: ServerResult) -> Value {
    serde_json::to_value(ServerJsonRpcMessage::response(result, id)).unwrap_or_else(|_| unwritten())
}

fn failed(id: Option<RequestId>, error: ErrorData) -> Value {
    serde_json::to_value(ServerJsonRpcMessage::error(error, id)).unwrap_or_else(|_| unwritten())
}

fn unwritten() -> Value {
    json!({ "jsonrpc": "2.0", "error": { "code": ErrorCode::INTERNAL_ERROR.0, "message": "the reply can't be serialized" } })
}
