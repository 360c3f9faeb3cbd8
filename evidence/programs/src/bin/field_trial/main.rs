//! A field trial: what to spread on the next plot, if each thing has its price and the soil decides
//! on the rest.
//!
//! ```text
//! cargo run --release -p programs --bin field_trial
//! cargo run --release -p programs --bin field_trial -- --budget 1000
//! cargo run --release -p programs --bin field_trial -- --policy ucb-psq
//! ```
//!
//! A grower wants large leaves. They depend on calcium, boron, ammonium, potassium and the acidity
//! of the soil. Gypsum and borax set the first two for 5 euros a plot. The others stay as they are
//! in that soil, and a soil test tells them afterwards. Three things cost 10 euros. A pot with
//! nutrient solution sets all five for 100. How much of the budget should go to what, and what
//! should be used in the end?
//!
//! **The plants.** The leaf area is the surrogate that Tay, Foo, Urano, Leong & Low 2023 ("Bayesian
//! Optimization with Cost-varying Variable Subsets") fitted to private measurements, here with an
//! error of measurement; see `evidence/problems/data/README.md`. It is 109 over most soils, whatever
//! one does. There is one narrow peak of 345, in units that the publication does not name.
//!
//! **The policy.** The default is ETC-Ada. Each group of cheaper plots first gets the money for
//! four pots: the soil's own variety is seen there for little money. The rest goes to the set with
//! the largest upper bound. `--policy` shows another policy with the same soils and errors.

mod field;
mod picture;

use std::io;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use field::{Field, SOIL, sets};
use frontend::{Console, Result};
use gittins::Outcome;
use gittins_control::{Plays, SubsetPolicy, SubsetRecommendation, SubsetStudy, SubsetWhy};
use picture::{Advice, Plot};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde_json::{Value, json};

/// Plans a field trial in which control of the soil has a price.
#[derive(Parser)]
struct Args {
    /// How sets and values are chosen.
    #[arg(long, value_enum, default_value = "etc-ada")]
    policy: Policy,
    /// Ranks sets by what they promise per euro; with ucb-psq, ts-psq and ei-psq.
    #[arg(long)]
    per_unit_cost: bool,
    /// By how much leaf area a cheaper set may fall short and still be taken; with ucb-cvs.
    #[arg(long, default_value_t = 10.0)]
    relaxation: f64,
    /// Euros for all plots together.
    #[arg(long, default_value_t = 5_000.0)]
    budget: f64,
    /// Euros for a plot on which two things are spread, for one with three, and for a pot with
    /// nutrient solution. The ratios of 1,10,100, of 10,20,100 and of 60,80,100 were published as
    /// cheap, moderate and expensive costs.
    #[arg(long, value_delimiter = ',', default_value = "5,10,100")]
    prices: Vec<f64>,
    /// How much soils differ: the variance of each property, its range being 1; 0.02, 0.04 and 0.08
    /// were published, and less than 1/12 is possible.
    #[arg(long, default_value_t = 0.04)]
    variance: f64,
    /// The deviation of a measured leaf area.
    #[arg(long, default_value_t = 1.0)]
    noise: f64,
    /// The folder with plant_gp.csv and plant_gp.json.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../problems/data"))]
    data: PathBuf,
    /// Where the picture goes.
    #[arg(long, default_value = "field_trial.svg")]
    picture: PathBuf,
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion, the soils and the errors.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Policy {
    /// Explore each group of cheaper sets with the money for four of the dearest, then commit.
    EtcAda,
    /// 50 plots for each group of cheaper sets, then commit.
    #[value(name = "etc-50")]
    Etc50,
    /// 100 plots.
    #[value(name = "etc-100")]
    Etc100,
    /// The cheapest set whose upper bound comes within --relaxation of the largest.
    UcbCvs,
    /// The largest upper bound, whatever it costs.
    UcbPsq,
    /// Thompson sampling, whatever it costs.
    TsPsq,
    /// Expected improvement, whatever it costs.
    EiPsq,
}

impl Args {
    fn prices(&self) -> Result<[f64; 3]> {
        let wrong = |prices: &[f64]| {
            io::Error::other(format!("--prices: expected three, got {}", prices.len()))
        };
        Ok(self.prices.as_slice().try_into().map_err(|_| wrong(&self.prices))?)
    }

    fn policy(&self) -> Result<SubsetPolicy> {
        let policy = match self.policy {
            Policy::EtcAda => SubsetPolicy::explore_then_commit(Plays::Dearest(4.0)),
            Policy::Etc50 => SubsetPolicy::explore_then_commit(Plays::Each(50)),
            Policy::Etc100 => SubsetPolicy::explore_then_commit(Plays::Each(100)),
            Policy::UcbCvs => SubsetPolicy::ucb_cvs(self.relaxation),
            Policy::UcbPsq => SubsetPolicy::ucb_psq(),
            Policy::TsPsq => SubsetPolicy::ts_psq(),
            Policy::EiPsq => SubsetPolicy::ei_psq(),
        };
        match self.policy {
            Policy::UcbPsq | Policy::TsPsq | Policy::EiPsq if self.per_unit_cost => {
                Ok(policy.per_unit_cost())
            }
            _ if self.per_unit_cost => {
                Err(io::Error::other("--per-unit-cost goes with ucb-psq, ts-psq and ei-psq alone"))?
            }
            _ => Ok(policy),
        }
    }
}

/// One plot in this number is shown while plots bring nothing new.
const SHOWN: usize = 12;
/// The picture has the advice after this number of plots, and after plots that bring something new.
const ADVISED: usize = 4;

fn main() -> Result<()> {
    let args = Args::parse();
    let field = Field::open(&args.data, args.noise)?;
    let mut random = Pcg64::seed_from_u64(args.seed);
    let mut study =
        SubsetStudy::maximize(field.space().clone(), sets(args.prices()?, args.variance))
            .policy(args.policy()?)
            .budget(args.budget)
            .seed(args.seed)
            .build()?;
    let sets = study.sets().clone();
    let truth = field.expectation(&sets)?;
    let most: Vec<f64> = truth.best()?.iter().map(|best| field.leaf_area(best.value)).collect();
    let largest = most.iter().copied().fold(f64::NEG_INFINITY, f64::max);

    let title = format!(
        "{} euros; soils with variance {}, leaf areas measured to {}; * is set, the rest the soil had\n\n plot   euro  {:25}{} leaf area     best",
        args.budget,
        args.variance,
        args.noise,
        "spread",
        header()
    );
    let progress = args.console.progress(title, args.budget as u64);
    let (mut plots, mut advice): (Vec<Plot>, Vec<Advice>) = (Vec::new(), Vec::new());
    let (mut phase, mut best, mut known) = (String::new(), f64::NEG_INFINITY, f64::NEG_INFINITY);
    let ended = loop {
        let verdict = study.verdict()?;
        if verdict.is_stop() {
            break verdict.reason().to_string();
        }
        let ask = study.ask()?;
        let (soil, area) = field.grow(&ask, &sets, &mut random)?;
        study.tell(ask.id(), &soil, Outcome::new(area))?;

        let (number, spent) = (plots.len() + 1, study.spent());
        let now = match ask.why() {
            SubsetWhy::Initial { of, .. } => format!("{of} plots to begin with"),
            SubsetWhy::Chosen(decision) => match decision.exploring {
                Some((price, plays)) => {
                    let begun = phase.starts_with(&format!("exploring at {price} "));
                    if begun {
                        phase.clone()
                    } else {
                        format!("exploring at {price} euros a plot, {plays} plots")
                    }
                }
                None => "whatever promises most".to_owned(),
            },
            _ => "no leaf area is known yet".to_owned(),
        };
        // A difference beyond an error of measurement.
        let news = now != phase || area > known + 2.0 * args.noise;
        if now != phase {
            progress.step(format_args!("{now}:"));
            phase = now;
        }
        best = best.max(area);
        if (news || number % ADVISED == 0)
            && let Some(advised) = study.recommendation()?
        {
            let expected = field.leaf_area(truth.value(advised.set, &advised.query));
            advice.push(Advice { spent, promised: advised.expected, expected });
        }
        if news || number % SHOWN == 0 {
            known = best;
            let set = &sets.sets()[ask.set_index()];
            let values =
                |k: usize| shown(soil[k], if set.controlled.contains(&k) { '*' } else { ' ' });
            let row: String = (0..SOIL.len()).map(values).collect();
            progress.step(format_args!(
                "{number:>5} {spent:>6} {:25}{row} {area:>9.1} {best:>8.1}",
                ask.set()
            ));
        }
        progress.advance(ask.cost() as u64);
        plots.push(Plot {
            spent,
            set: ask.set_index(),
            initial: matches!(ask.why(), SubsetWhy::Initial { .. }),
            soil,
            area,
        });
    };

    let advised = study.recommendations()?;
    let truth: Vec<f64> =
        advised.iter().map(|of| field.leaf_area(truth.value(of.set, &of.query))).collect();
    let spent = study.spent();
    if let (Some(first), Some(&expected)) = (advised.first(), truth.first()) {
        advice.push(Advice { spent, promised: first.expected, expected });
    }
    let names: Vec<&str> = sets.sets().iter().map(|set| set.name.as_str()).collect();
    picture::draw(&args.picture, &names, &plots, &advice, largest)?;

    let text = format!(
        "\n{ended}\n\nthe best of each set       euro {} expected  +-  soils +-    truth  of most\n{}\n\n{}spent     {spent} euros on {} plots; the largest leaf area measured was {best:.1}\npicture   {}",
        header(),
        advised
            .iter()
            .zip(&truth)
            .map(|(of, truth)| line(of, *truth, most[of.set]))
            .collect::<Vec<_>>()
            .join("\n"),
        conclusion(&advised, &truth, largest),
        plots.len(),
        args.picture.display()
    );
    let json = json!({
        "verdict": ended, "spent": spent, "plots": plots.iter().map(|plot| json(plot, &names)).collect::<Vec<_>>(),
        "advice": advised.iter().zip(&truth).map(|(of, truth)| json!({
            "set": of.name, "price": of.cost, "values": of.named().collect::<std::collections::BTreeMap<_, _>>(),
            "expected": of.expected, "error": of.error, "spread": of.spread, "truth": truth, "most": most[of.set],
        })).collect::<Vec<_>>(),
        "largest_attainable": largest, "best_measured": best, "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}

/// Names with units over the columns of a soil.
fn header() -> String {
    SOIL.iter()
        .map(|(name, unit, _)| format!("{:>13}", format!("{name} {unit}").trim_end()))
        .collect()
}

/// A value to three digits, with a mark.
fn shown(value: f64, mark: char) -> String {
    let decimals = (2 - value.abs().max(1e-3).log10().floor() as i32).max(0) as usize;
    format!("{value:>12.decimals$}{mark}")
}

/// A line of the table of advice.
fn line(of: &SubsetRecommendation, truth: f64, most: f64) -> String {
    let value = |name: &str| {
        of.named()
            .find(|(known, _)| *known == name)
            .map_or(format!("{:>13}", "- "), |(_, value)| shown(value, ' '))
    };
    let row: String = SOIL.iter().map(|(name, ..)| value(name)).collect();
    format!(
        "{:25} {:>5} {row} {:>8.1} {:>3.1} {:>10.1} {truth:>8.1} {most:>8.1}",
        of.name, of.cost, of.expected, of.error, of.spread
    )
}

/// What to use, and what to use if that is too expensive.
fn conclusion(advised: &[SubsetRecommendation], truth: &[f64], largest: f64) -> String {
    let Some((best, truth)) = advised.first().zip(truth.first()) else { return String::new() };
    let cheaper = advised.iter().find(|of| of.cost < best.cost);
    let cheaper = cheaper.map_or(String::new(), |of| {
        format!(
            "cheaper   {} at {} euros a plot: {:.1} +- {:.1} expected, from soil to soil +- {:.1}\n",
            of.name, of.cost, of.expected, of.error, of.spread
        )
    });
    let SubsetRecommendation { name, cost, expected, error, .. } = best;
    format!(
        "use       {name} at {cost} euros a plot: {expected:.1} +- {error:.1} expected, in truth {truth:.1} of at most {largest:.1}\n{cheaper}"
    )
}

fn json(plot: &Plot, names: &[&str]) -> Value {
    json!({ "set": names[plot.set], "spent": plot.spent, "initial": plot.initial, "soil": plot.soil, "leaf_area": plot.area })
}
