//! Server-sent events with the progress of an answer.

use std::{collections::VecDeque, convert::Infallible, future::Future, pin::Pin, time::Duration};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, Sse},
};
use futures::stream;
use serde::Serialize;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::sleep,
};
use tracing::{Instrument as _, Span};

use crate::problem::Problem;

/// How often an idle stream sends a sign of life.
const ALIVE_EVERY: Duration = Duration::from_secs(10);

/// The destination of events.
pub(crate) type Sender = UnboundedSender<Event>;

/// Creates an event with a name and JSON.
pub(crate) fn event(name: &str, data: &impl Serialize) -> Event {
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}

struct Streamed<F> {
    work: Option<Pin<Box<F>>>,
    receiver: UnboundedReceiver<Event>,
    last: VecDeque<Event>,
}

/// Streams the events that work sends, and then those it returns. The work ends if the client disconnects.
pub(crate) fn stream<F>(work: impl FnOnce(Sender) -> F) -> Response
where
    F: Future<Output = Result<Vec<Event>, Problem>> + Send + 'static,
{
    // At most as many as a question has stages and its answer has sentences.
    let (sender, receiver) = unbounded_channel();
    // The work belongs to the request, although the reply has already begun.
    let work = work(sender).instrument(Span::current());
    let begun = Streamed { work: Some(Box::pin(work)), receiver, last: VecDeque::new() };
    let events = stream::unfold(begun, |mut streamed| async move {
        loop {
            if let Some(event) = streamed.last.pop_front() {
                return Some((Ok::<_, Infallible>(event), streamed));
            }
            let work = streamed.work.as_mut()?;
            tokio::select! {
                biased;
                Some(event) = streamed.receiver.recv() => return Some((Ok(event), streamed)),
                () = sleep(ALIVE_EVERY) => return Some((Ok(Event::default().comment("")), streamed)),
                done = work => {
                    streamed.work = None;
                    while let Ok(event) = streamed.receiver.try_recv() {
                        streamed.last.push_back(event);
                    }
                    match done {
                        Ok(events) => streamed.last.extend(events),
                        Err(problem) => streamed.last.push_back(event("error", &problem)),
                    }
                }
            }
        }
    });
    Sse::new(events).into_response()
}
