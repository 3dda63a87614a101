//! Estimates the usage of a request before it is sent.
//!
//! Each model has its own tokenizer. Without it, [`tokens`] uses rules that hold for most of them: frequent words are
//! one token, long and rare words several, and scripts without spaces about one token per character. Use the
//! estimates for planning and limits, not for billing.

use super::{ChatRequest, Format, Prices, Tally, Usage};

/// Tokens that mark the start and end of a message and its role.
const MESSAGE_TOKENS: u64 = 4;
/// Tokens that start the reply.
const REPLY_TOKENS: u64 = 3;

/// Estimates the number of tokens in a text.
///
/// ```
/// use quiver_models::chat::estimate::tokens;
///
/// assert_eq!(tokens(""), 0);
/// assert_eq!(tokens("tiktoken is great!"), 5);
/// ```
pub fn tokens(text: &str) -> u64 {
    let mut tokens = 0;
    let mut run = Run::default();
    for character in text.chars() {
        let kind = Kind::of(character);
        if kind != run.kind {
            tokens += run.tokens();
            run = Run { kind, characters: 0 };
        }
        run.characters += 1;
    }
    tokens + run.tokens()
}

/// Estimates the maximum usage of a request: the tokens sent, and the longest reply allowed.
pub fn usage_max(request: &ChatRequest) -> Usage {
    Usage { tokens_in: tokens_in(request), tokens_out: u64::from(request.tokens_max), is_estimate: true }
}

/// Estimates the maximum usage and cost of a request as a tally, so that a plan can add them up.
pub fn tally_max(request: &ChatRequest, prices: &Prices) -> Tally {
    let usage = usage_max(request);
    Tally {
        calls: 1,
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        is_estimate: true,
        cost_nano: prices.cost_nano(usage),
        ..Tally::default()
    }
}

/// Estimates the number of tokens that a request sends.
pub fn tokens_in(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(|message| tokens(&message.text) + MESSAGE_TOKENS);
    let schema = match &request.format {
        Format::Text => 0,
        Format::Json { schema, .. } => tokens(&schema.to_string()),
    };
    messages.sum::<u64>() + schema + REPLY_TOKENS
}

/// A run of characters of one kind.
#[derive(Default)]
struct Run {
    kind: Kind,
    characters: u64,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Space,
    /// ASCII letters.
    Plain,
    Digit,
    /// Letters of other alphabets, and letters with diacritics.
    Alphabetic,
    /// Characters that stand for syllables or words.
    Ideographic,
    Sign,
}

impl Kind {
    fn of(character: char) -> Self {
        match character {
            ' ' => Self::Space,
            'a'..='z' | 'A'..='Z' => Self::Plain,
            '0'..='9' => Self::Digit,
            // From the Thai block on, most scripts are written without spaces or with several bytes per character.
            '\u{0e00}'.. => Self::Ideographic,
            character if character.is_alphabetic() => Self::Alphabetic,
            _ => Self::Sign,
        }
    }
}

impl Run {
    fn tokens(&self) -> u64 {
        match self.kind {
            // A single space belongs to the word after it; several spaces are one token.
            Kind::Space => u64::from(self.characters > 1),
            Kind::Plain => self.characters.div_ceil(6),
            Kind::Digit | Kind::Alphabetic => self.characters.div_ceil(3),
            Kind::Ideographic => self.characters,
            Kind::Sign => self.characters.div_ceil(2),
        }
    }
}
