//! What a request will take, before it is made.
//!
//! Models count tokens by vocabularies of their own. Without one at hand, [`tokens`] counts what such vocabularies have
//! in common: frequent words are one token, long and rare ones several, and scripts without spaces about one token per
//! character. It is meant for plans and limits, not for bills.

use super::{ChatRequest, Format, Prices, Tally, Usage};

/// Tokens that mark where a message begins and ends, and who speaks.
const MESSAGE_TOKENS: u64 = 4;
/// Tokens that open the reply.
const REPLY_TOKENS: u64 = 3;

/// Estimates how many tokens a text has.
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

/// Estimates what a request takes: the tokens that are sent, and the most that may come back.
pub fn usage_max(request: &ChatRequest) -> Usage {
    Usage { tokens_in: tokens_in(request), tokens_out: u64::from(request.tokens_max), is_estimate: true }
}

/// Estimates the most that a request takes and costs, to be added up before the work begins.
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

/// Estimates how many tokens a request sends.
pub fn tokens_in(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(|message| tokens(&message.text) + MESSAGE_TOKENS);
    let schema = match &request.format {
        Format::Text => 0,
        Format::Json { schema, .. } => tokens(&schema.to_string()),
    };
    messages.sum::<u64>() + schema + REPLY_TOKENS
}

/// Characters of one kind that stand together.
#[derive(Default)]
struct Run {
    kind: Kind,
    characters: u64,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Space,
    /// Letters of English.
    Plain,
    Digit,
    /// Letters of other alphabets, and marked ones.
    Alphabetic,
    /// Characters that are syllables or words.
    Ideographic,
    Sign,
}

impl Kind {
    fn of(character: char) -> Self {
        match character {
            ' ' => Self::Space,
            'a'..='z' | 'A'..='Z' => Self::Plain,
            '0'..='9' => Self::Digit,
            // From the Thai block on most scripts write words without spaces or with characters of several bytes.
            '\u{0e00}'.. => Self::Ideographic,
            character if character.is_alphabetic() => Self::Alphabetic,
            _ => Self::Sign,
        }
    }
}

impl Run {
    fn tokens(&self) -> u64 {
        match self.kind {
            // A space belongs to the word after it, and several are one token.
            Kind::Space => u64::from(self.characters > 1),
            Kind::Plain => self.characters.div_ceil(6),
            Kind::Digit | Kind::Alphabetic => self.characters.div_ceil(3),
            Kind::Ideographic => self.characters,
            Kind::Sign => self.characters.div_ceil(2),
        }
    }
}
