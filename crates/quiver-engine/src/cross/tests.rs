use super::*;

/// Returns the indices of the scores, highest score first.
fn order(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order
}

fn is_near(left: &[f32], right: &[f32]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| (left - right).abs() < 1e-4)
}

#[test]
fn the_built_in_ranking_stands_where_the_model_sees_no_difference() {
    let built_in = [0.9, 0.4, 0.02];
    for scores in [[0.0; 3], [-11.5; 3], [300.0; 3]] {
        assert!(is_near(&combined(&built_in, &scores, 0.25), &built_in));
    }
    assert!(is_near(&combined(&built_in, &[-8.0, 3.0, 9.0], 0.0), &built_in));
    assert_eq!(combined(&[], &[], 0.25), [0.0; 0]);
}

#[test]
fn odds_are_multiplied_by_what_a_score_is_above_the_mean() {
    // Two above and two below the mean, times 0.25: half a unit of log odds up and down.
    let [up, down] = [0.5_f32, -0.5].map(|step| 1.0 / (1.0 + (-step).exp()));
    assert!(is_near(&combined(&[0.5, 0.5], &[1.0, -3.0], 0.25), &[up, down]));
    assert_eq!(order(&combined(&[0.5, 0.4, 0.45], &[-3.0, 3.0, 0.0], 0.25)), [1, 2, 0]);
}

#[test]
fn the_second_step_stays_above_what_merely_sounds_like_the_question() {
    // The passage about the subject, the page it leads to, and a page of similar words that nothing leads to.
    let built_in = [0.9, 0.7, 0.05];
    let scores = [6.0, -4.0, 2.0];
    assert_eq!(order(&scores), [0, 2, 1], "by the model alone it would be last");
    assert_eq!(order(&combined(&built_in, &scores, CrossOptions::default().weight)), [0, 1, 2]);
}

#[test]
fn certainty_and_impossible_scores_are_survived() {
    let combined = combined(&[1.0, 0.0, 1.0, 0.0], &[f32::MAX, f32::MIN, f32::MIN, f32::MAX], 0.25);
    assert!(combined.iter().all(|score| (0.0..=1.0).contains(score)), "{combined:?}");
}

#[test]
fn settings_are_read_as_they_are_shown() {
    for setting in ["none", "chat", "fastembed:jina-reranker-v1-turbo-en", "fastembed:/a b/c"] {
        assert_eq!(setting.parse::<RerankSetting>().unwrap().to_string(), setting);
    }
    for wrong in ["", "fastembed:", "model", "bge-reranker-base"] {
        let error = wrong.parse::<RerankSetting>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{wrong}");
        assert!(error.to_string().contains("`fastembed:NAME_OR_DIRECTORY`"), "{error}");
    }
}

#[tokio::test]
async fn what_needs_no_model_opens_none_and_weights_are_checked() {
    for setting in [RerankSetting::None, RerankSetting::Chat] {
        assert!(setting.open(CrossOptions::default()).await.unwrap().is_none());
        for weight in [-0.5, f32::NAN, f32::INFINITY] {
            assert_eq!(setting.open(CrossOptions { weight }).await.unwrap_err().kind(), ErrorKind::Invalid);
        }
    }
    let absent = RerankSetting::FastEmbed { model: "no-such-model".into() };
    let error = absent.open(CrossOptions::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}
