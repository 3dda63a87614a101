//! A lenient JSON parser.
//!
//! In addition to JSON, it accepts common mistakes of models: single quotes, missing or extra commas, comments, line
//! breaks in strings, and Python constants. If it can't continue, it keeps what is complete.

use serde_json::{Map, Number, Value};

/// Maximum nesting depth of lists and objects.
const DEPTH_MAX: usize = 64;

/// JSON found in a text.
pub(super) struct Found {
    pub(super) value: Value,
    /// Its length in bytes.
    length: usize,
    /// The offset at which parsing stopped, unless the value is complete.
    pub(super) broken_at: Option<usize>,
}

/// Finds the longest object or list in a text; the first of several equally long ones.
pub(super) fn largest(text: &str) -> Option<Found> {
    let mut largest: Option<Found> = None;
    let mut at = 0;
    while let Some(begin) = text[at..].find(['{', '[']).map(|offset| at + offset) {
        let mut parser = Parser { text, at: begin, broken_at: None };
        let value = parser.value(0);
        let length = parser.at - begin;
        // Nested values are already covered. Skipping them also keeps the run time linear for a text of brackets.
        at = parser.at.max(begin + 1);
        let Some(value) = value else { continue };
        // A bracket in prose stops the parser at once and yields an empty value.
        let is_empty =
            value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
        if parser.broken_at.is_some() && is_empty {
            continue;
        }
        if largest.as_ref().is_none_or(|largest| length > largest.length) {
            largest = Some(Found { value, length, broken_at: parser.broken_at });
        }
    }
    largest
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    broken_at: Option<usize>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes a character if it is next.
    fn take(&mut self, expected: char) -> bool {
        let is_next = self.peek() == Some(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    /// Records that parsing stops here.
    fn stop<T>(&mut self) -> Option<T> {
        self.broken_at.get_or_insert(self.at);
        None
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        loop {
            let rest = self.rest();
            let next =
                rest.trim_start_matches(|character: char| character.is_whitespace() || is_skipped(character));
            let comment = if next.starts_with("//") {
                next.find('\n').unwrap_or(next.len())
            } else if next.starts_with("/*") {
                next.find("*/").map_or(next.len(), |end| end + 2)
            } else {
                0
            };
            let skipped = rest.len() - next.len() + comment;
            if skipped == 0 {
                return;
            }
            self.at += skipped;
        }
    }

    /// Parses a value; `None` if it is truncated or not a value.
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip(|_| false);
        match self.peek() {
            Some('{') if depth < DEPTH_MAX => Some(self.object(depth)),
            Some('[') if depth < DEPTH_MAX => Some(self.list(depth)),
            Some('"' | '\'') => self.string().map(Value::String),
            Some('-' | '+' | '0'..='9') => self.number(),
            Some(character) if character.is_alphabetic() => self.constant(),
            _ => self.stop(),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut members = Map::new();
        self.take('{');
        loop {
            self.skip(|character| character == ',');
            if self.take('}') {
                break;
            }
            let key = if matches!(self.peek(), Some('"' | '\'')) { self.string() } else { self.stop() };
            let Some(key) = key else { break };
            self.skip(|_| false);
            if !self.take(':') {
                self.broken_at.get_or_insert(self.at);
                break;
            }
            members.extend(self.value(depth + 1).map(|value| (key, value)));
            if self.broken_at.is_some() {
                break;
            }
        }
        Value::Object(members)
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        self.take('[');
        loop {
            self.skip(|character| character == ',');
            if self.take(']') {
                break;
            }
            items.extend(self.value(depth + 1));
            if self.broken_at.is_some() {
                break;
            }
        }
        Value::Array(items)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek()?;
        let begin = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let Some(character) = self.peek() else {
                // A truncated string could mean something else, so drop it.
                self.at = begin;
                return self.stop();
            };
            self.at += character.len_utf8();
            match character {
                '\\' => self.escape(&mut string),
                character if character == quote => return Some(string),
                character => string.push(character),
            }
        }
    }

    fn escape(&mut self, string: &mut String) {
        let Some(character) = self.peek() else { return };
        self.at += character.len_utf8();
        string.push(match character {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => self.unicode(),
            other => other,
        });
    }

    /// Parses the digits after `\u`, including the second half of a surrogate pair.
    fn unicode(&mut self) -> char {
        let Some(unit) = self.hexadecimal(0) else { return char::REPLACEMENT_CHARACTER };
        self.at += 4;
        if (0xd800..0xdc00).contains(&unit)
            && self.rest().starts_with("\\u")
            && let Some(low) = self.hexadecimal(2).filter(|low| (0xdc00..0xe000).contains(low))
        {
            self.at += 6;
            let both = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            return char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hexadecimal(&self, offset: usize) -> Option<u32> {
        let digits = self.rest().get(offset..offset + 4)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    fn number(&mut self) -> Option<Value> {
        let is_part = |character: char| matches!(character, '+' | '-' | '.' | 'e' | 'E' | '0'..='9');
        let length = self.rest().find(|character| !is_part(character));
        // At the end of the text, the number may be truncated.
        let Some(length) = length else { return self.stop() };
        let digits = self.rest()[..length].trim_start_matches('+').to_owned();
        let number = serde_json::from_str::<Number>(&digits).ok();
        let number = number.or_else(|| digits.parse().ok().and_then(Number::from_f64));
        if number.is_none() {
            return self.stop();
        }
        self.at += length;
        number.map(Value::Number)
    }

    fn constant(&mut self) -> Option<Value> {
        let rest = self.rest();
        let length = rest.find(|character: char| !character.is_alphanumeric()).unwrap_or(rest.len());
        let value = match &rest[..length] {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" | "undefined" | "NaN" => Value::Null,
            _ => return self.stop(),
        };
        self.at += length;
        Some(value)
    }
}
