//! The failures with which a run began.

use crate::ending::Ending;

/// The failures before anything came; nothing is kept of them once something did.
pub struct Failures {
    all: Option<Vec<String>>,
    /// Whether one of them has an outcome, and lacks a number beside it.
    lacking: bool,
}

impl Failures {
    /// Those of a study to which something came, or nothing yet.
    pub fn new(nothing_came: bool) -> Self {
        Self { all: nothing_came.then(Vec::new), lacking: false }
    }

    /// Something came.
    pub fn end(&mut self) {
        self.all = None;
    }

    /// One more, with the end of the output, which is looked for only if it is kept.
    pub fn add(&mut self, why: &str, tail: impl FnOnce() -> Option<String>) {
        if let Some(all) = &mut self.all {
            all.push(match tail() {
                Some(tail) => format!("{why}; the end of its output:\n{tail}"),
                None => why.to_owned(),
            });
        }
    }

    /// The next one that is added has an outcome, and lacks a number beside it.
    pub fn lacks(&mut self) {
        self.lacking = true;
    }

    /// The end of a run of which so many trials failed and nothing came; never for 0.
    pub fn ending(&self, most: usize) -> Option<Ending> {
        let all = self.all.as_ref().filter(|all| most > 0 && all.len() >= most)?;
        let last = all.last().map_or("", String::as_str);
        let shown: Vec<String> = last.lines().map(|line| format!("  {line}")).collect();
        let came = if self.lacking { "failed or lack a number" } else { "failed" };
        Some(Ending::Failing(format!(
            "the first {} trials all {came}, so something is wrong with the command; the last one:\n{}",
            all.len(),
            shown.join("\n")
        )))
    }
}
