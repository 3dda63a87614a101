use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    str::FromStr,
};

use clap::{Args, Subcommand, ValueHint};

use quiver_forms::Moment;

/// Arguments of `quiver load`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoadArguments {
    /// The table, whose first line names the columns: name, tier:integer, since:date; - reads standard input as CSV.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The label of the nodes to create from the rows.
    #[arg(long, value_name = "LABEL", requires = "key", required_unless_present = "kind", conflicts_with_all = ["kind", "from", "to"])]
    pub(crate) label: Option<String>,
    /// The column that identifies the nodes, or distinguishes the relationships between two nodes.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<String>,
    /// The type of the relationships to create from the rows; the columns from and to identify their ends.
    #[arg(long = "type", value_name = "TYPE", requires_all = ["from", "to"])]
    pub(crate) kind: Option<String>,
    /// The label and property that the column from refers to, for example Service.name.
    #[arg(long, value_name = "LABEL.KEY")]
    pub(crate) from: Option<NodeKey>,
    /// The label and property that the column to refers to, for example API.name.
    #[arg(long, value_name = "LABEL.KEY")]
    pub(crate) to: Option<NodeKey>,
    /// Prints only problems: no text summary.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A part of `quiver schema`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// Shows labels, properties and types of relationships with their counts, and the declared schema.
    Show,
    /// Declares the schema in a TOML file: from then on, writes that violate it are refused. An empty file removes the
    /// declaration.
    Set {
        /// The file.
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Writes the existing schema in a form that can be edited and then set.
    Infer {
        /// The file [default: standard output].
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
}

/// A label and the property that identifies its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeKey(pub(crate) String, pub(crate) String);

impl FromStr for NodeKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once('.') {
            Some((label, key)) if !label.is_empty() && !key.is_empty() => {
                Ok(Self(label.to_owned(), key.to_owned()))
            }
            _ => Err("write a label and a property, such as Service.name".to_owned()),
        }
    }
}

/// Arguments of `quiver query`.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct QueryArguments {
    /// The query, for example 'MATCH (s:Service {tier: 1}) RETURN s.name'; - reads standard input. Without one, a
    /// terminal shows a prompt.
    pub(crate) query: Option<String>,
    /// Reads the query as an English question, for example "Which services owned by Team A call deprecated APIs?".
    #[arg(long, conflicts_with = "parameters")]
    pub(crate) question: bool,
    /// A parameter, whose value is JSON or otherwise text; may be repeated.
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Prints comma-separated values instead of a table.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Shows how the query would be run, without running it.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Runs the query, and shows the rows, store calls and points of each step.
    #[arg(long, conflicts_with_all = ["explain", "question"])]
    pub(crate) profile: bool,
    /// The user who asks, by name or by the `id` of a record: "I" and "my" in the question.
    #[arg(long, value_name = "USER", requires = "question")]
    pub(crate) asker: Option<String>,
    /// The time that "overdue" and "next" in the question refer to [default: now].
    #[arg(long, value_name = "MOMENT", requires = "question")]
    pub(crate) now: Option<Moment>,
    /// Shows below each row the relationships that prove it.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) proof: bool,
    /// Rejects a query that writes.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Maximum number of seconds for the query [default: 30].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: Option<u64>,
}

impl QueryArguments {
    /// Returns the query, if it is given on the command line.
    pub(crate) fn text(&self) -> Option<&str> {
        self.query.as_deref().filter(|query| *query != "-")
    }

    /// Whether queries are typed at a prompt.
    pub(crate) fn is_typed(&self) -> bool {
        self.query.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal()
    }
}
