//! Patterns of nodes and relationships.

use super::{Parser, lexer::Token};
use crate::{
    ast::{Direction, Expression, NodePattern, Pattern, RelationshipPattern, Shortest},
    error::{Result, syntax},
};

impl Parser<'_> {
    pub(super) fn patterns(&mut self) -> Result<Vec<Pattern>> {
        let mut patterns = vec![self.pattern()?];
        while self.take_symbol(",") {
            patterns.push(self.pattern()?);
        }
        Ok(patterns)
    }

    pub(super) fn pattern(&mut self) -> Result<Pattern> {
        let place = self.place();
        let variable = match (self.peek().clone(), self.peek_at(1)) {
            (Token::Word(name) | Token::Quoted(name), Token::Symbol("=")) => {
                self.advance();
                self.advance();
                Some(name)
            }
            _ => None,
        };
        let shortest = if self.is_word("shortestPath") {
            Shortest::One
        } else if self.is_word("allShortestPaths") {
            Shortest::All
        } else {
            Shortest::No
        };
        let mut pattern = if shortest == Shortest::No {
            self.chain()?
        } else {
            self.advance();
            self.expect_symbol("(")?;
            let pattern = self.chain()?;
            self.expect_symbol(")")?;
            if pattern.relationships.len() != 1 {
                return Err(
                    syntax("a shortest path requires exactly one relationship between two nodes").at(place)
                );
            }
            pattern
        };
        pattern.variable = variable;
        pattern.shortest = shortest;
        pattern.place = place;
        Ok(pattern)
    }

    /// Nodes with relationships between them.
    pub(super) fn chain(&mut self) -> Result<Pattern> {
        let place = self.place();
        // A pattern in its own brackets.
        if self.is_symbol("(") && matches!(self.peek_at(1), Token::Symbol("(")) {
            self.advance();
            let inner = self.nested(Self::chain)?;
            self.expect_symbol(")")?;
            return Ok(inner);
        }
        let mut nodes = vec![self.node()?];
        let mut relationships = Vec::new();
        while self.is_symbol("-") || self.is_symbol("<") {
            relationships.push(self.relationship()?);
            nodes.push(self.node()?);
        }
        Ok(Pattern { variable: None, shortest: Shortest::No, nodes, relationships, place })
    }

    fn variable(&mut self) -> Option<String> {
        match self.peek().clone() {
            Token::Word(name) | Token::Quoted(name) => {
                self.advance();
                Some(name)
            }
            _ => None,
        }
    }

    fn node(&mut self) -> Result<NodePattern> {
        let place = self.place();
        self.expect_symbol("(")?;
        let variable = self.variable();
        let labels = if self.is_symbol(":") { self.labels()? } else { Vec::new() };
        let properties = self.pattern_properties()?;
        if !self.take_symbol(")") {
            return Err(self.unexpected("\")\" at the end of the node"));
        }
        Ok(NodePattern { variable, labels, properties, place })
    }

    pub(super) fn labels(&mut self) -> Result<Vec<String>> {
        let mut labels = Vec::new();
        while self.take_symbol(":") {
            labels.push(self.name("a label")?);
        }
        Ok(labels)
    }

    fn pattern_properties(&mut self) -> Result<Option<Expression>> {
        match self.peek().clone() {
            Token::Symbol("{") => self.map().map(Some),
            Token::Parameter(name) => {
                let place = self.place();
                self.advance();
                Ok(Some(Expression::Parameter(name, place)))
            }
            _ => Ok(None),
        }
    }

    fn relationship(&mut self) -> Result<RelationshipPattern> {
        let place = self.place();
        let incoming = self.take_symbol("<");
        self.expect_symbol("-")?;
        let mut found = RelationshipPattern {
            variable: None,
            types: Vec::new(),
            properties: None,
            direction: Direction::Either,
            length: None,
            place,
        };
        if self.take_symbol("[") {
            found.variable = self.variable();
            if self.take_symbol(":") {
                loop {
                    found.types.push(self.name("a type of relationship")?);
                    if !self.take_symbol("|") {
                        break;
                    }
                    self.take_symbol(":");
                }
            }
            if self.take_symbol("*") {
                found.length = Some(self.length()?);
            }
            found.properties = self.pattern_properties()?;
            self.expect_symbol("]")?;
        }
        self.expect_symbol("-")?;
        let outgoing = self.take_symbol(">");
        found.direction = match (incoming, outgoing) {
            (true, false) => Direction::Incoming,
            (false, true) => Direction::Outgoing,
            _ => Direction::Either,
        };
        Ok(found)
    }

    /// Parses what follows the star of a variable length.
    fn length(&mut self) -> Result<(Option<u64>, Option<u64>)> {
        let least = self.bound()?;
        if !self.take_symbol("..") {
            return Ok((least, least));
        }
        Ok((least, self.bound()?))
    }

    fn bound(&mut self) -> Result<Option<u64>> {
        let Token::Integer(bound) = *self.peek() else { return Ok(None) };
        self.advance();
        u64::try_from(bound).map(Some).map_err(|_| syntax("a length can't be negative").at(self.place()))
    }
}
