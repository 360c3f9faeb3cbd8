//! What is believed of the ends of runs.

use faer::Mat;

use super::curves::{Curves, Place, Shape};
use super::event::StagedFit;
use super::fitting::{fit, inflation};
use super::part::part;
use super::run::Run;
use super::scale::{Entry, Scale};
use crate::acquisition::Stage;
use crate::data::Direction;
use crate::error::Result;
use crate::math::cholesky::Cholesky;

/// A fit is due when the reports have grown by this share.
const GROWTH: f64 = 0.12;

/// Steps of the first fit, and of each later one.
const STEPS: [usize; 2] = [25, 12];

/// The belief after reports.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    pub curves: Curves,
    pub scale: Scale,
    /// By how much variances are multiplied.
    inflation: f64,
    /// The row of each report so far: its run, and its place along it.
    rows: Vec<(usize, Place)>,
    settings: Vec<Vec<f64>>,
    factor: Cholesky,
    /// `L^-1 z`.
    whitened: Vec<f64>,
    /// What is believed of the end of each run; grows with every report, without a solve.
    ends: Vec<End>,
}

/// The belief of the end of a run: `v = L^-1 k` with its covariances `k` to all rows, from which come
/// the mean `v' L^-1 z` and the variance `k(end, end) - v' v`.
#[derive(Debug, Clone)]
struct End {
    whitened: Vec<f64>,
    mean: f64,
    variance: f64,
}

/// What is believed of the rest of a run.
#[derive(Debug, Clone)]
pub(super) struct Prospect {
    /// The mean of its end.
    pub mean: f64,
    /// The deviation by which each of the coming reports moves that mean.
    pub steps: Vec<f64>,
}

impl Prospect {
    /// The deviation of what can be learned of the end.
    pub fn sd(&self) -> f64 {
        self.steps.iter().map(|s| s * s).sum::<f64>().sqrt()
    }

    /// Its stages at these prices, with the chance to survive all of them.
    pub fn stages(&self, prices: &[f64], survival: f64) -> Vec<Stage> {
        let each = survival.powf(1.0 / self.steps.len() as f64);
        let stage = |(&sd, &price)| Stage { sd, price, survival: each };
        self.steps.iter().zip(prices).map(stage).collect()
    }
}

/// A run whose prospect is asked for: its settings, its number if it has begun, and the shares at
/// its coming reports.
pub(super) struct Question<'a> {
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

    /// Finds parameters after these reports, with a unit of at least `least`. The rates are not among
    /// them.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn find(
        before: Option<&StagedFit>,
        shape: &Shape,
        direction: Direction,
        least: f64,
        runs: &[Run],
        log: &[Entry],
    ) -> Result<StagedFit> {
        let last: Vec<f64> =
            runs.iter().filter_map(|run| run.reports.last().map(|report| report.outcome)).collect();
        let scale = Scale::new(direction, &last, least);
        let data = part(runs, log, &scale);
        let steps = STEPS[usize::from(before.is_some())];
        let prior = Curves::prior(shape.clone());
        let start = before.map_or(&prior.parameters, |fit| &fit.parameters);
        let curves = fit(shape, &data, start, steps)?;
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

    /// The belief after these reports, with parameters that were found after some of them.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn new(
        found: &StagedFit,
        shape: &Shape,
        direction: Direction,
        runs: &[Run],
        log: &[Entry],
    ) -> Result<Self> {
        let mut belief = Self {
            curves: Curves::new(shape.clone(), found.parameters.clone()),
            scale: Scale::kept(direction, found),
            inflation: found.inflation,
            rows: Vec::new(),
            settings: Vec::new(),
            factor: Cholesky::empty(),
            whitened: Vec::new(),
            ends: Vec::new(),
        };
        belief.build(runs, &log[..found.reports])?;
        belief.extend(runs, log)?;
        Ok(belief)
    }

    /// Conditions on all reports at once.
    fn build(&mut self, runs: &[Run], log: &[Entry]) -> Result<()> {
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
        self.begin_ends(0);
        Ok(())
    }

    /// Works out the ends of the runs from this number on.
    fn begin_ends(&mut self, first: usize) {
        let (n, end) = (self.rows.len(), self.curves.place(1.0));
        let count = self.settings.len() - first;
        let mut right = Mat::from_fn(n, count, |i, run| {
            let (other, there) = &self.rows[i];
            self.covariance(first + run, &end, *other, there)
        });
        self.factor.solve_lower(right.as_mut());
        let prior = self.curves.covariance(1.0, true, &end, &end);
        for run in 0..count {
            let whitened: Vec<f64> = (0..n).map(|i| right[(i, run)]).collect();
            let mean = whitened.iter().zip(&self.whitened).map(|(v, z)| v * z).sum();
            let variance = prior - whitened.iter().map(|v| v * v).sum::<f64>();
            self.ends.push(End { whitened, mean, variance });
        }
    }

    /// Mean and deviation of the end of a run.
    pub fn end(&self, run: usize) -> (f64, f64) {
        let End { mean, variance, .. } = &self.ends[run];
        (*mean, (self.inflation * variance.max(0.0)).sqrt())
    }

    /// Takes runs that began.
    fn meet(&mut self, runs: &[Run]) {
        let known = self.settings.len();
        if known < runs.len() {
            self.settings.extend(runs[known..].iter().map(|run| run.unit.clone()));
            self.begin_ends(known);
        }
    }

    /// Conditions on the reports that came since.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn extend(&mut self, runs: &[Run], log: &[Entry]) -> Result<()> {
        self.meet(runs);
        for entry in &log[self.rows.len()..] {
            self.append(entry.run, entry.share, self.scale.value(entry))?;
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
        let (diagonal, end) = (lower[(last, last)], self.curves.place(1.0));
        let told = (value - known) / diagonal;
        let mut ends = std::mem::take(&mut self.ends);
        for (other, tracked) in ends.iter_mut().enumerate() {
            let covariance = self.covariance(other, &end, run, &place);
            let known: f64 = row.iter().zip(&tracked.whitened).map(|(l, v)| l * v).sum();
            let next = (covariance - known) / diagonal;
            tracked.mean += next * told;
            tracked.variance -= next * next;
            tracked.whitened.push(next);
        }
        self.ends = ends;
        self.whitened.push(told);
        self.rows.push((run, place));
        Ok(())
    }

    fn covariance(&self, run: usize, place: &Place, other: usize, there: &Place) -> f64 {
        let settings = match run == other {
            true => 1.0,
            false => self.curves.settings(&self.settings[run], &self.settings[other]),
        };
        self.curves.covariance(settings, run == other, place, there)
    }

    /// This belief beside runs under way, which are expected to report their means at these shares.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn beside(&self, runs: &[Run], under_way: &[(usize, f64)]) -> Result<Self> {
        let mut belief = self.clone();
        belief.meet(runs);
        for &(run, share) in under_way {
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
            for &share in question.shares {
                let place = self.curves.place(share);
                for (i, (run, there)) in self.rows.iter().enumerate() {
                    let same = question.run == Some(*run);
                    right[(i, column)] =
                        self.curves.covariance(settings[*run], same, &place, there);
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
                let covariance = Mat::from_fn(size, size, |i, j| {
                    let prior = self.curves.covariance(1.0, true, &places[i], &places[j]);
                    prior - dot(columns.start + i, columns.start + j)
                });
                (means, covariance)
            })
            .collect()
    }

    /// The prospects of runs.
    ///
    /// With the covariance `C` of the coming values and the noise `N` of their reports,
    /// `L L' = C + N` and `a = L^-1 C e_K`, the mean of the end moves by `s_j = |a_j|` at the `j`-th
    /// report.
    ///
    /// # Errors
    /// Those of the factor.
    pub fn prospects(&self, questions: &[Question<'_>]) -> Result<Vec<Prospect>> {
        let inflated = self.inflation.sqrt();
        let prospect = |((means, covariance), question): ((Vec<f64>, Mat<f64>), &Question<'_>)| {
            let size = means.len();
            let noisy = Mat::from_fn(size, size, |i, j| {
                let noise = self.curves.place(question.shares[i]).noise;
                covariance[(i, j)] + if i == j { noise } else { 0.0 }
            });
            let factor = Cholesky::factor(noisy.as_ref())?;
            let mut last: Vec<f64> = (0..size).map(|i| covariance[(i, size - 1)]).collect();
            factor.solve_lower(faer::MatMut::from_column_major_slice_mut(&mut last, size, 1));
            let steps = last.iter().map(|a| inflated * a.abs()).collect();
            Ok(Prospect { mean: means[size - 1], steps })
        };
        self.moments(questions).into_iter().zip(questions).map(prospect).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staged::run::{Report, RunState};
    use crate::study::TrialId;

    const SHARES: [f64; 4] = [0.06, 0.2, 0.5, 1.0];

    fn shape() -> Shape {
        Shape { groups: vec![0, 1], first: SHARES[0] }
    }

    /// Runs with reports up to different shares, in the order in which they were told.
    fn runs() -> (Vec<Run>, Vec<Entry>) {
        let mut log = Vec::new();
        let runs = (0..9).map(|id| {
            let unit = vec![id as f64 / 8.0, (0.37 * id as f64) % 1.0];
            let outcome =
                |share: f64| (5.0 * unit[0]).cos() + 0.4 * unit[1] + 0.3 / (1.0 + 9.0 * share);
            let reports: Vec<Report> = SHARES[..1 + id % 4]
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
            Run {
                id: TrialId::from(id),
                values: Vec::new(),
                cost: 0.0,
                row: None,
                state: RunState::Paused,
                unit,
                reports,
            }
        });
        (runs.collect(), log)
    }

    fn close(what: &str, got: f64, expected: f64) {
        // Two orders of one factor of forty rows, whose condition is below 1e6.
        assert!((got - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{what}: {got} {expected}");
    }

    fn ends(belief: &Belief, runs: &[Run]) -> Vec<(f64, f64)> {
        let end = [1.0];
        let question = |run: &Run| {
            let question =
                Question { settings: &run.unit, run: Some(run.id.index()), shares: &end };
            let (means, covariance) = belief.moments(&[question]).remove(0);
            (means[0], covariance[(0, 0)])
        };
        runs.iter().map(question).collect()
    }

    /// Reports that come one by one lead to the belief of all at once.
    #[test]
    fn extended_equals_built_anew() {
        let (runs, log) = runs();
        let mut found =
            Belief::find(None, &shape(), Direction::Minimize, 0.0, &runs, &log).unwrap();
        let built = Belief::new(&found, &shape(), Direction::Minimize, &runs, &log).unwrap();
        found.reports = 5;
        let extended = Belief::new(&found, &shape(), Direction::Minimize, &runs, &log).unwrap();
        for (run, (a, b)) in ends(&built, &runs).into_iter().zip(ends(&extended, &runs)).enumerate()
        {
            close("mean", a.0, b.0);
            close("variance", a.1, b.1);
            for belief in [&built, &extended] {
                let (mean, sd) = belief.end(run);
                close("mean that is kept", mean, a.0);
                close("deviation that is kept", sd * sd, belief.inflation * a.1);
            }
        }
    }

    /// The steps are what reports take from the variance of the end, whatever they say; and a report
    /// at its mean leaves the mean of the end where it is.
    #[test]
    fn steps_are_what_reports_take_from_the_variance() {
        let (runs, log) = runs();
        let mut found =
            Belief::find(None, &shape(), Direction::Maximize, 0.0, &runs, &log).unwrap();
        found.inflation = 1.0;
        let belief = Belief::new(&found, &shape(), Direction::Maximize, &runs, &log).unwrap();
        for run in &runs {
            let number = run.id.index();
            let done = run.reports.len();
            if done == SHARES.len() {
                continue;
            }
            let question =
                Question { settings: &run.unit, run: Some(number), shares: &SHARES[done..] };
            let prospect = belief.prospects(&[question]).unwrap().remove(0);
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
}
