//! What is believed of the ends of runs.

use faer::Mat;

use super::answers::Answers;
use super::entry::Entry;
use super::fit::StagedFit;
use super::fitting::{fit, inflation};
use super::folds::Pair;
use super::kernel::{Curves, Place, Shape};
use super::part::part;
use super::prospect::Outlook;
use super::scale::Scale;
use crate::data::Direction;
use crate::data::trial::trial::Trial;
use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::math::truncated::truncated;

/// A fit is due when the reports have grown by this share.
const GROWTH: f64 = 0.12;

/// Steps of the first fit, and of each later one.
const STEPS: [usize; 2] = [25, 12];

/// The belief after reports.
#[derive(Debug, Clone)]
pub struct Belief {
    pub curves: Curves,
    pub scale: Scale,
    /// By how much variances are multiplied.
    inflation: f64,
    /// The row of each report so far: its run, and its place along it.
    rows: Vec<(usize, Place)>,
    settings: Vec<Vec<f64>>,
    /// What items so far say of the others, if all lie between 0 and 1.
    answers: Option<Answers>,
    /// The deviation of an item of each run that had answers when parameters were found, and of any other;
    /// 1 where it is not known.
    deviations: Vec<f64>,
    usual_deviation: f64,
    factor: Cholesky,
    /// `L^-1 z`.
    whitened: Vec<f64>,
    /// The places along a run whose values are kept up to date, the end being the last.
    targets: Vec<Place>,
    /// What is believed of each run at the targets, in order; grows with every report, without a
    /// solve.
    values: Vec<Tracked>,
}

/// The belief of the value of a run at one place: `v = L^-1 k` with its covariances `k` to all rows,
/// from which come the mean `v' L^-1 z` and the variance `k(place, place) - v' v`.
#[derive(Debug, Clone)]
struct Tracked {
    whitened: Vec<f64>,
    mean: f64,
    variance: f64,
}

/// A run whose prospect is asked for: its settings, its number if it has begun, and the shares at
/// its coming reports.
pub struct Question<'a> {
    pub settings: &'a [f64],
    pub run: Option<usize>,
    pub shares: &'a [f64],
}

impl Belief {
    /// Whether parameters are to be found anew after so many reports.
    pub fn is_due(fit: Option<&StagedFit>, reports: usize) -> bool {
        fit.is_none_or(|fit| {
            reports as f64 >= (fit.reports as f64 * (1.0 + GROWTH)).max(fit.reports as f64 + 2.0)
        })
    }

    /// Finds parameters after these reports. The rates are not among them.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn find(
        before: Option<&StagedFit>,
        shape: &Shape,
        direction: Direction,
        runs: &[Trial],
        log: &[Entry],
    ) -> Result<StagedFit> {
        let answers = shape.answers(log).filter(|answers| answers.are_whole);
        let scale = match &answers {
            Some(answers) => Scale::of_answers(direction, answers),
            None => {
                let last = runs.iter().filter_map(|run| Some(run.reports.last()?.outcome));
                Scale::new(direction, &Vec::from_iter(last))
            }
        };
        let shape = shape.known(answers.as_ref(), &scale);
        let data = part(runs, log, &scale, answers.as_ref());
        let steps = STEPS[usize::from(before.is_some())];
        let prior = Curves::prior(shape.clone());
        let start = before.map_or(&prior.parameters, |fit| &fit.parameters);
        let curves = fit(&shape, &data, start, steps)?;
        let inflation = inflation(&curves, &data)?;
        Ok(StagedFit {
            reports: log.len(),
            parameters: curves.parameters,
            inflation,
            scale: vec![scale.middle, scale.unit],
            rates: None,
            middle_cost: None,
        })
    }

    /// The belief after these reports, with parameters that were found after some of them. It keeps
    /// up to date what is believed of runs at the shares in `targets`, of which the end is the last.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn new(
        found: &StagedFit,
        shape: &Shape,
        targets: &[f64],
        direction: Direction,
        runs: &[Trial],
        log: &[Entry],
    ) -> Result<Self> {
        let answers = shape.answers(log);
        let known = shape.answers(&log[..found.reports]).filter(|answers| answers.are_whole);
        let scale = Scale::kept(direction, found);
        let shape = shape.known(known.as_ref(), &scale);
        let curves = Curves::new(shape, found.parameters.clone());
        let deviation = |answers: &Answers, run| scale.difference(answers.deviation(run));
        let each = |answers: &Answers| {
            (0..runs.len()).map(|run| deviation(answers, Some(run))).collect::<Vec<f64>>()
        };
        let mut belief = Self {
            answers,
            deviations: known.as_ref().map_or_else(Vec::new, each),
            usual_deviation: known.as_ref().map_or(1.0, |answers| deviation(answers, None)),
            targets: targets.iter().map(|&share| curves.place(share)).collect(),
            curves,
            scale,
            inflation: found.inflation,
            rows: Vec::new(),
            settings: Vec::new(),
            factor: Cholesky::empty(),
            whitened: Vec::new(),
            values: Vec::new(),
        };
        belief.build(runs, &log[..found.reports])?;
        belief.extend(runs, log)?;
        Ok(belief)
    }

    /// Conditions on all reports at once.
    fn build(&mut self, runs: &[Trial], log: &[Entry]) -> Result<()> {
        self.settings = runs.iter().map(|run| run.unit.clone()).collect();
        for entry in log {
            self.rows.push((entry.run, self.curves.place(entry.share)));
            self.whitened.push(self.scale.value(entry));
        }
        let n = self.rows.len();
        let mut matrix = Mat::zeros(n, n);
        for j in 0..n {
            let (run, place) = self.rows[j];
            for i in j..n {
                let (other, there) = self.rows[i];
                matrix[(i, j)] = self.covariance(run, &place, other, &there);
            }
            matrix[(j, j)] += place.noise;
        }
        self.factor = Cholesky::factor(matrix.as_ref())?;
        let column = faer::MatMut::from_column_major_slice_mut(&mut self.whitened, n, 1);
        self.factor.solve_lower(column);
        self.begin(0);
        Ok(())
    }

    /// Works out the values of the runs from this number on.
    fn begin(&mut self, first: usize) {
        let (n, each) = (self.rows.len(), self.targets.len());
        let count = (self.settings.len() - first) * each;
        let mut right = Mat::from_fn(n, count, |i, column| {
            let (other, there) = &self.rows[i];
            let run = first + column / each;
            let target = &self.targets[column % each];
            self.covariance(run, target, *other, there)
        });
        self.factor.solve_lower(right.as_mut());
        for column in 0..count {
            let run = first + column / each;
            let target = &self.targets[column % each];
            let prior = self.covariance(run, target, run, target);
            let whitened: Vec<f64> = (0..n).map(|i| right[(i, column)]).collect();
            let mean = whitened.iter().zip(&self.whitened).map(|(v, z)| v * z).sum();
            let variance = prior - whitened.iter().map(|v| v * v).sum::<f64>();
            self.values.push(Tracked { whitened, mean, variance });
        }
    }

    /// Mean and deviation of the end of a run.
    pub fn end(&self, run: usize) -> (f64, f64) {
        self.moments_at((run + 1) * self.targets.len() - 1)
    }

    /// Mean and deviation of a run at the last targets, in order.
    pub fn last_values(&self, run: usize, count: usize) -> impl Iterator<Item = (f64, f64)> {
        let end = (run + 1) * self.targets.len();
        (end - count..end).map(|at| self.moments_at(at))
    }

    fn moments_at(&self, at: usize) -> (f64, f64) {
        let Tracked { mean, variance, .. } = &self.values[at];
        let sd = (self.inflation * variance.max(0.0)).sqrt();
        match self.bounds(Some(at / self.targets.len())) {
            Some(bounds) => truncated(*mean, sd, bounds),
            None => (*mean, sd),
        }
    }

    /// Between what the mean of all items of a run lies, or that of a fresh one, if that is known.
    fn bounds(&self, run: Option<usize>) -> Option<[f64; 2]> {
        self.answers.as_ref().map(|answers| self.scale.between(answers.bounds(run)))
    }

    /// The deviation of an item of a run where it is known; otherwise 1.
    fn deviation(&self, run: Option<usize>) -> f64 {
        run.and_then(|run| self.deviations.get(run)).copied().unwrap_or(self.usual_deviation)
    }

    /// Takes runs that began.
    fn meet(&mut self, runs: &[Trial]) {
        let known = self.settings.len();
        if known < runs.len() {
            self.settings.extend(runs[known..].iter().map(|run| run.unit.clone()));
            self.begin(known);
        }
    }

    /// Whether it has all these runs and reports.
    pub fn has(&self, runs: &[Trial], log: &[Entry]) -> bool {
        self.settings.len() == runs.len() && self.rows.len() == log.len()
    }

    /// Conditions on the reports that came since.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn extend(&mut self, runs: &[Trial], log: &[Entry]) -> Result<()> {
        self.meet(runs);
        for entry in &log[self.rows.len()..] {
            self.append(entry.run, entry.share, self.scale.value(entry))?;
            self.answers = self.answers.take().and_then(|answers| answers.told(entry));
        }
        Ok(())
    }

    fn append(&mut self, run: usize, share: f64, value: f64) -> Result<()> {
        let place = self.curves.place(share);
        let column: Vec<f64> = self
            .rows
            .iter()
            .map(|(other, there)| self.covariance(run, &place, *other, there))
            .collect();
        let diagonal = self.covariance(run, &place, run, &place) + place.noise;
        self.factor.append(&column, diagonal)?;
        let last = self.rows.len();
        let lower = self.factor.lower();
        let row: Vec<f64> = (0..last).map(|k| lower[(last, k)]).collect();
        let known: f64 = row.iter().zip(&self.whitened).map(|(l, z)| l * z).sum();
        let diagonal = lower[(last, last)];
        let told = (value - known) / diagonal;
        let mut values = std::mem::take(&mut self.values);
        let each = self.targets.len();
        for (at, tracked) in values.iter_mut().enumerate() {
            let covariance = self.covariance(at / each, &self.targets[at % each], run, &place);
            let known: f64 = row.iter().zip(&tracked.whitened).map(|(l, v)| l * v).sum();
            let next = (covariance - known) / diagonal;
            tracked.mean += next * told;
            tracked.variance -= next * next;
            tracked.whitened.push(next);
        }
        self.values = values;
        self.whitened.push(told);
        self.rows.push((run, place));
        Ok(())
    }

    fn covariance(&self, run: usize, place: &Place, other: usize, there: &Place) -> f64 {
        let settings = if run == other {
            1.0
        } else {
            self.curves.settings(&self.settings[run], &self.settings[other])
        };
        let items = self.deviation(Some(run)) * self.deviation(Some(other));
        self.curves.covariance(&Pair { settings, same_run: run == other, items }, place, there)
    }

    /// This belief beside pending runs, which are expected to report their means at these shares.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn beside(&self, runs: &[Trial], pending_trials: &[(usize, f64)]) -> Result<Self> {
        let mut belief = self.clone();
        belief.meet(runs);
        for &(run, share) in pending_trials {
            let settings = &belief.settings[run].clone();
            let mean = belief
                .moments(&[Question { settings, run: Some(run), shares: &[share] }])
                .remove(0)
                .0[0];
            belief.append(run, share, mean)?;
        }
        Ok(belief)
    }

    /// The means and covariances of the rests of runs, without noise.
    pub fn moments(&self, questions: &[Question<'_>]) -> Vec<(Vec<f64>, Mat<f64>)> {
        let n = self.rows.len();
        let total: usize = questions.iter().map(|question| question.shares.len()).sum();
        let mut right = Mat::zeros(n, total);
        let mut column = 0;
        let mut settings = Vec::new();
        for question in questions {
            settings.clear();
            settings
                .extend(self.settings.iter().map(|x| self.curves.settings(question.settings, x)));
            let own = self.deviation(question.run);
            for &share in question.shares {
                let place = self.curves.place(share);
                for (i, (run, there)) in self.rows.iter().enumerate() {
                    let same_run = question.run == Some(*run);
                    let items = own * self.deviation(Some(*run));
                    let pair = Pair { settings: settings[*run], same_run, items };
                    right[(i, column)] = self.curves.covariance(&pair, &place, there);
                }
                column += 1;
            }
        }
        self.factor.solve_lower(right.as_mut());
        let mut first = 0;
        questions
            .iter()
            .map(|question| {
                let columns = first..first + question.shares.len();
                first = columns.end;
                let places: Vec<Place> =
                    question.shares.iter().map(|&share| self.curves.place(share)).collect();
                let dot =
                    |a: usize, b: usize| (0..n).map(|i| right[(i, a)] * right[(i, b)]).sum::<f64>();
                let means = columns
                    .clone()
                    .map(|c| (0..n).map(|i| right[(i, c)] * self.whitened[i]).sum())
                    .collect();
                let size = places.len();
                let own = self.deviation(question.run);
                let pair = Pair { settings: 1.0, same_run: true, items: own * own };
                let covariance = Mat::from_fn(size, size, |i, j| {
                    let prior = self.curves.covariance(&pair, &places[i], &places[j]);
                    prior - dot(columns.start + i, columns.start + j)
                });
                (means, covariance)
            })
            .collect()
    }

    /// What is believed of the rests of runs.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn outlooks(&self, questions: &[Question<'_>]) -> Result<Vec<Outlook>> {
        let inflated = self.inflation.sqrt();
        let outlook = |((means, covariance), question): ((_, _), &Question<'_>)| {
            let noise = |report: usize| self.curves.place(question.shares[report]).noise;
            let outlook = Outlook::new(means, covariance, noise, inflated)?;
            Ok(match self.bounds(question.run) {
                Some(bounds) => outlook.within(bounds),
                None => outlook,
            })
        };
        self.moments(questions).into_iter().zip(questions).map(outlook).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Measured;
    use crate::data::TrialId;
    use crate::data::trial::reports::Report;
    use crate::data::trial::trial::{Origin, TrialState};

    const SHARES: [f64; 4] = [0.06, 0.2, 0.5, 1.0];

    fn shape() -> Shape {
        Shape { groups: vec![0, 1], first: SHARES[0], means: false, items: None, level: None }
    }

    /// Runs with reports up to different shares, in the order in which they were told.
    fn runs() -> (Vec<Trial>, Vec<Entry>) {
        let mut log = Vec::new();
        let runs = (0..9).map(|id| {
            let unit = vec![id as f64 / 8.0, (0.37 * id as f64) % 1.0];
            let outcome =
                |share: f64| (5.0 * unit[0]).cos() + 0.4 * unit[1] + 0.3 / (1.0 + 9.0 * share);
            let reports: Vec<Report> = SHARES[..=(id % 4)]
                .iter()
                .map(|&share| Report {
                    progress: share,
                    share,
                    outcome: outcome(share),
                    cost: share,
                })
                .collect();
            for report in &reports {
                log.push(Entry { run: id, share: report.share, outcome: Some(report.outcome) });
            }
            Trial {
                id: TrialId::from(id),
                values: Vec::new(),
                unit,
                row: None,
                state: TrialState::Paused,
                outcome: None,
                cost: None,
                measured: Measured::default(),
                origin: Origin::Initial,
                reports,
                until: None,
            }
        });
        (runs.collect(), log)
    }

    fn close(what: &str, got: f64, expected: f64) {
        // Two orders of one factor of forty rows, whose condition is below 1e6.
        assert!((got - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{what}: {got} {expected}");
    }

    /// Means and variances of each run at all shares.
    fn values(belief: &Belief, runs: &[Trial]) -> Vec<[(f64, f64); 4]> {
        let question = |run: &Trial| {
            let question =
                Question { settings: &run.unit, run: Some(run.id.index()), shares: &SHARES };
            let (means, covariance) = belief.moments(&[question]).remove(0);
            std::array::from_fn(|k| (means[k], covariance[(k, k)]))
        };
        runs.iter().map(question).collect()
    }

    fn ends(belief: &Belief, runs: &[Trial]) -> Vec<(f64, f64)> {
        values(belief, runs).iter().map(|values| values[3]).collect()
    }

    /// Reports that come one by one lead to the belief of all at once.
    #[test]
    fn extended_equals_built_anew() {
        let (runs, log) = runs();
        let mut found = Belief::find(None, &shape(), Direction::Minimize, &runs, &log).unwrap();
        let built =
            Belief::new(&found, &shape(), &SHARES, Direction::Minimize, &runs, &log).unwrap();
        found.reports = 5;
        let extended =
            Belief::new(&found, &shape(), &SHARES, Direction::Minimize, &runs, &log).unwrap();
        let again = values(&extended, &runs);
        for (run, (a, b)) in values(&built, &runs).iter().zip(&again).enumerate() {
            for (a, b) in a.iter().zip(b) {
                close("mean", a.0, b.0);
                close("variance", a.1, b.1);
            }
            for belief in [&built, &extended] {
                let kept: Vec<(f64, f64)> = belief.last_values(run, 3).collect();
                assert_eq!(kept[2], belief.end(run));
                for ((mean, sd), a) in kept.iter().zip(&a[1..]) {
                    close("mean that is kept", *mean, a.0);
                    close("variance that is kept", sd * sd, belief.inflation * a.1);
                }
            }
        }
    }

    /// The steps are what reports take from the variance of the end, whatever they say; and a report
    /// at its mean leaves the mean of the end where it is.
    #[test]
    fn steps_are_what_reports_take_from_the_variance() {
        let (runs, log) = runs();
        let mut found = Belief::find(None, &shape(), Direction::Maximize, &runs, &log).unwrap();
        found.inflation = 1.0;
        let belief =
            Belief::new(&found, &shape(), &SHARES, Direction::Maximize, &runs, &log).unwrap();
        for run in &runs {
            let number = run.id.index();
            let done = run.reports.len();
            if done == SHARES.len() {
                continue;
            }
            let question =
                Question { settings: &run.unit, run: Some(number), shares: &SHARES[done..] };
            let prospect = belief.outlooks(&[question]).unwrap().remove(0).end();
            let mut now = belief.clone();
            for (step, &share) in prospect.steps.iter().zip(&SHARES[done..]) {
                let before = ends(&now, &runs)[number];
                now = now.beside(&runs, &[(number, share)]).unwrap();
                let after = ends(&now, &runs)[number];
                close("variance", before.1 - after.1, step * step);
                close("mean", after.0, before.0);
            }
            // A report a deviation above its mean moves the mean of the end by its step.
            let share = SHARES[done];
            let question = [Question { settings: &run.unit, run: Some(number), shares: &[share] }];
            let (mean, covariance) = belief.moments(&question).remove(0);
            let noise = belief.curves.place(share).noise;
            let mut told = belief.clone();
            told.append(number, share, mean[0] + (covariance[(0, 0)] + noise).sqrt()).unwrap();
            let moved = ends(&told, &runs)[number].0 - ends(&belief, &runs)[number].0;
            close("step", moved.abs(), prospect.steps[0]);
        }
    }

    /// What is believed at a report is what is believed of the end of a run that ends there.
    #[test]
    fn a_horizon_is_the_end_of_a_shorter_run() {
        let (runs, log) = runs();
        let found = Belief::find(None, &shape(), Direction::Maximize, &runs, &log).unwrap();
        let belief =
            Belief::new(&found, &shape(), &SHARES, Direction::Maximize, &runs, &log).unwrap();
        let ask = |shares| {
            let question = Question { settings: &runs[0].unit, run: Some(0), shares };
            belief.outlooks(&[question]).unwrap().remove(0)
        };
        let all = ask(&SHARES[1..]);
        for report in 0..all.len() {
            let there = all.to(report);
            let shorter = ask(&SHARES[1..report + 2]).end();
            close("mean", there.mean, shorter.mean);
            assert_eq!(there.steps.len(), report + 1);
            for (a, b) in there.steps.iter().zip(&shorter.steps) {
                close("step", *a, *b);
            }
        }
    }
}
