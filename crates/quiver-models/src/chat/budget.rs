use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::{ChatModel, ChatReply, ChatRequest, OnText, Prices, Usage, estimate};
use crate::{Error, ErrorKind, Result};

/// Spending limits; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Maximum number of calls.
    pub calls_max: Option<u64>,
    /// Maximum number of input and output tokens together.
    pub tokens_max: Option<u64>,
    /// Maximum cost, in the currency of the prices.
    pub cost_max: Option<f64>,
}

/// A chat model that does not make calls that could exceed a budget.
///
/// Before a call, its maximum usage is reserved: the estimated tokens of its messages plus the longest reply it
/// allows. After the call, the actual usage is charged. If too little is left, the call is not made and the error is
/// [`ErrorKind::Budget`]; if running calls may still release enough, the call waits for them. With a cache, a run
/// that was stopped by its budget can be resumed with a new one. A call that fails or whose future is dropped counts
/// as a call; its tokens are not counted, because what the endpoint bills for it is unknown.
pub struct BudgetedChat<M> {
    model: M,
    budget: Budget,
    prices: Prices,
    purse: Mutex<Purse>,
    settled: Notify,
}

#[derive(Clone, Copy, Debug, Default)]
struct Purse {
    spent: Sum,
    set_aside: Sum,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    calls: u64,
    tokens: u64,
    cost_nano: u64,
}

impl Sum {
    fn of(usage: Usage, prices: &Prices) -> Self {
        Self { calls: 1, tokens: usage.tokens(), cost_nano: prices.cost_nano(usage) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost_nano: self.cost_nano.saturating_add(other.cost_nano),
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(other.calls),
            tokens: self.tokens.saturating_sub(other.tokens),
            cost_nano: self.cost_nano.saturating_sub(other.cost_nano),
        }
    }
}

impl Budget {
    /// Returns a description of the limit that a sum exceeds.
    fn exceeded(&self, sum: Sum) -> Option<String> {
        let Self { calls_max, tokens_max, cost_max } = *self;
        if let Some(max) = calls_max.filter(|max| sum.calls > *max) {
            return Some(format!("{max} calls"));
        }
        if let Some(max) = tokens_max.filter(|max| sum.tokens > *max) {
            return Some(format!("{max} tokens"));
        }
        let max = cost_max.filter(|max| sum.cost_nano as f64 > max * 1e9);
        max.map(|max| format!("a cost of {max}"))
    }
}

impl<M: ChatModel> BudgetedChat<M> {
    /// Wraps a model. `prices` are the prices of its tokens.
    pub fn new(model: M, budget: Budget, prices: Prices) -> Self {
        Self { model, budget, prices, purse: Mutex::default(), settled: Notify::new() }
    }

    /// Returns the wrapped model.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// Returns the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    async fn set_aside(&self, request: &ChatRequest) -> Result<Reserve<'_, M>> {
        let most = Sum::of(estimate::usage_max(request), &self.prices);
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // From here on, every notification is seen.
            settled.as_mut().enable();
            {
                let mut purse = self.purse();
                if let Some(exceeded) = self.budget.exceeded(purse.spent.and(most)) {
                    return Err(self.refused(&exceeded, purse.spent));
                }
                if self.budget.exceeded(purse.spent.and(purse.set_aside).and(most)).is_none() {
                    purse.set_aside = purse.set_aside.and(most);
                    return Ok(Reserve { chat: self, most });
                }
            }
            settled.await;
        }
    }

    fn refused(&self, exceeded: &str, spent: Sum) -> Error {
        let Sum { calls, tokens, cost_nano } = spent;
        let message = format!(
            "the budget of {exceeded} does not allow another call of {}: {calls} calls used {tokens} tokens and cost {}; \
             run it again with a new budget to continue",
            self.model.model(),
            cost_nano as f64 / 1e9,
        );
        Error::new(ErrorKind::Budget, message)
    }

    fn purse(&self) -> MutexGuard<'_, Purse> {
        // No statement that can panic leaves the amounts in an inconsistent state.
        self.purse.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The amount reserved for a call. It is released on drop.
struct Reserve<'a, M: ChatModel> {
    chat: &'a BudgetedChat<M>,
    most: Sum,
}

impl<M: ChatModel> Reserve<'_, M> {
    fn spend(self, reply: &ChatReply) {
        if !reply.is_cached {
            let took = Sum { calls: 0, ..Sum::of(reply.usage, &self.chat.prices) };
            let mut purse = self.chat.purse();
            purse.spent = purse.spent.and(took);
        }
    }
}

impl<M: ChatModel> Drop for Reserve<'_, M> {
    fn drop(&mut self) {
        {
            let mut purse = self.chat.purse();
            purse.set_aside = purse.set_aside.without(self.most);
            purse.spent.calls = purse.spent.calls.saturating_add(1);
        }
        self.chat.settled.notify_waiters();
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for BudgetedChat<M> {
    fn model(&self) -> &str {
        self.model.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        let reserve = self.set_aside(request).await?;
        let reply = self.model.chat(request).await?;
        reserve.spend(&reply);
        Ok(reply)
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        let reserve = self.set_aside(request).await?;
        let reply = self.model.stream(request, on_text).await?;
        reserve.spend(&reply);
        Ok(reply)
    }

    async fn has(&self, request: &ChatRequest) -> bool {
        self.model.has(request).await
    }
}

impl<M: fmt::Debug> fmt::Debug for BudgetedChat<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, budget, prices, purse: _, settled: _ } = self;
        f.debug_struct("BudgetedChat")
            .field("model", model)
            .field("budget", budget)
            .field("prices", prices)
            .finish_non_exhaustive()
    }
}
