//! Files that are embedded in a text as `data:` URIs: pictures of pages that were saved whole, and the like.

use std::ops::Range;

/// What stands before the data is never longer.
const HEAD_BYTES_MAX: usize = 256;
/// A shorter one may be an example that the text speaks of.
const DATA_BYTES_MIN: usize = 64;

/// A text without embedded files, and how many bytes of them it had.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stripped {
    pub(super) text: String,
    pub(super) files: usize,
    pub(super) bytes: usize,
}

/// Leaves the embedded files out of a text. A picture's description stays.
pub(super) fn strip(text: String) -> Stripped {
    let mut kept = String::new();
    let (mut copied, mut files, mut bytes) = (0, 0, 0);
    for (at, _) in text.match_indices("data:") {
        if at < copied {
            continue;
        }
        let Some(uri) = uri(&text, at) else { continue };
        kept.push_str(&text[copied..uri.start]);
        files += 1;
        bytes += uri.len();
        copied = uri.end;
        // A picture of Markdown is read as its description.
        if text[copied..].starts_with(')')
            && let Some(before) = kept.strip_suffix("](")
            && let Some(start) = before.rfind("![")
        {
            let description = before[start + "![".len()..].to_owned();
            kept.truncate(start);
            kept.push_str(&description);
            copied += 1;
        }
    }
    if files == 0 {
        return Stripped { text, files, bytes };
    }
    kept.push_str(&text[copied..]);
    Stripped { text: kept, files, bytes }
}

/// The URI that begins here, if one does and is long enough to be a file.
fn uri(text: &str, start: usize) -> Option<Range<usize>> {
    let after = &text.as_bytes()[start + "data:".len()..];
    let head = after.iter().take(HEAD_BYTES_MAX).position(|byte| *byte == b',')?;
    let is_head = |byte: &u8| byte.is_ascii_alphanumeric() || b"/+-._;=*\"".contains(byte);
    if !after[..head].iter().all(is_head) {
        return None;
    }
    let is_data = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-%.~!*:;@&$,?#".contains(byte);
    let length = after[head + 1..].iter().take_while(|byte| is_data(byte)).count();
    let end = start + "data:".len() + head + 1 + length;
    (length >= DATA_BYTES_MIN).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::{Stripped, strip};

    #[test]
    fn embedded_files_are_left_out_and_counted() {
        let data = "iVBORw0KGgo".repeat(20);
        let text = format!(
            "A ![mast](data:image/png;base64,{data}=) of <img src=\"data:image/gif;base64,{data}\">."
        );
        let uris = 2 * ("data:image/png;base64,".len() + data.len()) + 1;
        let expected = Stripped { text: "A mast of <img src=\"\">.".to_owned(), files: 2, bytes: uris };
        assert_eq!(strip(text), expected);
    }

    #[test]
    fn text_that_speaks_of_data_stays() {
        for text in ["data: none, or so we thought", "data:text/plain,hello", "data:", "metadata:x,y"] {
            assert_eq!(strip(text.to_owned()), Stripped { text: text.to_owned(), files: 0, bytes: 0 });
        }
    }
}
