use super::*;

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-4
}

#[test]
fn a_bound_holds_and_the_others_give_way_to_it() {
    // ½ (x − c)ᵀ A (x − c) with A = [[2, 1], [1, 2]] and c = (1, −1).
    let bowl = |at: &[f64], slopes: &mut [f64]| {
        let (x, y) = (at[0] - 1.0, at[1] + 1.0);
        slopes.copy_from_slice(&[2.0 * x + y, x + 2.0 * y]);
        x * x + x * y + y * y
    };
    let free = minimise(&bowl, &[f64::NEG_INFINITY; 2], &[5.0, 5.0], 100);
    assert!(is_near(free.at[0], 1.0) && is_near(free.at[1], -1.0), "{free:?}");
    let bound = minimise(&bowl, &[0.0; 2], &[5.0, 5.0], 100);
    assert!(is_near(bound.at[0], 0.5), "{bound:?}");
    assert_eq!(bound.at[1].to_bits(), 0.0_f64.to_bits(), "on the bound, not close to it");
    let from_below = minimise(&bowl, &[0.0; 2], &[-3.0, -3.0], 100);
    assert_eq!(from_below.at[1].to_bits(), 0.0_f64.to_bits(), "a start below the bound is put on it");
}

#[test]
fn many_numbers_of_different_measure_are_found() {
    let wanted: Vec<f64> = (0..30).map(|index| f64::from(index) - 10.0).collect();
    let measure = |index: usize| 10_f64.powi(i32::try_from(index % 5).unwrap() - 2);
    let calls = std::cell::Cell::new(0);
    let bowl = |at: &[f64], slopes: &mut [f64]| {
        calls.set(calls.get() + 1);
        let mut value = 0.0;
        for (index, (at, wanted)) in at.iter().zip(&wanted).enumerate() {
            let off = at - wanted;
            slopes[index] = measure(index) * off;
            value += measure(index) * off * off / 2.0;
        }
        value
    };
    let found = minimise(&bowl, &[-3.0; 30], &[0.0; 30], 500);
    for (at, wanted) in found.at.iter().zip(&wanted) {
        assert!((at - wanted.max(-3.0)).abs() < 0.01, "{at} for {wanted}");
    }
    assert!(found.steps < 200 && calls.get() < 400, "{} steps, {} calls", found.steps, calls.get());
    assert_eq!(found, minimise(&bowl, &[-3.0; 30], &[0.0; 30], 500));
}
