use super::*;

#[test]
fn the_same_values_give_the_same_interval() {
    let values: Vec<f64> = (0..200).map(|n| f64::from(n % 5) / 4.0).collect();
    assert_eq!(interval(&values), interval(&values));
}

#[test]
fn an_interval_holds_its_mean_and_narrows_with_more_values() {
    let values: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
    let few = interval(&values);
    assert!((few.mean - 0.5).abs() < 1e-12);
    assert!(few.low < few.mean && few.mean < few.high);
    // The standard error of 100 coin tosses is 0.05, so the interval is about 0.2 wide.
    assert!((few.high - few.low - 0.196).abs() < 0.03, "{few:?}");
    let many = interval(&values.repeat(16));
    assert!(many.high - many.low < 0.5 * (few.high - few.low));
}

#[test]
fn equal_values_leave_no_doubt() {
    assert_eq!(interval(&[0.25; 10]), Interval { mean: 0.25, low: 0.25, high: 0.25 });
    assert_eq!(interval(&[]), Interval { mean: 0.0, low: 0.0, high: 0.0 });
}

#[test]
fn draws_are_spread_evenly() {
    let mut random = SplitMix(1);
    let mut counts = [0_u32; 7];
    for _ in 0..7000 {
        counts[random.below(7)] += 1;
    }
    assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
}
