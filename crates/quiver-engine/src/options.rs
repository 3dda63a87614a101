use std::time::Duration;

/// How much is done for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Seeds and two hops.
    Fast,
    /// Seeds, hops, and the question asked again with bridging names.
    #[default]
    Balanced,
    /// The same with larger budgets.
    Thorough,
}

/// How a question is answered: budgets and limits, each with its default.
#[derive(Clone, Debug, PartialEq)]
pub struct AskOptions {
    /// How many passages are returned at the most. Default 5.
    pub passages_limit: usize,
    /// How much is done. Default balanced.
    pub profile: Profile,
    /// How many passages, and how many relations, plain search looks for. Default 30.
    pub seeds_limit: usize,
    /// How many hops are made from the seeds at the most. Default 3, and 2 with the profile fast.
    pub hops_max: usize,
    /// How many passages each hop starts from, the best first. Default 12.
    pub frontier_limit: usize,
    /// How many passages and relations a hop reads per search. Default 100.
    pub hop_limit: usize,
    /// How many of the best passages bring up names that the question is asked again with. Default 4.
    pub bridge_passages: usize,
    /// How many names each of them brings up at the most. Default 5.
    pub bridge_names: usize,
    /// No hop is started after this long. Default 2 s.
    pub time_max: Duration,
    /// Uses only what held at this moment, in milliseconds since 1970. Default: no matter when.
    pub valid_at: Option<i64>,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            passages_limit: 5,
            profile: Profile::Balanced,
            seeds_limit: 30,
            hops_max: 3,
            frontier_limit: 12,
            hop_limit: 100,
            bridge_passages: 4,
            bridge_names: 5,
            time_max: Duration::from_secs(2),
            valid_at: None,
        }
    }
}

impl AskOptions {
    /// The defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        let balanced = Self { profile, ..Self::default() };
        match profile {
            Profile::Fast => Self { hops_max: 2, ..balanced },
            Profile::Balanced => balanced,
            Profile::Thorough => Self {
                seeds_limit: 60,
                frontier_limit: 20,
                hop_limit: 200,
                hops_max: 3,
                bridge_passages: 8,
                bridge_names: 6,
                ..balanced
            },
        }
    }
}
