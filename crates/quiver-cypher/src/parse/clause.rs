//! Queries, clauses and projections.

use super::{Parser, Prefix, lexer::Token};
use crate::{
    ast::{Clause, Expression, Item, Projection, Query, RemoveItem, SetItem},
    error::{Result, syntax},
    nearest::nearest,
};

const CLAUSES: &[&str] = &[
    "MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CREATE", "MERGE", "SET", "REMOVE", "DELETE", "DETACH",
    "CALL",
];

impl Parser<'_> {
    pub(super) fn query_prefix(&mut self) -> Prefix {
        if self.take_word("EXPLAIN") {
            Prefix::Explain
        } else if self.take_word("PROFILE") {
            Prefix::Profile
        } else {
            Prefix::None
        }
    }

    pub(super) fn query(&mut self) -> Result<Query> {
        let mut parts = vec![self.single_query()?];
        let mut kinds = Vec::new();
        while self.is_word("UNION") {
            let place = self.place();
            self.advance();
            kinds.push(self.take_word("ALL"));
            if kinds.iter().any(|kind| *kind != kinds[0]) {
                return Err(syntax("UNION and UNION ALL can't be mixed in one query").at(place));
            }
            parts.push(self.single_query()?);
        }
        Ok(Query { parts, union_all: kinds.first().copied().unwrap_or_default() })
    }

    fn single_query(&mut self) -> Result<Vec<Clause>> {
        let mut clauses = Vec::new();
        while self.peek() != &Token::End
            && !self.is_symbol(";")
            && !self.is_symbol("}")
            && !self.is_word("UNION")
        {
            clauses.push(self.clause()?);
        }
        if clauses.is_empty() {
            return Err(self.unexpected("a clause such as MATCH or RETURN"));
        }
        Ok(clauses)
    }

    fn clause(&mut self) -> Result<Clause> {
        let place = self.place();
        let Token::Word(word) = self.peek().clone() else {
            return Err(self.unexpected("a clause such as MATCH or RETURN"));
        };
        self.advance();
        match word.to_ascii_uppercase().as_str() {
            "OPTIONAL" => {
                self.expect_word("MATCH")?;
                self.match_clause(true, place)
            }
            "MATCH" => self.match_clause(false, place),
            "UNWIND" => {
                let list = self.expression()?;
                self.expect_word("AS")?;
                Ok(Clause::Unwind { list, variable: self.name("a variable")?, place })
            }
            "WITH" => {
                let projection = self.projection()?;
                let filter = self.filter()?;
                Ok(Clause::With { projection, filter })
            }
            "RETURN" => self.projection().map(Clause::Return),
            "CREATE" => Ok(Clause::Create { patterns: self.patterns()? }),
            "MERGE" => self.merge(),
            "SET" => self.set_items().map(Clause::Set),
            "REMOVE" => self.remove_items().map(Clause::Remove),
            "DELETE" => self.delete(false),
            "DETACH" => {
                self.expect_word("DELETE")?;
                self.delete(true)
            }
            "CALL" => self.call(place),
            "SHOW" => Err(syntax(
                "SHOW is not supported; CALL db.labels(), db.relationshipTypes() and db.propertyKeys() list the schema, and \
                 CALL dbms.components() the version",
            )
            .at(place)),
            _ => {
                let hint = nearest(&word, CLAUSES.iter().copied());
                let hint = hint.map(|clause| format!("; did you mean {clause}?")).unwrap_or_default();
                Err(syntax(format!("expected a clause such as MATCH or RETURN, found {word:?}{hint}"))
                    .at(place))
            }
        }
    }

    fn match_clause(&mut self, optional: bool, place: crate::error::Place) -> Result<Clause> {
        let patterns = self.patterns()?;
        Ok(Clause::Match { optional, patterns, filter: self.filter()?, place })
    }

    pub(super) fn filter(&mut self) -> Result<Option<Expression>> {
        if self.take_word("WHERE") { self.expression().map(Some) } else { Ok(None) }
    }

    fn projection(&mut self) -> Result<Projection> {
        let place = self.place();
        let distinct = self.take_word("DISTINCT");
        let everything = self.take_symbol("*");
        let mut items = Vec::new();
        if !everything || self.take_symbol(",") {
            loop {
                items.push(self.item()?);
                if !self.take_symbol(",") {
                    break;
                }
            }
        }
        let mut order = Vec::new();
        if self.take_words(&["ORDER", "BY"]) {
            loop {
                let expression = self.expression()?;
                let descending = self.take_word("DESC") || self.take_word("DESCENDING");
                if !descending && !self.take_word("ASC") {
                    self.take_word("ASCENDING");
                }
                order.push((expression, descending));
                if !self.take_symbol(",") {
                    break;
                }
            }
        }
        let skip =
            if self.take_word("SKIP") || self.take_word("OFFSET") { Some(self.expression()?) } else { None };
        let limit = if self.take_word("LIMIT") { Some(self.expression()?) } else { None };
        Ok(Projection { distinct, everything, items, order, skip, limit, place })
    }

    fn item(&mut self) -> Result<Item> {
        let start = self.tokens[self.at].start;
        let expression = self.expression()?;
        let written = self.text[start..self.end_before()].to_owned();
        if self.take_word("AS") {
            return Ok(Item { expression, name: self.name("a name")?, aliased: true });
        }
        let name = match &expression {
            Expression::Variable(name, _) => name.clone(),
            _ => written,
        };
        Ok(Item { expression, name, aliased: false })
    }

    fn merge(&mut self) -> Result<Clause> {
        let pattern = self.pattern()?;
        let (mut on_create, mut on_match) = (Vec::new(), Vec::new());
        while self.is_word("ON") {
            self.advance();
            let to = if self.take_word("CREATE") {
                &mut on_create
            } else if self.take_word("MATCH") {
                &mut on_match
            } else {
                return Err(self.unexpected("CREATE or MATCH"));
            };
            self.expect_word("SET")?;
            to.extend(self.set_items()?);
        }
        Ok(Clause::Merge { pattern, on_create, on_match })
    }

    fn set_items(&mut self) -> Result<Vec<SetItem>> {
        let mut items = Vec::new();
        loop {
            items.push(self.set_item()?);
            if !self.take_symbol(",") {
                return Ok(items);
            }
        }
    }

    fn set_item(&mut self) -> Result<SetItem> {
        let place = self.place();
        if let Token::Word(variable) | Token::Quoted(variable) = self.peek().clone() {
            match self.peek_at(1) {
                Token::Symbol(":") => {
                    self.advance();
                    return Ok(SetItem::Labels { variable, labels: self.labels()?, place });
                }
                Token::Symbol(operator @ ("=" | "+=")) => {
                    let add = *operator == "+=";
                    self.advance();
                    self.advance();
                    return Ok(SetItem::Properties { variable, value: self.expression()?, add, place });
                }
                _ => {}
            }
        }
        let (target, key) = self.property_target()?;
        self.expect_symbol("=")?;
        Ok(SetItem::Property { target, key, value: self.expression()? })
    }

    /// `n.key`, or an expression before the dot.
    fn property_target(&mut self) -> Result<(Expression, String)> {
        match self.postfix()? {
            Expression::Property(target, key, _) => Ok((*target, key)),
            _ => Err(self.unexpected("a property such as n.name")),
        }
    }

    fn remove_items(&mut self) -> Result<Vec<RemoveItem>> {
        let mut items = Vec::new();
        loop {
            let place = self.place();
            items.push(match (self.peek().clone(), self.peek_at(1)) {
                (Token::Word(variable) | Token::Quoted(variable), Token::Symbol(":")) => {
                    self.advance();
                    RemoveItem::Labels { variable, labels: self.labels()?, place }
                }
                _ => {
                    let (target, key) = self.property_target()?;
                    RemoveItem::Property { target, key }
                }
            });
            if !self.take_symbol(",") {
                return Ok(items);
            }
        }
    }

    fn delete(&mut self, detach: bool) -> Result<Clause> {
        let mut expressions = vec![self.expression()?];
        while self.take_symbol(",") {
            expressions.push(self.expression()?);
        }
        Ok(Clause::Delete { detach, expressions })
    }

    fn call(&mut self, place: crate::error::Place) -> Result<Clause> {
        let mut procedure = self.name("the name of a procedure")?;
        while self.take_symbol(".") {
            procedure.push('.');
            procedure.push_str(&self.name("a name")?);
        }
        let arguments = if self.take_symbol("(") {
            let mut arguments = Vec::new();
            while !self.take_symbol(")") {
                if !arguments.is_empty() {
                    self.expect_symbol(",")?;
                }
                arguments.push(self.expression()?);
            }
            Some(arguments)
        } else {
            None
        };
        let mut filter = None;
        let yields = if self.take_word("YIELD") {
            let mut yields = Vec::new();
            if self.take_symbol("*") || self.take_symbol("-") {
                None
            } else {
                loop {
                    let name = self.name("a column")?;
                    let alias = if self.take_word("AS") { self.name("a name")? } else { name.clone() };
                    yields.push((name, alias));
                    if !self.take_symbol(",") {
                        break;
                    }
                }
                filter = self.filter()?;
                Some(yields)
            }
        } else {
            None
        };
        Ok(Clause::Call { procedure, arguments, yields, filter, place })
    }
}
