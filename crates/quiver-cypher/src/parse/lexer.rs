//! Splits a query into tokens.

use crate::error::{Place, Result, syntax};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A word, as written; keywords are words too.
    Word(String),
    /// A name in backticks, which is never a keyword.
    Quoted(String),
    Integer(i64),
    /// The magnitude of the smallest integer, valid only after a minus.
    LeastInteger,
    Float(f64),
    String(String),
    Parameter(String),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Longer symbols come first.
const SYMBOLS: &[&str] = &[
    "<=", ">=", "<>", "=~", "+=", "..", "(", ")", "[", "]", "{", "}", ",", ".", ";", ":", "|", "+", "-", "*",
    "/", "%", "^", "=", "<", ">",
];

/// Maximum number of tokens in a query.
const TOKENS_MAX: usize = 20_000;

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Lexeme>> {
    let mut lexer = Lexer { text, at: 0 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blank()?;
        let start = lexer.at;
        let token = lexer.token().map_err(|error| error.at(Place(start)))?;
        let done = token == Token::End;
        found.push(Lexeme { token, start, end: lexer.at });
        if done {
            return Ok(found);
        }
        if found.len() > TOKENS_MAX {
            return Err(syntax(format!("the query is longer than {TOKENS_MAX} tokens; use parameters"))
                .at(Place(start)));
        }
    }
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blank(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
                    .len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(syntax("the comment is not closed: \"*/\" is missing").at(Place(self.at)));
                };
                self.at += end + 2;
            } else if blank == 0 {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        let second = rest.chars().nth(1);
        if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
            return self.number();
        }
        match first {
            '\'' | '"' => self.string(first).map(Token::String),
            '`' => self.backticks().map(Token::Quoted),
            '$' => self.parameter(),
            c if is_name_start(c) => Ok(Token::Word(self.name())),
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => {
                    self.at += symbol.len();
                    Ok(Token::Symbol(symbol))
                }
                None => Err(syntax(format!("unexpected character {first:?}"))),
            },
        }
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let length = rest.find(|c: char| !is_name_part(c)).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        self.at += length;
        name
    }

    fn parameter(&mut self) -> Result<Token> {
        self.at += 1;
        if self.rest().starts_with('`') {
            return self.backticks().map(Token::Parameter);
        }
        let name = self.name();
        if name.is_empty() {
            Err(syntax("a parameter requires a name after \"$\""))
        } else {
            Ok(Token::Parameter(name))
        }
    }

    fn backticks(&mut self) -> Result<String> {
        self.at += 1;
        let mut name = String::new();
        loop {
            let rest = self.rest();
            let Some(end) = rest.find('`') else {
                return Err(syntax("the name is not closed: \"`\" is missing"));
            };
            name.push_str(&rest[..end]);
            let doubled = rest[end + 1..].starts_with('`');
            self.at += end + 1;
            if !doubled {
                return Ok(name);
            }
            name.push('`');
            self.at += 1;
        }
    }

    fn string(&mut self, quote: char) -> Result<String> {
        self.at += 1;
        let mut value = String::new();
        loop {
            let Some(c) = self.rest().chars().next() else {
                return Err(syntax(format!("the string is not closed: {quote} is missing")));
            };
            self.at += c.len_utf8();
            if c == quote {
                return Ok(value);
            }
            if c != '\\' {
                value.push(c);
                continue;
            }
            let Some(escaped) = self.rest().chars().next() else {
                return Err(syntax("the string ends after a backslash"));
            };
            self.at += escaped.len_utf8();
            value.push(match escaped {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                '\\' | '\'' | '"' | '`' | '/' => escaped,
                'u' => self.code_point(4)?,
                'U' => self.code_point(8)?,
                other => return Err(syntax(format!("\\{other} is not an escape sequence"))),
            });
        }
    }

    fn code_point(&mut self, digits: usize) -> Result<char> {
        let found = self.rest().get(..digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        let c = found.and_then(char::from_u32);
        let c = c.ok_or_else(|| {
            syntax(format!("\\u requires {digits} hexadecimal digits of a Unicode character"))
        })?;
        self.at += digits;
        Ok(c)
    }

    fn number(&mut self) -> Result<Token> {
        let rest = self.rest();
        for (prefix, radix) in [("0x", 16), ("0o", 8)] {
            if let Some(digits) = rest.strip_prefix(prefix) {
                let length = digits.find(|c: char| !is_name_part(c)).unwrap_or(digits.len());
                let digits = &digits[..length];
                let value = u64::from_str_radix(digits, radix);
                let whole = rest[..length + 2].to_owned();
                self.at += length + 2;
                return match value {
                    Ok(value) => {
                        integer(value).ok_or_else(|| syntax(format!("{whole} is too large for an integer")))
                    }
                    Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => {
                        Err(syntax(format!("{whole} is too large for an integer")))
                    }
                    Err(_) => Err(syntax(format!("{whole} is not a number"))),
                };
            }
        }
        let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let mut length = digits(rest);
        let mut is_float = false;
        if rest[length..].starts_with('.') && digits(&rest[length + 1..]) > 0 {
            length += 1 + digits(&rest[length + 1..]);
            is_float = true;
        }
        if rest[length..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
            let exponent = digits(&rest[length + 1 + sign..]);
            if exponent > 0 {
                length += 1 + sign + exponent;
                is_float = true;
            }
        }
        let number = rest[..length].to_owned();
        let after = &rest[length..];
        if after.starts_with(is_name_part) {
            let bad = length + after.find(|c: char| !is_name_part(c)).unwrap_or(after.len());
            return Err(syntax(format!("{} is not a number; a name can't begin with a digit", &rest[..bad])));
        }
        self.at += length;
        if is_float {
            let value: f64 = number.parse().map_err(|_| syntax(format!("{number} is not a number")))?;
            return if value.is_finite() {
                Ok(Token::Float(value))
            } else {
                Err(syntax(format!("{number} is too large for a floating-point number")))
            };
        }
        // A leading zero means an octal number in old Cypher; only zero itself is valid now.
        let value: Option<u64> = number.parse().ok();
        value.and_then(integer).ok_or_else(|| syntax(format!("{number} is too large for an integer")))
    }
}

fn integer(magnitude: u64) -> Option<Token> {
    match i64::try_from(magnitude) {
        Ok(value) => Some(Token::Integer(value)),
        Err(_) if magnitude == i64::MIN.unsigned_abs() => Some(Token::LeastInteger),
        Err(_) => None,
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
