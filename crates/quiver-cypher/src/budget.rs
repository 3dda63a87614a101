//! Limits on the cost of a query.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use crate::{
    Result, Value,
    error::{Error, ErrorKind},
};

/// Limits on the cost of a query. A query that reaches one of them ends with an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Maximum number of rows between two steps.
    pub rows_max: usize,
    /// Maximum number of relationships read.
    pub relationships_max: usize,
    /// Maximum number of evaluation steps.
    pub steps_max: u64,
    /// Maximum length of a list (in items) and of a text (in bytes).
    pub length_max: usize,
    /// Maximum time.
    pub time_max: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            rows_max: 1_000_000,
            relationships_max: 5_000_000,
            steps_max: 200_000_000,
            length_max: 4_000_000,
            time_max: Duration::from_secs(30),
        }
    }
}

/// Maximum nesting of lists and maps in a value that a query builds: consumers read them by recursion.
const NESTING_MAX: usize = 100;

/// The remaining budget.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Budget,
    started: Instant,
    steps: Cell<u64>,
    relationships: Cell<usize>,
}

fn reached(what: &str) -> Error {
    Error::new(
        ErrorKind::Budget,
        format!("the query exceeded its budget of {what}; narrow the pattern or raise the budget"),
    )
}

impl Meter {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, started: Instant::now(), steps: Cell::new(0), relationships: Cell::new(0) }
    }

    /// Counts a step, and occasionally checks the clock.
    pub(crate) fn step(&self) -> Result<()> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > self.budget.steps_max {
            return Err(reached(&format!("{} steps", self.budget.steps_max)));
        }
        if steps.is_multiple_of(1024) {
            return self.check_time();
        }
        Ok(())
    }

    pub(crate) fn check_time(&self) -> Result<()> {
        if self.started.elapsed() > self.budget.time_max {
            return Err(reached(&format!("{:?}", self.budget.time_max)));
        }
        Ok(())
    }

    pub(crate) fn check_rows(&self, rows: usize) -> Result<()> {
        if rows > self.budget.rows_max {
            return Err(reached(&format!("{} rows between two steps", self.budget.rows_max)));
        }
        Ok(())
    }

    pub(crate) fn check_length(&self, length: usize) -> Result<()> {
        if length > self.budget.length_max {
            return Err(reached(&format!("{} items or bytes in one value", self.budget.length_max)));
        }
        Ok(())
    }

    /// Checks the size of a value that was just built, and how deep its lists and maps are nested. A list that occurs
    /// twice in another counts twice, as it does when the value is printed.
    pub(crate) fn check_value(&self, value: &Value) -> Result<()> {
        self.walk(value, NESTING_MAX, &mut 0)
    }

    fn walk(&self, value: &Value, levels: usize, items: &mut usize) -> Result<()> {
        let inner: &mut dyn Iterator<Item = &Value> = match value {
            Value::List(list) => &mut list.iter(),
            Value::Map(map) => &mut map.values(),
            _ => return Ok(()),
        };
        let Some(levels) = levels.checked_sub(1) else {
            let message = format!("lists and maps can be nested at most {NESTING_MAX} levels deep");
            return Err(Error::new(ErrorKind::Budget, message));
        };
        self.step()?;
        for item in inner {
            *items += 1;
            // Visiting items costs less than evaluating expressions.
            if items.is_multiple_of(64) {
                self.step()?;
                self.check_length(*items)?;
            }
            self.walk(item, levels, items)?;
        }
        Ok(())
    }

    /// Returns how many more relationships may be read, plus one that shows whether there are too many.
    pub(crate) fn relationships_left(&self) -> usize {
        self.budget.relationships_max.saturating_sub(self.relationships.get()) + 1
    }

    pub(crate) fn spend_relationships(&self, count: usize) -> Result<()> {
        self.relationships.set(self.relationships.get() + count);
        if self.relationships.get() > self.budget.relationships_max {
            return Err(reached(&format!("{} relationships", self.budget.relationships_max)));
        }
        self.check_time()
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    pub(crate) fn relationships(&self) -> usize {
        self.relationships.get()
    }

    pub(crate) fn rows_max(&self) -> usize {
        self.budget.rows_max
    }
}
