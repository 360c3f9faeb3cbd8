//! The same candidates as a table and as a space of choices: what studies leave when they stop.
//!
//! ```text
//! cargo run --release --bin forms
//! ```
//!
//! Each instance is 1728 reactions of five columns of names. Effects of names and of two pairs of columns are
//! normal, their sum goes through a logistic curve, and 82 % yield nothing. A stop by four equal
//! outcomes would hide what the forms differ in, so no study ends before it has seen a yield or
//! 29 reactions. Both forms should leave as much.

use std::collections::HashMap;
use std::sync::Arc;

use clap::Parser;
use frontend::Result;
use gittins::{Acquisition, Cpu, Domain, Outcome, Space, Study, Table, Value};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// Compares a table with a space of the same names.
#[derive(Parser)]
struct Args {
    /// The number of sets of reactions.
    #[arg(long, default_value_t = 40)]
    instances: u64,
    /// The number of studies of each.
    #[arg(long, default_value_t = 10)]
    seeds: u64,
    /// The price of a reaction in units of the yield, of which 100 is the most.
    #[arg(long, default_value_t = 0.3)]
    price: f64,
}

const COLUMNS: [(&str, usize); 5] =
    [("base", 4), ("ligand", 12), ("solvent", 4), ("molar", 3), ("celsius", 3)];
const ZEROS: f64 = 0.82;
const MOST: usize = 150;
const PATIENCE: usize = 29;

/// Names and the yields of all their combinations, in the order of rows.
struct Reactions {
    rows: Vec<Vec<Value>>,
    yields: HashMap<Vec<String>, f64>,
    best: f64,
}

fn key(values: &[Value]) -> Vec<String> {
    values.iter().map(Value::to_string).collect()
}

impl Reactions {
    fn new(instance: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(instance);
        let mut normal = |deviation: f64| -> f64 {
            let normal: f64 = StandardNormal.sample(&mut random);
            deviation * normal
        };
        let effects = COLUMNS.map(|(_, m)| (0..m).map(|_| normal(1.2)).collect::<Vec<f64>>());
        let mut pairs: HashMap<[usize; 4], f64> = HashMap::new();
        let count: usize = COLUMNS.iter().map(|(_, m)| m).product();
        let (mut rows, mut sums) = (Vec::new(), Vec::new());
        for index in 0..count {
            let mut rest = index;
            let names = COLUMNS.map(|(_, m)| {
                let name = rest % m;
                rest /= m;
                name
            });
            let alone: f64 = effects.iter().zip(names).map(|(effects, name)| effects[name]).sum();
            let both = [(0, 1), (1, 2)].map(|(a, b)| {
                *pairs.entry([a, b, names[a], names[b]]).or_insert_with(|| normal(0.9))
            });
            sums.push(alone + both.iter().sum::<f64>());
            let name = |((column, _), name): (&(&str, usize), usize)| {
                Value::from(format!("{column} {name}").as_str())
            };
            rows.push(COLUMNS.iter().zip(names).map(name).collect::<Vec<Value>>());
        }
        let mut ascending = sums.clone();
        ascending.sort_by(f64::total_cmp);
        // Yields of less than 2 of 100 are none.
        let center = ascending[(ZEROS * count as f64) as usize] - (2.0_f64 / 98.0).ln() / 1.3;
        let of = |sum: &f64| match 100.0 / (1.0 + (-1.3 * (sum - center)).exp()) {
            amount if amount > 2.0 => amount,
            _ => 0.0,
        };
        let yields: HashMap<_, _> =
            rows.iter().map(|row| key(row)).zip(sums.iter().map(of)).collect();
        let best = yields.values().copied().fold(0.0, f64::max);
        rows.shuffle(&mut random);
        Self { rows, yields, best }
    }

    fn domain(&self, form: &str) -> Result<Domain> {
        Ok(match form {
            "table" => Table::new(COLUMNS.map(|(column, _)| column), self.rows.clone())?.into(),
            _ => {
                let choice = |space: Space, (column, m): (&str, usize)| {
                    space.choice(column, (0..m).map(|name| format!("{column} {name}")))
                };
                COLUMNS.into_iter().fold(Space::new(), choice).into()
            }
        })
    }

    /// What a study leaves when it stops, and its number of trials.
    fn study(&self, form: &str, price: f64, seed: u64) -> Result<(f64, usize)> {
        let study = Study::maximize(self.domain(form)?).policy(Acquisition::gittins(price));
        let mut study = study.backend(Arc::new(Cpu)).seed(seed).build()?;
        let mut best: f64 = 0.0;
        for trial in 1..=MOST {
            let ask = study.ask()?;
            let amount = self.yields[&key(ask.values())];
            study.tell(ask.id(), Outcome::new(amount))?;
            best = best.max(amount);
            if study.verdict()?.is_stop() && (best > 0.0 || trial >= PATIENCE) {
                return Ok((self.best - best, trial));
            }
        }
        Ok((self.best - best, MOST))
    }
}

fn main() -> Result<()> {
    let Args { instances, seeds, price } = Args::parse();
    println!("form   studies  leave more than 20 prices  regret  trials  regret and spend");
    for form in ["table", "space"] {
        let of = |instance: u64| -> Result<Vec<(f64, usize)>> {
            let reactions = Reactions::new(instance);
            (0..seeds).map(|seed| reactions.study(form, price, seed)).collect()
        };
        let found = (0..instances).map(of).collect::<Result<Vec<_>>>()?.concat();
        let count = found.len() as f64;
        let leave = found.iter().filter(|(regret, _)| *regret > 20.0 * price).count();
        let regret = found.iter().map(|(regret, _)| regret).sum::<f64>() / count;
        let trials = found.iter().map(|(_, trials)| *trials as f64).sum::<f64>() / count;
        println!(
            "{form}  {count:7}  {leave:25}  {regret:6.2}  {trials:6.1}  {:16.2}",
            regret + price * trials
        );
    }
    Ok(())
}
