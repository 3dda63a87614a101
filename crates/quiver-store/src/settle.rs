//! Resolves ties at the limit by ID, over engines that cut them arbitrarily.

use crate::Scored;

/// Number of extra points to request, so that most ties are resolved at once.
const MARGIN: usize = 8;

/// Returns the number of points to request first.
pub(crate) fn first_ask(limit: usize) -> usize {
    limit.saturating_add(MARGIN)
}

/// Sorts the engine's results and truncates them to the limit. If points that the engine left out may tie with the
/// last result, returns the number to request instead.
pub(crate) fn settle(found: &mut Vec<Scored>, limit: usize, asked: usize) -> Option<usize> {
    for scored in &mut *found {
        // Adding zero turns negative zero into positive zero; the total order would distinguish them.
        scored.score += 0.0;
    }
    found.sort_by(Scored::order);
    let complete = found.len() < asked;
    let settled = match (limit.checked_sub(1).and_then(|last| found.get(last)), found.last()) {
        (Some(last_wanted), Some(last_found)) => last_wanted.score > last_found.score,
        _ => limit == 0,
    };
    if complete || settled {
        found.truncate(limit);
        return None;
    }
    Some(asked.saturating_mul(4))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::Point;

    /// A stand-in engine that returns the best points and drops ties with the smallest IDs.
    fn engine(scores: &[f32], asked: usize) -> Vec<Scored> {
        let mut all: Vec<_> = (0_u128..)
            .zip(scores)
            .map(|(id, score)| Scored { score: *score, point: Point::new(Uuid::from_u128(id)) })
            .collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.point.id.cmp(&a.point.id)));
        all.truncate(asked);
        all
    }

    fn settled(scores: &[f32], limit: usize) -> (Vec<u128>, usize) {
        let (mut asked, mut rounds) = (limit + 1, 0);
        loop {
            rounds += 1;
            let mut found = engine(scores, asked);
            match settle(&mut found, limit, asked) {
                None => return (found.iter().map(|scored| scored.point.id.as_u128()).collect(), rounds),
                Some(more) => asked = more,
            }
        }
    }

    #[test]
    fn a_tie_at_the_limit_is_asked_for_until_it_is_settled() {
        let mut scores = vec![1.0; 100];
        scores[50] = 2.0;
        scores.extend([0.5, -0.0, 0.0]);
        assert_eq!(settled(&scores, 3).0, [50, 0, 1]);
        assert_eq!(settled(&scores, 1), (vec![50], 1), "no tie, one round");
        assert_eq!(settled(&scores, 103).0[100..], [100, 101, 102], "zero is zero, whatever its sign");
        assert_eq!(settled(&scores, 500).0.len(), 103);
        assert_eq!(settled(&scores, 0), (vec![], 1));
        assert_eq!(settled(&[], 5), (vec![], 1));
    }
}
