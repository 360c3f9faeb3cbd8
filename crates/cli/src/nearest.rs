//! What somebody probably meant.

/// The known name that is nearest to a wrong one, if it is near: at most a third of its letters
/// differ, and at least one may.
pub fn nearest<'n>(wrong: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let far = |name: &str| strsim::damerau_levenshtein(&wrong.to_lowercase(), &name.to_lowercase());
    let (name, distance) =
        known.into_iter().map(|name| (name, far(name))).min_by_key(|&(_, far)| far)?;
    (distance <= (wrong.chars().count() / 3).max(1)).then_some(name)
}

/// What is said of a wrong name: the nearest known one, or all of them.
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
