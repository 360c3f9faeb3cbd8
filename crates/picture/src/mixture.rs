//! What trials are made of, if parts of them sum to a total.

use chart::number::short;
use chart::svg::area;
use chart::{Along, Frame, Key, Marks, Panel, Plan, Scale, Sign, Triangle, escaped, fitted};
use gittins::Space;
use gittins::data::{Constraint, Parameter, ParameterKind};

use crate::course::{failure, failures};
use crate::trials::{ORDER, Told, Trials};

/// The most trials that have a bar.
const BARS: usize = 8;
/// Half the height of a bar, at most.
const HALF: f64 = 9.0;
/// A color for each part. With more parts the last one is that of the others.
const COLORS: [&str; 8] = ["p0", "p1", "p2", "p3", "p4", "p5", "p7", "p6"];
/// How far shares may be off a sum of 1.
const OFF: f64 = 1e-6;

/// Parts that sum to a total.
#[derive(Debug, Clone)]
pub struct Mixture {
    /// Their names, and what makes a share of the total of an amount.
    parts: Vec<(String, f64)>,
}

impl Mixture {
    /// The mixtures of a space: equations of parts that are not negative, with weights of one sign.
    pub fn of(space: &Space) -> Vec<Self> {
        let one = |constraint: &Constraint| {
            let Constraint::Equation { terms, equal_to } = constraint else { return None };
            let weighed = terms.iter().filter(|(_, weight)| *weight != 0.0);
            let parts = weighed.map(|(name, weight)| (name.clone(), weight / equal_to));
            let parts: Vec<(String, f64)> = parts.collect();
            let is_part = |(name, factor): &(String, f64)| {
                let least = space.parameters().iter().find(|one| one.name() == name).map(least);
                *factor > 0.0 && factor.is_finite() && least.is_some_and(|least| least >= 0.0)
            };
            (parts.len() > 1 && parts.iter().all(is_part)).then_some(Self { parts })
        };
        space.constraints().iter().filter_map(one).collect()
    }

    /// Draws three parts as a triangle, and another number of parts as bars.
    pub fn draw(&self, trials: &Trials<'_>, index: usize, titled: bool) -> Panel {
        let name = &format!("mixture-{}", index + 1);
        match &self.parts[..] {
            [a, b, c] => self.triangle(trials, name, [&a.0, &b.0, &c.0], titled),
            _ => self.bars(trials, name),
        }
    }

    /// The share of each part; `None` if they do not make a whole.
    fn shares(&self, told: &Told<'_>) -> Option<Vec<f64>> {
        let values = &told.row.point.values;
        let share = |(part, factor): &(String, f64)| {
            let value =
                values.iter().find(|(name, _)| name == part).and_then(|(_, v)| v.number())?;
            let share = factor * value;
            (-OFF..=1.0 + OFF).contains(&share).then_some(share.clamp(0.0, 1.0))
        };
        let shares: Vec<f64> = self.parts.iter().map(share).collect::<Option<_>>()?;
        ((shares.iter().sum::<f64>() - 1.0).abs() <= OFF).then_some(shares)
    }

    /// What a trial is made of, and the trial, in words. Parts that are nothing are left out.
    fn words(&self, shares: &[f64], told: &Told<'_>) -> String {
        let there = self.parts.iter().zip(shares).filter(|(_, share)| **share > 0.0);
        let part = |((name, _), share): (&(String, f64), &f64)| {
            format!("{} {} %", fitted(name, 1.0, 40.0), short(100.0 * share, 3))
        };
        let parts: Vec<String> = there.map(part).collect();
        format!("{}; {}", parts.join(", "), told.words())
    }

    /// Trials at their shares, colored by their outcomes.
    fn triangle(&self, trials: &Trials<'_>, name: &str, parts: [&str; 3], titled: bool) -> Panel {
        const TITLE: &str = "Outcomes by composition";
        let told = &trials.told;
        if told.is_empty() {
            return Frame::blank(name, TITLE, "No trial has been told yet.");
        }
        let (scale, shown) = trials.outcomes();
        let sign = trials.direction.sign();
        let color = |outcome: f64| {
            let part = scale.fraction(outcome).unwrap_or(0.0);
            let good = if sign > 0.0 { part } else { 1.0 - part };
            ORDER[((ORDER.len() as f64 * good) as usize).min(ORDER.len() - 1)]
        };
        let mut keys = Vec::new();
        // They come with the best one first.
        if let (Some(worst), Some(best)) = (shown.last(), shown.first()) {
            let worst = format!("outcome {}", short(*worst, 4));
            keys.push(Key::order(&ORDER, &worst, &short(*best, 4)));
        }
        if told.iter().any(Told::breaks) {
            keys.push(Key::mark(Sign::Ring, "plain", "breaks a limit"));
        }
        keys.extend(failures(told));
        let mut triangle = Triangle::new(name, TITLE, parts, &keys);
        let mut marks = Marks::new(titled);
        let best = told.iter().rposition(|told| told.improves);
        let mut halo = String::new();
        for (place, told) in told.iter().enumerate() {
            let Some(shares) = self.shares(told) else { continue };
            let [a, b, c] = shares[..] else { continue };
            let at = triangle.at([a, b, c]);
            let (sign, color) = match told.outcome {
                Some(outcome) if told.breaks() => (Sign::Ring, color(outcome)),
                Some(outcome) => (Sign::Dot, color(outcome)),
                None => (failure(told.row.state), "bad"),
            };
            if best == Some(place) {
                let words = format!("the best: {}", self.words(&shares, told));
                halo = Sign::Halo.element("better", at, &words);
            }
            marks.add(sign, color, at, || self.words(&shares, told));
        }
        triangle.push(&marks.finish());
        triangle.push(&halo);
        triangle.close()
    }

    /// A bar for each of the best trials, the best above.
    fn bars(&self, trials: &Trials<'_>, name: &str) -> Panel {
        const TITLE: &str = "What the best trials are made of";
        let whole = |told| Some((told, self.shares(told)?));
        let best = trials.ranked().into_iter().filter_map(whole).take(BARS);
        // Rows are from below.
        let rows: Vec<(&Told<'_>, Vec<f64>)> = best.collect::<Vec<_>>().into_iter().rev().collect();
        if rows.is_empty() {
            let why = if trials.none_holds() {
                "No trial holds all limits."
            } else {
                "No trial is complete yet."
            };
            return Frame::blank(name, TITLE, why);
        }
        let groups = self.groups(rows.iter().map(|(_, shares)| &shares[..]));
        let keys = groups.iter().zip(COLORS).map(|((words, _), color)| {
            Key::area(&format!("bar {color}"), fitted(words, 12.0, 96.0))
        });
        let label = |(told, _): &(&Told<'_>, _)| {
            let outcome = short(told.outcome.unwrap_or(f64::NAN), 4);
            format!("trial {}: {outcome}", told.row.trial)
        };
        let labels = Along::Names(rows.iter().map(label).collect());
        let y = format!("outcome ({})", trials.better());
        let x = ("share of the total (%)", Along::Numbers(Scale::exact(0.0, 100.0)));
        let plan = Plan::new(TITLE, x, (&y, labels));
        let mut frame = Frame::new(Plan { name: name.to_owned(), keys: keys.collect(), ..plan });
        let [top, bottom] = frame.down();
        let half = HALF.min(0.35 * (bottom - top) / rows.len() as f64);
        for (row, (told, shares)) in rows.iter().enumerate() {
            let middle = frame.row(row);
            let mut bar = format!("<g><title>{}</title>\n", escaped(&self.words(shares, told)));
            let mut sum = 0.0;
            let mut from = frame.x.number(0.0);
            for ((_, parts), color) in groups.iter().zip(COLORS) {
                sum += parts.iter().map(|part| shares[*part]).sum::<f64>();
                let to = frame.x.number(100.0 * sum);
                if let (Some(from), Some(to)) = (from, to)
                    && from != to
                {
                    let [from, to] =
                        [(from, -half), (to, half)].map(|(x, y)| (x.place(), middle + y));
                    bar += &area(&format!("bar {color}"), from, to);
                }
                from = to;
            }
            frame.push(&(bar + "</g>\n"));
        }
        frame.close()
    }

    /// The parts that these bars have, each with its name and its place. If there are more than
    /// colors, the least of them are one.
    fn groups<'a>(&self, bars: impl Iterator<Item = &'a [f64]>) -> Vec<(String, Vec<usize>)> {
        let mut sums = vec![0.0; self.parts.len()];
        bars.for_each(|shares| sums.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share));
        let mut there: Vec<usize> = (0..sums.len()).filter(|part| sums[*part] > 0.0).collect();
        there.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
        let one = if there.len() > COLORS.len() { COLORS.len() - 1 } else { there.len() };
        let others = there.split_off(one);
        there.sort_unstable();
        let alone = there.into_iter().map(|part| (self.parts[part].0.clone(), vec![part]));
        let others = (!others.is_empty()).then(|| ("others".to_owned(), others));
        alone.chain(others).collect()
    }
}

/// The least number that a parameter can be.
fn least(parameter: &Parameter) -> f64 {
    match parameter.kind() {
        ParameterKind::Float { low, .. } => *low,
        ParameterKind::Constant { value } => value.number().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}
