//! The nearest of several names, for error messages.

/// Returns the candidate most similar to a name, if it is similar enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = folded(name).take(64).collect();
    let limit = (wanted.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &folded(candidate).take(64).collect::<Vec<_>>()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Letters and digits in lower case: case, spaces and hyphens are what people mistype most.
fn folded(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn case_hyphens_and_one_typing_mistake_are_forgiven() {
        assert_eq!(nearest("eu-west1", ["us-east-1", "eu-west-1"]), Some("eu-west-1"));
        assert_eq!(nearest("Servce", ["Team", "Service"]), Some("Service"));
        assert_eq!(nearest("Planet", ["Team", "Service"]), None);
    }
}
