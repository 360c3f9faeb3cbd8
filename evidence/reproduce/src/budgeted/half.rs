//! The effect of knowing the budget: the same trials with all of it and with half of it.
//!
//! Design, random numbers and problem are the same. So a policy that ignores its budget makes the
//! same choices while the half lasts. The k-th choices of the two runs of a trial are compared.
//! After the first choices that differ, the data of the later ones differ too. A lookahead may
//! choose another of two equally good places for any reason. Its runs with a hundredth more of the
//! budget show how often it does.

use super::{FIRST_TRIAL, Method, Problem, Run, SEEDS, Setting, contest, listed};
use crate::comparison::{ENOUGH_SEEDS, Estimate, signed_rank};
use crate::experiment::{
    Axes, Bars, Claim, Digest, Drawing, Experiment, Panel, Size, Statistic, Task,
};
use crate::store::Store;
use frontend::Result;

/// The number of choices that are compared.
const EARLY: usize = 5;
/// Choices farther apart than this differ. Two searches of one maximum may leave as much between
/// their ends.
const APART: f64 = 1e-6;
/// Methods whose runs with all of the budget are compared with those with this share of it.
const COMPARED: [(Method, f64); 4] = [
    (Method::FOUR_PATH, HALF),
    (Method::Cooled, HALF),
    (Method::PerCost, HALF),
    (Method::FOUR_PATH, 1.01),
];
const HALF: f64 = 0.5;

/// One problem with all and with half of its budget.
#[derive(Debug, Clone)]
pub struct Half {
    pub problem: Problem,
}

/// The runs of one method with all of the budget and with a share of it, trial by trial.
struct Pair {
    name: String,
    whole: Vec<Run>,
    share: Vec<Run>,
}

impl Pair {
    /// The distance of the k-th choices in the unit cube, in each trial that made both.
    fn distances(&self, k: usize) -> Vec<f64> {
        let choices = self
            .whole
            .iter()
            .zip(&self.share)
            .map(|(whole, share)| (whole.suggestions.get(k), share.suggestions.get(k)));
        choices.filter_map(|(whole, share)| Some(distance(whole?, share?))).collect()
    }

    /// The mean over the early choices, trial by trial.
    fn moved(&self) -> Vec<f64> {
        let pairs = self.whole.iter().zip(&self.share);
        let moved = pairs.map(|(whole, share)| {
            let apart: Vec<f64> = whole
                .suggestions
                .iter()
                .zip(&share.suggestions)
                .take(EARLY)
                .map(|(whole, share)| distance(whole, share))
                .collect();
            apart.iter().sum::<f64>() / apart.len().max(1) as f64
        });
        moved.collect()
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

impl Half {
    /// With all of the budget and with a share of it.
    fn settings(&self, (method, share): (Method, f64), size: &Size) -> [Setting; 2] {
        let budget = size.money(self.problem.budget());
        [budget, share * budget].map(|budget| Setting { problem: self.problem, method, budget })
    }

    /// A bar for each method and choice.
    fn panel(
        &self,
        pairs: &[Pair],
        name: &str,
        title: &str,
        of: impl Fn(f64) -> f64,
    ) -> Result<Panel> {
        let choices = (0..EARLY)
            .take_while(|k| pairs.iter().all(|pair| !pair.distances(*k).is_empty()))
            .count();
        let mut bars = Vec::new();
        for pair in pairs {
            let mut values = Vec::new();
            for k in 0..choices {
                let estimate =
                    Estimate::mean(&pair.distances(k).into_iter().map(&of).collect::<Vec<_>>())?;
                values.push((estimate.value, 2.0 * estimate.error));
            }
            bars.push(Bars {
                name: pair.name.clone(),
                published: vec![None; choices],
                values,
                bound: false,
            });
        }
        let axes = Axes {
            x: "choice".into(),
            y: title.to_owned(),
            logarithmic: false,
            statistic: Statistic::Mean,
        };
        let groups = (1..=choices).map(|k| k.to_string()).collect();
        let title =
            format!("{}, all of the budget and a share of it: {title}", self.problem.name());
        Ok(Panel {
            name: name.to_owned(),
            title,
            drawing: Drawing::Bars { axes, groups, bars },
            cells: Vec::new(),
        })
    }

    /// The claim that the lookahead's early choices move more than others.
    fn claim(&self, ahead: &Pair, other: &Pair) -> Result<Claim> {
        let (ours, theirs) = (ahead.moved(), other.moved());
        let more: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours - theirs).collect();
        let chance = signed_rank(&more);
        let further = more.iter().filter(|more| **more > 0.0).count();
        Ok(Claim {
            text: format!(
                "{}: the first {EARLY} choices move further for {} than for {}",
                self.problem.name(),
                ahead.name,
                other.name
            ),
            holds: (more.len() >= ENOUGH_SEEDS).then_some(chance < 0.05),
            evidence: format!(
                "by {:.4} against {:.4} on average, further in {further} of {} trials; signed-rank test, one-sided: p = {chance:.2e}",
                Estimate::mean(&ours)?.value,
                Estimate::mean(&theirs)?.value,
                more.len()
            ),
        })
    }
}

impl Experiment for Half {
    fn name(&self) -> &'static str {
        "bmsei-half"
    }

    fn title(&self) -> String {
        format!(
            "{} with all and with half of the budget (Astudillo et al. 2021)",
            self.problem.name()
        )
    }

    fn seeds(&self) -> u64 {
        SEEDS
    }

    fn reads_data(&self) -> bool {
        self.problem == Problem::Lda
    }

    fn tasks(&self, size: &Size) -> Vec<Task> {
        let mut settings: Vec<Setting> = Vec::new();
        for setting in COMPARED.into_iter().flat_map(|compared| self.settings(compared, size)) {
            if !settings.iter().any(|known| known.arm() == setting.arm()) {
                settings.push(setting);
            }
        }
        settings.into_iter().flat_map(|setting| setting.tasks(SEEDS, size)).collect()
    }

    fn digest(&self, size: &Size, store: &Store) -> Result<Digest> {
        let (mut pairs, mut contestants) = (Vec::new(), Vec::new());
        let end = HALF * size.money(self.problem.budget());
        for (method, share) in COMPARED {
            let settings = self.settings((method, share), size);
            let [whole, other] = settings.map(|setting| setting.runs(SEEDS, size, store));
            let whole = whole?;
            let other = other?;
            // If a policy ignores the budget, the two are one.
            if share == HALF && method != Method::PerCost {
                contestants.push(settings[0].contestant(told(settings[0]), &whole)?);
                contestants.push(settings[1].contestant(told(settings[1]), &other)?);
            }
            let name = if share == HALF {
                format!("{} with half", method.name())
            } else {
                format!("{} with 1 % more", method.name())
            };
            pairs.push(Pair { name, whole, share: other });
        }
        let distances =
            self.panel(&pairs, "distances", "mean distance of the choices", |apart| apart)?;
        let shares =
            self.panel(&pairs, "shares", "share of the trials in which they differ", |apart| {
                f64::from(u8::from(apart > APART))
            })?;
        let contest = contest(
            format!("{}, half of the budget, known and not", self.problem.name()),
            end,
            contestants,
        );
        let known = |method| self.settings((method, HALF), size).map(told);
        let [whole, half] = known(Method::FOUR_PATH);
        let claims = vec![
            self.claim(&pairs[0], &pairs[1])?,
            self.claim(&pairs[0], &pairs[3])?,
            contest.claim(&half, &whole, 1.0)?,
        ];
        let [whole, half] = known(Method::Cooled);
        let gain = contest.claim(&half, &whole, 1.0)?;
        let ends = contest.contestants.iter().map(|contestant| {
            Ok((contestant.name.clone(), Estimate::mean(&contestant.at_end(end))?))
        });
        let notes = vec![
            format!(
                "The trials are the published ones from number {FIRST_TRIAL} on. Choices differ that lie further apart than {APART:e} in the unit cube."
            ),
            format!(
                "The paper finds that {} gains nothing from knowing the budget; here, of {half} and {whole}: {}.",
                Method::Cooled.name(),
                gain.evidence
            ),
            format!(
                "Mean log10 regret when the half is spent, with 95 % intervals: {}.",
                listed(&ends.collect::<Result<Vec<_>>>()?)
            ),
        ];
        Ok(Digest { panels: vec![distances, shares, contest.panel()?], claims, notes })
    }
}

/// A method with what it knows of its budget.
fn told(setting: Setting) -> String {
    format!("{} for {}", setting.method.name(), setting.budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimization::Trace;

    fn run(suggestions: &[[f64; 2]]) -> Run {
        let trace = Trace { spent: vec![0.0], best: vec![0.0], price: Vec::new() };
        Run { trace, suggestions: suggestions.iter().map(|z| z.to_vec()).collect() }
    }

    /// Choices are compared one by one while both runs of a trial made them.
    #[test]
    fn choices_are_compared_as_long_as_both_runs_last() {
        let pair = Pair {
            name: String::new(),
            whole: vec![
                run(&[[0.0, 0.0], [0.0, 0.5], [1.0, 1.0]]),
                run(&[[0.25, 0.25], [0.5, 0.5]]),
            ],
            share: vec![run(&[[0.0, 0.0], [0.5, 0.5]]), run(&[[0.25, 1.0]])],
        };
        assert_eq!([0, 1, 2].map(|k| pair.distances(k)), [vec![0.0, 0.75], vec![0.5], vec![]]);
        assert_eq!(pair.moved(), [0.25, 0.75]);
    }
}
