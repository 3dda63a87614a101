//! The parser: recursive descent over tokens, with limits on nesting, so that no query exhausts the stack.

mod clause;
mod expression;
mod lexer;
mod pattern;

use self::lexer::{Lexeme, Token};
use crate::{
    ast::Query,
    error::{Error, Place, Result, syntax},
};

/// Maximum length of a query in bytes.
pub(crate) const BYTES_MAX: usize = 256 * 1024;
/// Maximum nesting of brackets.
const NESTING_MAX: usize = 60;
/// Maximum height of an expression: nesting and chains of operators together.
const HEIGHT_MAX: usize = 250;

/// Maximum number of attempts to parse something nested.
const ATTEMPTS_MAX: usize = 200_000;

/// A keyword before the first clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prefix {
    #[default]
    None,
    Explain,
    Profile,
}

pub(crate) fn parse(text: &str) -> Result<(Prefix, Query)> {
    if text.len() > BYTES_MAX {
        return Err(syntax(format!(
            "the query has {} bytes, but at most {BYTES_MAX} are allowed; use parameters",
            text.len()
        )));
    }
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser { text, tokens, at: 0, nesting: 0, attempts: 0, height: 0, children: 0 };
    let prefix = parser.query_prefix();
    let query = parser.query()?;
    parser.take_symbol(";");
    if parser.peek() != &Token::End {
        return Err(parser.unexpected("the end of the query"));
    }
    Ok((prefix, query))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Lexeme>,
    at: usize,
    nesting: usize,
    /// How often something nested was parsed, including failed attempts: what looks like a pattern may be parsed twice.
    attempts: usize,
    /// The height of the last parsed expression.
    height: usize,
    /// The greatest height among the parts of the atom being parsed.
    children: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].token
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    fn place(&self) -> Place {
        Place(self.tokens[self.at].start)
    }

    /// Returns the end of the token before the current one.
    fn end_before(&self) -> usize {
        if self.at == 0 { 0 } else { self.tokens[self.at - 1].end }
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].token.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<()> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(self.unexpected(&format!("{symbol:?}"))) }
    }

    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes several keywords, or none of them.
    fn take_words(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(ahead, word)| self.is_word_at(ahead, word));
        if found {
            self.at += words.len();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    /// Parses the name of a variable, label, type, key or function.
    fn name(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Token::Word(name) | Token::Quoted(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn unexpected(&self, wanted: &str) -> Error {
        let lexeme = &self.tokens[self.at];
        let found = match &lexeme.token {
            Token::End => "the end of the query".to_owned(),
            _ => format!("{:?}", &self.text[lexeme.start..lexeme.end]),
        };
        syntax(format!("expected {wanted}, found {found}")).at(Place(lexeme.start))
    }

    /// Parses something within brackets, one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting == NESTING_MAX {
            return Err(
                syntax(format!("the query is nested more than {NESTING_MAX} levels deep")).at(self.place())
            );
        }
        self.attempts += 1;
        if self.attempts > ATTEMPTS_MAX {
            return Err(syntax("the query is too complex to parse; use fewer nested parts").at(self.place()));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }
}
