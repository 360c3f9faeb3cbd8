//! What somebody probably meant.

/// The known name that is nearest to a wrong one, if it is near: at most a third of its letters
/// differ, and at least one may.
pub fn nearest<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wrong = Vec::from_iter(wrong.to_lowercase().chars());
    let far = |name: &str| distance(&wrong, &Vec::from_iter(name.to_lowercase().chars()));
    let (name, distance) =
        known.into_iter().map(|name| (name, far(name))).min_by_key(|&(_, far)| far)?;
    (distance <= (wrong.len() / 3).max(1)).then_some(name)
}

/// What is said of a wrong name: the nearest known one, or all of them.
///
/// ```
/// use gittins::named::hint;
/// assert_eq!(hint("bugdet", ["budget", "price"]), "did you mean \"budget\"?");
/// assert_eq!(hint("x", ["budget", "price"]), "there are budget, price");
/// ```
pub fn hint<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str> + Clone) -> String {
    match nearest(wrong, known.clone()) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => {
            let all: Vec<&str> = known.into_iter().collect();
            if all.is_empty() {
                "there are none".to_owned()
            } else {
                format!("there are {}", all.join(", "))
            }
        }
    }
}

/// How many letters have to be put in, left out, replaced or exchanged with their neighbor.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut two_before = Vec::new();
    let mut before = Vec::from_iter(0..=b.len());
    for (i, letter) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in b.iter().enumerate() {
            let replaced = before[j] + usize::from(letter != other);
            let mut least = replaced.min(before[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == b[j - 1] && a[i - 1] == *other {
                least = least.min(two_before[j - 1] + 1);
            }
            row.push(least);
        }
        two_before = before;
        before = row;
    }
    before[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{hint, nearest};

    #[test]
    fn a_slip_of_the_fingers_is_one_letter() {
        for wrong in ["pirce", "prce", "pricee", "Prize"] {
            assert_eq!(nearest(wrong, ["budget", "price"]), Some("price"), "{wrong}");
        }
        assert_eq!(nearest("prixx", ["budget", "price"]), None);
        assert_eq!(hint("price", []), "there are none");
    }
}
