//! The tags and texts of XML, read as leniently as HTML: what is broken is passed over.

use super::fold;
use html5ever::{
    tendril::StrTendril,
    tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};
use std::cell::RefCell;

/// A piece of XML. Names are in small letters.
pub(super) enum Piece<'t> {
    Start(&'t str, &'t Tag),
    End(&'t str),
    Text(&'t str),
}

/// Gives each piece of a text in turn.
pub(super) fn pieces(text: &str, each: impl FnMut(Piece<'_>)) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let tokenizer = Tokenizer::new(Sink(RefCell::new(each)), TokenizerOpts::default());
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
}

/// The value of an attribute.
pub(super) fn attribute(tag: &Tag, name: &str) -> Option<String> {
    let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name)?;
    Some(found.value.to_string())
}

/// The text of the first element of a name.
pub(super) fn first_text(text: &str, name: &str) -> Option<String> {
    let (mut found, mut is_open, mut is_done) = (String::new(), false, false);
    pieces(text, |piece| match piece {
        Piece::Start(start, _) if start == name => is_open = !is_done,
        Piece::End(end) if end == name => (is_open, is_done) = (false, true),
        Piece::Text(part) if is_open => found.push_str(part),
        _ => {}
    });
    let found = fold(&found);
    (!found.is_empty()).then_some(found)
}

struct Sink<F>(RefCell<F>);

impl<F: FnMut(Piece<'_>)> TokenSink for Sink<F> {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut each = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => each(Piece::Text(&text)),
            Token::TagToken(tag) => {
                if tag.kind == TagKind::StartTag {
                    each(Piece::Start(&tag.name, &tag));
                }
                if tag.kind == TagKind::EndTag || tag.self_closing {
                    each(Piece::End(&tag.name));
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}
