//! The parsed query.

use crate::error::Place;

/// A whole query: single queries joined by `UNION`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Query {
    pub(crate) parts: Vec<Vec<Clause>>,
    /// Whether the union keeps duplicates.
    pub(crate) union_all: bool,
}

impl Query {
    /// Whether a query writes.
    pub(crate) fn writes(&self) -> bool {
        self.parts.iter().flatten().any(|clause| {
            matches!(
                clause,
                Clause::Create { .. }
                    | Clause::Merge { .. }
                    | Clause::Set(_)
                    | Clause::Remove(_)
                    | Clause::Delete { .. }
            )
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Clause {
    Match {
        optional: bool,
        patterns: Vec<Pattern>,
        filter: Option<Expression>,
        place: Place,
    },
    Unwind {
        list: Expression,
        variable: String,
        place: Place,
    },
    With {
        projection: Projection,
        filter: Option<Expression>,
    },
    Return(Projection),
    Create {
        patterns: Vec<Pattern>,
    },
    Merge {
        pattern: Pattern,
        on_create: Vec<SetItem>,
        on_match: Vec<SetItem>,
    },
    Set(Vec<SetItem>),
    Remove(Vec<RemoveItem>),
    Delete {
        detach: bool,
        expressions: Vec<Expression>,
    },
    Call {
        procedure: String,
        arguments: Option<Vec<Expression>>,
        yields: Option<Vec<(String, String)>>,
        filter: Option<Expression>,
        place: Place,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Projection {
    pub(crate) distinct: bool,
    /// Whether `*` comes before the items.
    pub(crate) everything: bool,
    pub(crate) items: Vec<Item>,
    pub(crate) order: Vec<(Expression, bool)>,
    pub(crate) skip: Option<Expression>,
    pub(crate) limit: Option<Expression>,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) expression: Expression,
    /// The alias, or else the expression as written.
    pub(crate) name: String,
    pub(crate) aliased: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SetItem {
    /// `n.key = value`, also with an expression before the dot.
    Property {
        target: Expression,
        key: String,
        value: Expression,
    },
    /// `n = map` or `n += map`.
    Properties {
        variable: String,
        value: Expression,
        add: bool,
        place: Place,
    },
    Labels {
        variable: String,
        labels: Vec<String>,
        place: Place,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RemoveItem {
    Property { target: Expression, key: String },
    Labels { variable: String, labels: Vec<String>, place: Place },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortest {
    No,
    One,
    All,
}

/// A path pattern: nodes with relationships between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern {
    pub(crate) variable: Option<String>,
    pub(crate) shortest: Shortest,
    pub(crate) nodes: Vec<NodePattern>,
    pub(crate) relationships: Vec<RelationshipPattern>,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodePattern {
    pub(crate) variable: Option<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) properties: Option<Expression>,
    pub(crate) place: Place,
}

/// Where the arrow of a relationship pattern points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// `-->`: from start to end.
    Outgoing,
    /// `<--`: from end to start.
    Incoming,
    /// `--`: both.
    Either,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RelationshipPattern {
    pub(crate) variable: Option<String>,
    pub(crate) types: Vec<String>,
    pub(crate) properties: Option<Expression>,
    pub(crate) direction: Direction,
    /// The minimum and maximum number of relationships, if the length varies.
    pub(crate) length: Option<(Option<u64>, Option<u64>)>,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    Xor,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    In,
    StartsWith,
    EndsWith,
    Contains,
    Matches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    All,
    Any,
    None,
    Single,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(String),
}

/// The body of `EXISTS { … }` or `COUNT { … }`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subquery {
    Pattern { patterns: Vec<Pattern>, filter: Option<Box<Expression>> },
    Query(Box<Query>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Literal(Literal),
    Variable(String, Place),
    Parameter(String, Place),
    Property(Box<Expression>, String, Place),
    Index(Box<Expression>, Box<Expression>, Place),
    Slice(Box<Expression>, Option<Box<Expression>>, Option<Box<Expression>>, Place),
    List(Vec<Expression>),
    Map(Vec<(String, Expression)>),
    /// `n {.name, .*, other, key: value}`.
    MapProjection(Box<Expression>, Vec<MapItem>, Place),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Plus(Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>, Place),
    /// `a < b <= c`.
    Chain(Vec<Expression>),
    IsNull(Box<Expression>),
    IsNotNull(Box<Expression>),
    HasLabels(Box<Expression>, Vec<String>),
    Case {
        subject: Option<Box<Expression>>,
        branches: Vec<(Expression, Expression)>,
        otherwise: Option<Box<Expression>>,
    },
    Function {
        name: String,
        distinct: bool,
        arguments: Vec<Expression>,
        place: Place,
    },
    CountAll(Place),
    ListComprehension {
        variable: String,
        list: Box<Expression>,
        filter: Option<Box<Expression>>,
        map: Option<Box<Expression>>,
    },
    Quantified {
        quantifier: Quantifier,
        variable: String,
        list: Box<Expression>,
        filter: Box<Expression>,
    },
    Reduce {
        accumulator: String,
        start: Box<Expression>,
        variable: String,
        list: Box<Expression>,
        step: Box<Expression>,
    },
    /// A pattern as a predicate.
    Pattern(Box<Pattern>),
    PatternComprehension {
        pattern: Box<Pattern>,
        filter: Option<Box<Expression>>,
        map: Box<Expression>,
    },
    Exists(Box<Subquery>),
    Count(Box<Subquery>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MapItem {
    Property(String),
    Everything,
    Entry(String, Expression),
}

impl Expression {
    /// Returns the direct parts of the expression, including those in its patterns.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Literal(_) | Self::Variable(..) | Self::Parameter(..) | Self::CountAll(_) => Vec::new(),
            Self::Pattern(pattern) => pattern.expressions(),
            Self::PatternComprehension { pattern, filter, map } => {
                let mut parts = pattern.expressions();
                parts.extend(filter.as_deref());
                parts.push(map);
                parts
            }
            Self::Exists(subquery) | Self::Count(subquery) => match &**subquery {
                Subquery::Pattern { patterns, filter } => {
                    let mut parts: Vec<_> = patterns.iter().flat_map(Pattern::expressions).collect();
                    parts.extend(filter.as_deref());
                    parts
                }
                Subquery::Query(_) => Vec::new(),
            },
            Self::Property(of, ..)
            | Self::HasLabels(of, _)
            | Self::Not(of)
            | Self::Negate(of)
            | Self::Plus(of)
            | Self::IsNull(of)
            | Self::IsNotNull(of) => vec![of],
            Self::Index(a, b, _) | Self::Binary(_, a, b, _) => vec![a, b],
            Self::Slice(of, from, to, _) => {
                std::iter::once(&**of).chain(from.as_deref()).chain(to.as_deref()).collect()
            }
            Self::List(items) | Self::Chain(items) => items.iter().collect(),
            Self::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
            Self::MapProjection(of, items, _) => std::iter::once(&**of)
                .chain(items.iter().filter_map(|item| match item {
                    MapItem::Entry(_, value) => Some(value),
                    _ => None,
                }))
                .collect(),
            Self::Case { subject, branches, otherwise } => subject
                .as_deref()
                .into_iter()
                .chain(branches.iter().flat_map(|(when, then)| [when, then]))
                .chain(otherwise.as_deref())
                .collect(),
            Self::Function { arguments, .. } => arguments.iter().collect(),
            Self::ListComprehension { list, filter, map, .. } => {
                std::iter::once(&**list).chain(filter.as_deref()).chain(map.as_deref()).collect()
            }
            Self::Quantified { list, filter, .. } => vec![list, filter],
            Self::Reduce { start, list, step, .. } => vec![start, list, step],
        }
    }
}

impl Expression {
    /// Returns the direct parts of the expression, for changes. Patterns and subqueries have none.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Literal(_)
            | Self::Variable(..)
            | Self::Parameter(..)
            | Self::CountAll(_)
            | Self::Pattern(_)
            | Self::Exists(_)
            | Self::Count(_) => Vec::new(),
            Self::PatternComprehension { filter, map, .. } => {
                filter.as_deref_mut().into_iter().chain(std::iter::once(&mut **map)).collect()
            }
            Self::Property(of, ..)
            | Self::HasLabels(of, _)
            | Self::Not(of)
            | Self::Negate(of)
            | Self::Plus(of)
            | Self::IsNull(of)
            | Self::IsNotNull(of) => vec![of],
            Self::Index(a, b, _) | Self::Binary(_, a, b, _) => vec![a, b],
            Self::Slice(of, from, to, _) => {
                std::iter::once(&mut **of).chain(from.as_deref_mut()).chain(to.as_deref_mut()).collect()
            }
            Self::List(items) | Self::Chain(items) => items.iter_mut().collect(),
            Self::Map(entries) => entries.iter_mut().map(|(_, value)| value).collect(),
            Self::MapProjection(of, items, _) => std::iter::once(&mut **of)
                .chain(items.iter_mut().filter_map(|item| match item {
                    MapItem::Entry(_, value) => Some(value),
                    _ => None,
                }))
                .collect(),
            Self::Case { subject, branches, otherwise } => subject
                .as_deref_mut()
                .into_iter()
                .chain(branches.iter_mut().flat_map(|(when, then)| [when, then]))
                .chain(otherwise.as_deref_mut())
                .collect(),
            Self::Function { arguments, .. } => arguments.iter_mut().collect(),
            Self::ListComprehension { list, filter, map, .. } => {
                std::iter::once(&mut **list).chain(filter.as_deref_mut()).chain(map.as_deref_mut()).collect()
            }
            Self::Quantified { list, filter, .. } => vec![list, filter],
            Self::Reduce { start, list, step, .. } => vec![start, list, step],
        }
    }
}

impl Pattern {
    /// Returns the expressions in the property maps.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        let nodes = self.nodes.iter().filter_map(|node| node.properties.as_ref());
        nodes.chain(self.relationships.iter().filter_map(|one| one.properties.as_ref())).collect()
    }

    /// Returns the variables that the pattern names.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let nodes = self.nodes.iter().filter_map(|node| node.variable.as_deref());
        let relationships = self.relationships.iter().filter_map(|one| one.variable.as_deref());
        self.variable.as_deref().into_iter().chain(nodes).chain(relationships)
    }
}
