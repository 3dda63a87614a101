//! Expressions, by precedence climbing.

use super::{HEIGHT_MAX, Parser, lexer::Token};
use crate::{
    ast::{Binary, Expression, Literal, MapItem, Quantifier, Subquery},
    error::{Place, Result, syntax},
};

/// Precedences, the weakest first.
const OR: u8 = 1;
const XOR: u8 = 2;
const AND: u8 = 3;
const NOT: u8 = 4;
const COMPARISON: u8 = 5;
const PREDICATE: u8 = 6;
const SUM: u8 = 7;
const PRODUCT: u8 = 8;
const POWER: u8 = 9;

/// Operators other than comparisons, which chain, and predicates of words.
fn operator(token: &Token) -> Option<(Binary, u8)> {
    let Token::Symbol(symbol) = token else { return None };
    Some(match *symbol {
        "+" => (Binary::Add, SUM),
        "-" => (Binary::Subtract, SUM),
        "*" => (Binary::Multiply, PRODUCT),
        "/" => (Binary::Divide, PRODUCT),
        "%" => (Binary::Modulo, PRODUCT),
        "^" => (Binary::Power, POWER),
        "=" => (Binary::Equal, COMPARISON),
        "<>" => (Binary::Unequal, COMPARISON),
        "<" => (Binary::Less, COMPARISON),
        "<=" => (Binary::LessOrEqual, COMPARISON),
        ">" => (Binary::Greater, COMPARISON),
        ">=" => (Binary::GreaterOrEqual, COMPARISON),
        "=~" => (Binary::Matches, COMPARISON),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expression> {
        let outer = std::mem::take(&mut self.children);
        let parsed = self.nested(|parser| parser.binary(0))?;
        self.children = outer.max(self.height);
        Ok(parsed)
    }

    fn grow(&self, height: usize) -> Result<usize> {
        if height >= HEIGHT_MAX {
            let message = format!(
                "an expression has more than {HEIGHT_MAX} operators in a chain; use a list or parameters"
            );
            return Err(syntax(message).at(self.place()));
        }
        Ok(height + 1)
    }

    fn next_operator(&self) -> Option<(Binary, u8, usize)> {
        if let Some((operator, precedence)) = operator(self.peek()) {
            return Some((operator, precedence, 1));
        }
        let words: [(&[&str], Binary, u8); 7] = [
            (&["OR"], Binary::Or, OR),
            (&["XOR"], Binary::Xor, XOR),
            (&["AND"], Binary::And, AND),
            (&["STARTS", "WITH"], Binary::StartsWith, PREDICATE),
            (&["ENDS", "WITH"], Binary::EndsWith, PREDICATE),
            (&["CONTAINS"], Binary::Contains, PREDICATE),
            (&["IN"], Binary::In, PREDICATE),
        ];
        let found = words
            .into_iter()
            .find(|(words, ..)| words.iter().enumerate().all(|(ahead, word)| self.is_word_at(ahead, word)));
        found.map(|(words, operator, precedence)| (operator, precedence, words.len()))
    }

    fn binary(&mut self, least: u8) -> Result<Expression> {
        let mut left = self.prefix(least)?;
        let mut height = self.height;
        loop {
            if least <= PREDICATE && self.is_word("IS") {
                self.advance();
                let negated = self.take_word("NOT");
                self.expect_word("NULL")?;
                height = self.grow(height)?;
                left = if negated {
                    Expression::IsNotNull(Box::new(left))
                } else {
                    Expression::IsNull(Box::new(left))
                };
                continue;
            }
            let place = self.place();
            let Some((operator, precedence, tokens)) =
                self.next_operator().filter(|found| found.1 >= least.max(1))
            else {
                break;
            };
            if precedence == COMPARISON {
                left = self.comparison(left, &mut height)?;
                continue;
            }
            self.at += tokens;
            let right = self.binary(precedence + 1)?;
            height = self.grow(height.max(self.height))?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right), place);
        }
        self.height = height;
        Ok(left)
    }

    /// Parses one comparison, or several in a chain, which is true if each of them is.
    fn comparison(&mut self, first: Expression, height: &mut usize) -> Result<Expression> {
        let mut pairs = Vec::new();
        let mut left = first;
        while let Some((operator, COMPARISON, _)) = self.next_operator() {
            let place = self.place();
            self.advance();
            let right = self.binary(COMPARISON + 1)?;
            *height = self.grow((*height).max(self.height))?;
            pairs.push(Expression::Binary(operator, Box::new(left), Box::new(right.clone()), place));
            left = right;
            if pairs.len() > HEIGHT_MAX {
                return Err(syntax("the chain of comparisons is too long").at(place));
            }
        }
        Ok(if pairs.len() == 1 { pairs.remove(0) } else { Expression::Chain(pairs) })
    }

    fn prefix(&mut self, least: u8) -> Result<Expression> {
        if least <= NOT && self.is_word("NOT") {
            self.advance();
            let inner = self.nested(|parser| parser.binary(NOT))?;
            self.height = self.grow(self.height)?;
            return Ok(Expression::Not(Box::new(inner)));
        }
        self.unary()
    }

    fn unary(&mut self) -> Result<Expression> {
        if self.take_symbol("-") {
            if self.peek() == &Token::LeastInteger {
                self.advance();
                self.height = 1;
                return Ok(Expression::Literal(Literal::Integer(i64::MIN)));
            }
            let inner = self.nested(Self::unary)?;
            self.height = self.grow(self.height)?;
            return Ok(match inner {
                Expression::Literal(Literal::Integer(value)) => Expression::Literal(Literal::Integer(-value)),
                Expression::Literal(Literal::Float(value)) => Expression::Literal(Literal::Float(-value)),
                inner => Expression::Negate(Box::new(inner)),
            });
        }
        if self.take_symbol("+") {
            let inner = self.nested(Self::unary)?;
            self.height = self.grow(self.height)?;
            return Ok(Expression::Plus(Box::new(inner)));
        }
        self.postfix()
    }

    pub(super) fn postfix(&mut self) -> Result<Expression> {
        let outer = std::mem::take(&mut self.children);
        let mut value = self.atom()?;
        let mut height = self.grow(self.children)?;
        loop {
            let place = self.place();
            if self.take_symbol(".") {
                let key = self.name("the name of a property")?;
                value = Expression::Property(Box::new(value), key, place);
            } else if self.take_symbol("[") {
                value = self.index(value, place)?;
                height = height.max(self.height);
            } else if self.is_symbol(":") {
                value = Expression::HasLabels(Box::new(value), self.labels()?);
            } else if self.is_symbol("{") && matches!(value, Expression::Variable(..)) {
                value = self.map_projection(value, place)?;
            } else {
                break;
            }
            height = self.grow(height)?;
        }
        self.children = outer;
        self.height = height;
        Ok(value)
    }

    fn index(&mut self, value: Expression, place: Place) -> Result<Expression> {
        let from = if self.is_symbol("..") { None } else { Some(Box::new(self.expression()?)) };
        if self.take_symbol("..") {
            let to = if self.is_symbol("]") { None } else { Some(Box::new(self.expression()?)) };
            self.expect_symbol("]")?;
            return Ok(Expression::Slice(Box::new(value), from, to, place));
        }
        self.expect_symbol("]")?;
        match from {
            Some(index) => Ok(Expression::Index(Box::new(value), index, place)),
            None => Err(self.unexpected("an index")),
        }
    }

    fn atom(&mut self) -> Result<Expression> {
        let place = self.place();
        let literal = match self.peek().clone() {
            Token::Integer(value) => Literal::Integer(value),
            Token::Float(value) => Literal::Float(value),
            Token::String(value) => Literal::String(value),
            Token::LeastInteger => {
                return Err(syntax("9223372036854775808 is too large for an integer").at(place));
            }
            Token::Parameter(name) => {
                self.advance();
                return Ok(Expression::Parameter(name, place));
            }
            Token::Quoted(name) => {
                self.advance();
                if self.is_symbol("(") {
                    return self.function(name, place);
                }
                return Ok(Expression::Variable(name, place));
            }
            Token::Symbol("(") => return self.parenthesised(),
            Token::Symbol("[") => return self.list(),
            Token::Symbol("{") => return self.map(),
            Token::Word(word) => return self.word(word, place),
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(Expression::Literal(literal))
    }

    /// A pattern, or an expression in parentheses.
    fn parenthesised(&mut self) -> Result<Expression> {
        let start = self.at;
        if let Ok(pattern) = self.nested(Self::chain)
            && !pattern.relationships.is_empty()
        {
            return Ok(Expression::Pattern(Box::new(pattern)));
        }
        self.at = start;
        self.expect_symbol("(")?;
        let inner = self.expression()?;
        self.expect_symbol(")")?;
        Ok(inner)
    }

    fn list(&mut self) -> Result<Expression> {
        if let Some(found) = self.pattern_comprehension()? {
            return Ok(found);
        }
        self.expect_symbol("[")?;
        let is_comprehension =
            matches!(self.peek(), Token::Word(_) | Token::Quoted(_)) && self.is_word_at(1, "IN");
        if is_comprehension {
            let start = self.at;
            let variable = self.name("a variable")?;
            self.advance();
            let list = Box::new(self.expression()?);
            let filter = self.filter()?.map(Box::new);
            let map = if self.take_symbol("|") { Some(Box::new(self.expression()?)) } else { None };
            // `[x IN list]` is a comprehension too; `[x IN list, y]` is a list.
            if self.take_symbol("]") {
                return Ok(Expression::ListComprehension { variable, list, filter, map });
            }
            if filter.is_some() || map.is_some() {
                return Err(self.unexpected("\"]\""));
            }
            self.at = start;
        }
        let mut items = Vec::new();
        while !self.take_symbol("]") {
            if !items.is_empty() {
                self.expect_symbol(",")?;
            }
            items.push(self.expression()?);
        }
        Ok(Expression::List(items))
    }

    /// Parses `[(a)-->(b) WHERE … | …]`, with or without a name before the pattern.
    fn pattern_comprehension(&mut self) -> Result<Option<Expression>> {
        let start = self.at;
        self.expect_symbol("[")?;
        let named = matches!(self.peek(), Token::Word(_) | Token::Quoted(_))
            && matches!(self.peek_at(1), Token::Symbol("="))
            && matches!(self.peek_at(2), Token::Symbol("("));
        if named || self.is_symbol("(") {
            let parsed = self.nested(Self::pattern);
            if let Ok(pattern) = parsed
                && !pattern.relationships.is_empty()
                && (self.is_word("WHERE") || self.is_symbol("|"))
            {
                let filter = self.filter()?.map(Box::new);
                self.expect_symbol("|")?;
                let map = Box::new(self.expression()?);
                self.expect_symbol("]")?;
                return Ok(Some(Expression::PatternComprehension {
                    pattern: Box::new(pattern),
                    filter,
                    map,
                }));
            }
        }
        self.at = start;
        Ok(None)
    }

    pub(super) fn map(&mut self) -> Result<Expression> {
        self.expect_symbol("{")?;
        let mut entries = Vec::new();
        while !self.take_symbol("}") {
            if !entries.is_empty() {
                self.expect_symbol(",")?;
            }
            let key = self.name("a key")?;
            self.expect_symbol(":")?;
            entries.push((key, self.expression()?));
        }
        Ok(Expression::Map(entries))
    }

    fn map_projection(&mut self, of: Expression, place: Place) -> Result<Expression> {
        self.expect_symbol("{")?;
        let mut items = Vec::new();
        while !self.take_symbol("}") {
            if !items.is_empty() {
                self.expect_symbol(",")?;
            }
            if self.take_symbol(".") {
                items.push(if self.take_symbol("*") {
                    MapItem::Everything
                } else {
                    MapItem::Property(self.name("a key")?)
                });
                continue;
            }
            let place = self.place();
            let key = self.name("a key")?;
            items.push(if self.take_symbol(":") {
                MapItem::Entry(key, self.expression()?)
            } else {
                MapItem::Entry(key.clone(), Expression::Variable(key, place))
            });
        }
        Ok(Expression::MapProjection(Box::new(of), items, place))
    }

    fn word(&mut self, word: String, place: Place) -> Result<Expression> {
        let called = matches!(self.peek_at(1), Token::Symbol("("));
        let upper = word.to_ascii_uppercase();
        match upper.as_str() {
            "TRUE" | "FALSE" if !called => {
                self.advance();
                return Ok(Expression::Literal(Literal::Boolean(upper == "TRUE")));
            }
            "NULL" if !called => {
                self.advance();
                return Ok(Expression::Literal(Literal::Null));
            }
            "CASE" if !called || !matches!(self.peek_at(1), Token::Symbol("." | "," | ")")) => {
                return self.case();
            }
            "COUNT" if called && matches!(self.peek_at(2), Token::Symbol("*")) => {
                self.at += 3;
                self.expect_symbol(")")?;
                return Ok(Expression::CountAll(place));
            }
            "EXISTS" | "COUNT" if matches!(self.peek_at(1), Token::Symbol("{")) => {
                self.advance();
                let body = Box::new(self.nested(Self::subquery)?);
                return Ok(if upper == "EXISTS" {
                    Expression::Exists(body)
                } else {
                    Expression::Count(body)
                });
            }
            "ALL" | "ANY" | "NONE" | "SINGLE" if called && self.is_word_at(3, "IN") => {
                return self.quantified(&upper);
            }
            "REDUCE" if called => return self.reduce(),
            "SHORTESTPATH" | "ALLSHORTESTPATHS" if called => {
                return Ok(Expression::Pattern(Box::new(self.nested(Self::pattern)?)));
            }
            _ => {}
        }
        self.advance();
        if called {
            return self.function(word, place);
        }
        // A function in a namespace, such as `duration.between`.
        if self.is_symbol(".") {
            let mut ahead = 0;
            let mut name = word.clone();
            while let (Token::Symbol("."), Token::Word(part)) = (self.peek_at(ahead), self.peek_at(ahead + 1))
            {
                name = format!("{name}.{part}");
                ahead += 2;
            }
            if ahead > 0 && matches!(self.peek_at(ahead), Token::Symbol("(")) {
                self.at += ahead;
                return self.function(name, place);
            }
        }
        Ok(Expression::Variable(word, place))
    }

    fn function(&mut self, name: String, place: Place) -> Result<Expression> {
        self.expect_symbol("(")?;
        let distinct = self.take_word("DISTINCT");
        let mut arguments = Vec::new();
        while !self.take_symbol(")") {
            if !arguments.is_empty() {
                self.expect_symbol(",")?;
            }
            arguments.push(self.expression()?);
        }
        Ok(Expression::Function { name, distinct, arguments, place })
    }

    fn case(&mut self) -> Result<Expression> {
        self.advance();
        let subject = if self.is_word("WHEN") { None } else { Some(Box::new(self.expression()?)) };
        let mut branches = Vec::new();
        while self.take_word("WHEN") {
            let when = self.expression()?;
            self.expect_word("THEN")?;
            branches.push((when, self.expression()?));
        }
        if branches.is_empty() {
            return Err(self.unexpected("WHEN"));
        }
        let otherwise = if self.take_word("ELSE") { Some(Box::new(self.expression()?)) } else { None };
        self.expect_word("END")?;
        Ok(Expression::Case { subject, branches, otherwise })
    }

    fn quantified(&mut self, word: &str) -> Result<Expression> {
        let quantifier = match word {
            "ALL" => Quantifier::All,
            "ANY" => Quantifier::Any,
            "NONE" => Quantifier::None,
            _ => Quantifier::Single,
        };
        self.advance();
        self.expect_symbol("(")?;
        let variable = self.name("a variable")?;
        self.expect_word("IN")?;
        let list = Box::new(self.expression()?);
        self.expect_word("WHERE")?;
        let filter = Box::new(self.expression()?);
        self.expect_symbol(")")?;
        Ok(Expression::Quantified { quantifier, variable, list, filter })
    }

    fn reduce(&mut self) -> Result<Expression> {
        self.advance();
        self.expect_symbol("(")?;
        let accumulator = self.name("a variable")?;
        self.expect_symbol("=")?;
        let start = Box::new(self.expression()?);
        self.expect_symbol(",")?;
        let variable = self.name("a variable")?;
        self.expect_word("IN")?;
        let list = Box::new(self.expression()?);
        self.expect_symbol("|")?;
        let step = Box::new(self.expression()?);
        self.expect_symbol(")")?;
        Ok(Expression::Reduce { accumulator, start, variable, list, step })
    }

    fn subquery(&mut self) -> Result<Subquery> {
        self.expect_symbol("{")?;
        let is_query = [
            "MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "CREATE", "MERGE", "SET", "DELETE",
            "REMOVE", "DETACH",
        ]
        .iter()
        .any(|word| self.is_word(word))
            && !matches!(self.peek_at(1), Token::Symbol("="));
        let subquery = if is_query {
            Subquery::Query(Box::new(self.query()?))
        } else {
            Subquery::Pattern { patterns: self.patterns()?, filter: self.filter()?.map(Box::new) }
        };
        self.expect_symbol("}")?;
        Ok(subquery)
    }
}
