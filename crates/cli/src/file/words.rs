//! What is said of a key or a name that there is not: what was meant by it, or all that there are.

use gittins::named::{Key, Shape, nearest};

use super::keys::STUDY;

/// Names of ours, and words of other tools for the same. Such a word is no slip of the fingers.
const WORDS: &[(&str, &str)] = &[
    // Keys.
    ("direction", "goal mode"),
    ("price", "lambda"),
    ("policy", "acquisition acquisition_function sampler algorithm"),
    ("initial", "n_startup_trials n_initial_points"),
    ("workers", "n_jobs jobs"),
    ("directory", "cwd workdir"),
    ("parameters", "space search_space params"),
    ("trials", "n_trials max_trials num_trials max_evals n_calls n_iter iterations evaluations"),
    ("stall", "patience early_stopping"),
    ("epochs", "epoch max_epochs n_epochs num_epochs"),
    ("low", "min minimum lower lower_bound"),
    ("high", "max maximum upper upper_bound"),
    ("at_least", "min minimum lower lower_bound"),
    ("at_most", "max maximum upper upper_bound"),
    ("names", "choices options categories levels"),
    ("type", "kind distribution"),
    // Directions, types, and where a cost comes from.
    ("minimize", "min minimum lower smaller"),
    ("maximize", "max maximum higher larger"),
    ("float", "uniform double real number"),
    ("log_float", "log loguniform log_uniform"),
    ("int", "integer randint"),
    ("choice", "category enum string str"),
    ("flag", "bool boolean"),
    ("wall_time", "time seconds wall clock"),
    ("cpu_time", "cpu"),
    // Policies and stopping rules.
    ("gittins", "pbgi gittins_index"),
    ("ei", "expected_improvement"),
    ("log_pi", "pi probability_of_improvement"),
    ("log_eipc", "eipc eipu ei_per_cost"),
    ("ucb", "lcb gp_ucb upper_confidence_bound"),
    ("thompson", "ts thompson_sampling"),
    ("max_value_entropy", "mes"),
    ("knowledge_gradient", "kg"),
    ("trial_limit", "trials n_trials max_trials"),
    ("matern52", "matern"),
];

/// Whether a word of other tools means this name of ours.
fn means(wrong: &str, name: &str) -> bool {
    let wrong = wrong.to_lowercase();
    WORDS.iter().any(|(ours, words)| *ours == name && words.split(' ').any(|word| word == wrong))
}

/// The name that was meant, if it can be told.
pub fn meant<'n>(wrong: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    let is_word = WORDS.iter().any(|(ours, _)| means(wrong, ours));
    let found = known.clone().find(|name| means(wrong, name));
    found.or_else(|| if is_word { None } else { nearest(wrong, known) })
}

/// What is said of a name that there is not.
pub fn hint<'n>(wrong: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    meant(wrong, known.clone()).map_or_else(|| all(known), question)
}

fn question(name: &str) -> String {
    format!("did you mean \"{name}\"?")
}

fn all<'n>(known: impl Iterator<Item = &'n str>) -> String {
    match Vec::from_iter(known)[..] {
        [] => "there are none".to_owned(),
        ref known => format!("there are {}", known.join(", ")),
    }
}

/// What is said of an unknown key of the table at a path. A key that the table has already was not
/// meant.
pub fn of_key<'n>(
    path: &str,
    wrong: &str,
    known: impl Iterator<Item = &'n str> + Clone,
    there: &[&str],
) -> String {
    let open = known.clone().filter(|name| !there.contains(name));
    if let Some(name) = open.clone().find(|name| means(wrong, name)) {
        return question(name);
    }
    let elsewhere = if path.is_empty() { below(wrong) } else { above(wrong) };
    elsewhere.or_else(|| meant(wrong, open).map(question)).unwrap_or_else(|| all(known))
}

/// What is said of a key of the file itself that belongs to one of its tables.
fn below(wrong: &str) -> Option<String> {
    let in_table = |key: &'static Key| match key.shape {
        Shape::Keys(keys) => keys
            .iter()
            .filter(|inner| inner.name == wrong || means(wrong, inner.name))
            .map(|inner| format!("\"{}.{}\"", key.name, inner.name))
            .collect(),
        _ => Vec::new(),
    };
    let places = Vec::from_iter(STUDY.iter().flat_map(in_table));
    (!places.is_empty()).then(|| format!("did you mean {}?", places.join(" or ")))
}

/// What is said of a key in a table that belongs to the file itself. Many things have a name.
fn above(wrong: &str) -> Option<String> {
    let is_table = |key: &Key| matches!(key.shape, Shape::Keys(_) | Shape::Named(_) | Shape::Space);
    STUDY
        .iter()
        .any(|key| key.name == wrong && wrong != "name" && !is_table(key))
        .then(|| format!("\"{wrong}\" stands at the top of the file, before the first [table]"))
}
