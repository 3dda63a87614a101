//! A parser for server-sent events as specified by the HTML standard.

use std::collections::VecDeque;

/// Splits a byte stream into events, whatever its chunks.
#[derive(Default)]
pub(super) struct Events {
    /// The incomplete current line.
    line: Vec<u8>,
    /// The data of the incomplete current event.
    data: Option<String>,
    complete: VecDeque<String>,
    /// Whether the last byte was a carriage return. A following line feed belongs to the same line ending.
    is_after_return: bool,
}

impl Events {
    /// Adds the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' if self.is_after_return => self.is_after_return = false,
                b'\n' | b'\r' => {
                    self.is_after_return = *byte == b'\r';
                    self.end_line();
                }
                byte => {
                    self.is_after_return = false;
                    self.line.push(*byte);
                }
            }
        }
    }

    /// Returns the data of the next complete event.
    pub(super) fn next(&mut self) -> Option<String> {
        self.complete.pop_front()
    }

    /// Returns the number of buffered bytes of an incomplete event.
    pub(super) fn waiting(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, String::len)
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            self.complete.extend(self.data.take());
            return;
        }
        // Comments start with a colon. Of the fields, only `data` matters.
        let line = String::from_utf8_lossy(&line);
        let Some(data) = line.trim_start_matches('\u{feff}').strip_prefix("data:") else { return };
        let data = data.strip_prefix(' ').unwrap_or(data);
        match &mut self.data {
            Some(before) => {
                before.push('\n');
                before.push_str(data);
            }
            None => self.data = Some(data.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let stream =
            ": ping\r\n\r\ndata: {\"a\":\r\ndata:1}\n\nevent: x\nid: 1\ndata: żółw\r\n\r\ndata\n\ndata: cut";
        let whole = ["{\"a\":\n1}", "żółw"];
        for size in 1..stream.len() {
            let mut events = Events::default();
            let mut found = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                events.feed(chunk);
                found.extend(std::iter::from_fn(|| events.next()));
            }
            assert_eq!(found, whole, "in chunks of {size}");
            assert_eq!(events.waiting(), "data: cut".len());
        }
    }
}
