use std::time::Duration;

/// How a question is answered: budgets and limits, each with its default.
#[derive(Clone, Debug, PartialEq)]
pub struct AskOptions {
    /// How many passages are returned at the most. Default 5.
    pub passages_limit: usize,
    /// How many passages, and how many relations, plain search looks for. Default 30.
    pub seeds_limit: usize,
    /// How many hops are made from the seeds at the most. Default 3.
    pub hops_max: usize,
    /// How many passages each hop starts from, the best first. Default 12.
    pub frontier_limit: usize,
    /// How many passages and relations a hop reads per search. Default 100.
    pub hop_limit: usize,
    /// No hop is started after this long. Default 2 s.
    pub time_max: Duration,
    /// Uses only what held at this moment, in milliseconds since 1970. Default: no matter when.
    pub valid_at: Option<i64>,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            passages_limit: 5,
            seeds_limit: 30,
            hops_max: 3,
            frontier_limit: 12,
            hop_limit: 100,
            time_max: Duration::from_secs(2),
            valid_at: None,
        }
    }
}
