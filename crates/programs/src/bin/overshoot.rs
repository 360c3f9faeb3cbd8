//! Measures how well a time limit is kept: the time of one `ask` of each policy and one `verdict`
//! of each rule right after a new outcome.
//!
//! ```text
//! cargo run --release -p programs --bin overshoot
//! cargo run --release -p programs --bin overshoot -- --size 32x1000 --limit 100 --only entropy
//! ```
//!
//! Each study is told a design of `n` points in `d` dimensions, with the values of a function with
//! noise. The `first` call fits from nothing and conditions on all points. Each further call
//! follows a new outcome. `worst` is the slowest of these. `over` is its time beyond the limit,
//! negative if it took less. `fit` is the time spent on fits and factors. All times are in
//! milliseconds. A limit should hold to within 10 milliseconds and a tenth of itself; times beyond
//! that are marked.

use std::io;
use std::time::{Duration, Instant};

use clap::Parser;
use frontend::{Console, Result};
use gittins::math::Sobol;
use gittins::stop::{ConfidenceGapRule, RegretGapRule, RegretProbabilityRule, ThresholdRule};
use gittins::study::StudyBuilder;
use gittins::suggest::{Estimation, MaxValueEntropy, MaximaSource};
use gittins::{Acquisition, Cost, CostForm, GittinsRule, Outcome, Pointwise, Policy, Space, Study};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use serde_json::{Value, json};

/// Measures how long suggestions and verdicts take beyond a time limit.
#[derive(Parser)]
struct Args {
    /// Dimensions and observations.
    #[arg(long, value_parser = size, value_delimiter = ',', default_value = "8x200,32x1000")]
    size: Vec<(usize, usize)>,
    /// Limits in milliseconds.
    #[arg(long, value_delimiter = ',', default_value = "20,100,500")]
    limit: Vec<u64>,
    /// Calls after a new outcome, of which the slowest counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    repetitions: u64,
    /// A part of the names of the policies and rules to measure; all unless set.
    #[arg(long)]
    only: Option<String>,
    /// Learns the cost of a trial too, which is a second model; 1 everywhere unless set.
    #[arg(long)]
    learned_cost: bool,
    /// Print the table in Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    console: Console,
    /// One seed fixes the data.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

fn size(text: &str) -> std::result::Result<(usize, usize), String> {
    let message = || format!("expected two positive numbers such as 8x200, got {text}");
    let (d, n) = text.split_once('x').ok_or_else(message)?;
    match (d.parse(), n.parse()) {
        (Ok(d), Ok(n)) if d > 0 && n > 0 => Ok((d, n)),
        _ => Err(message()),
    }
}

/// What is asked.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Ask,
    Verdict,
}

/// A policy or a rule that is asked, and how a study gets it.
type Entry = (Call, &'static str, fn(StudyBuilder) -> StudyBuilder);

/// The price of a unit of cost. A trial costs one unit on average.
const PRICE: f64 = 1e-3;

/// The budget of a run.
const BUDGET: f64 = 100.0;

/// The deviation of the noise of an outcome. That of the function is about 0.7.
const NOISE: f64 = 0.05;

const ENTRIES: [Entry; 19] = [
    (Call::Ask, "Gittins", |study| study.policy(Acquisition::gittins(PRICE))),
    (Call::Ask, "Gittins, decaying", |study| study.policy(Policy::gittins_decay(0.1, 2.0))),
    (Call::Ask, "Gittins, adaptive", |study| study.policy(Policy::gittins_adaptive())),
    (Call::Ask, "log EI", |study| {
        study.policy(Acquisition::Pointwise(Pointwise::LogExpectedImprovement))
    }),
    (Call::Ask, "log EI per cost", |study| {
        study.policy(Acquisition::Pointwise(Pointwise::LogExpectedImprovementPerCost {
            exponent: 1.0,
            form: CostForm::Expected,
        }))
    }),
    (Call::Ask, "cost cooling", |study| study.policy(Policy::log_eipc_cooled(BUDGET))),
    (Call::Ask, "UCB", |study| study.policy(Policy::ucb())),
    (Call::Ask, "Thompson", |study| study.policy(Policy::thompson())),
    (Call::Ask, "estimation", |study| study.policy(Policy::estimation(Estimation::default()))),
    (Call::Ask, "max-value entropy", |study| {
        study.policy(Policy::max_value_entropy(MaxValueEntropy::default()))
    }),
    (Call::Ask, "max-value entropy, paths", |study| {
        study.policy(Policy::max_value_entropy(MaxValueEntropy {
            source: MaximaSource::Paths,
            ..MaxValueEntropy::default()
        }))
    }),
    (Call::Ask, "knowledge gradient 64", |study| study.policy(Policy::knowledge_gradient(64))),
    (Call::Ask, "lookahead, path", |study| {
        study.policy(Acquisition::budgeted_lookahead(4, &[1]).budget(BUDGET))
    }),
    (Call::Ask, "lookahead, tree", |study| {
        study.policy(Acquisition::budgeted_lookahead(4, &[4, 4, 2]).budget(BUDGET))
    }),
    (Call::Verdict, "Gittins", |study| study.stop(GittinsRule::priced(PRICE))),
    (Call::Verdict, "confidence gap", |study| study.stop(ConfidenceGapRule::default())),
    (Call::Verdict, "regret gap", |study| study.stop(RegretGapRule::new())),
    (Call::Verdict, "regret probability", |study| study.stop(RegretProbabilityRule::new(0.1))),
    (Call::Verdict, "threshold, knowledge gradient 64", |study| {
        study.stop(ThresholdRule::knowledge_gradient(64, PRICE))
    }),
];

/// A function of the unit cube, its cost, and noise.
struct Bench {
    space: Space,
    design: Sobol,
    random: Pcg64,
    learned_cost: bool,
}

impl Bench {
    fn new(d: usize, args: &Args) -> Self {
        let space = (0..d).fold(Space::new(), |space, k| space.float(format!("x{k}"), 0.0, 1.0));
        let random = Pcg64::seed_from_u64(args.seed);
        Self { space, design: Sobol::new(d, args.seed), random, learned_cost: args.learned_cost }
    }

    fn outcome(&mut self, x: &[f64]) -> Outcome {
        let noise: f64 = StandardNormal.sample(&mut self.random);
        let waves = x.iter().enumerate().map(|(k, x)| (3.0 * x + k as f64).sin()).sum::<f64>();
        let outcome = Outcome::new(waves / (x.len() as f64).sqrt() + NOISE * noise);
        if self.learned_cost {
            outcome.cost(0.5 + x.iter().sum::<f64>() / x.len() as f64)
        } else {
            outcome
        }
    }

    /// A study that was told `n` points.
    fn study(
        &mut self,
        n: usize,
        limit: Duration,
        settings: fn(StudyBuilder) -> StudyBuilder,
    ) -> Result<Study> {
        let cost = if self.learned_cost { Cost::learned() } else { Cost::uniform(1.0) };
        let builder =
            Study::minimize(self.space.clone()).cost(cost).initial(0).seed(1).time_limit(limit);
        let mut study = settings(builder).build()?;
        for point in self.design.points(0, n).rows() {
            study.import(point, self.outcome(point))?;
        }
        Ok(study)
    }
}

/// One measured call, in milliseconds.
#[derive(Clone, Copy)]
struct Took {
    all: f64,
    fit: f64,
}

/// Asks once and tells the outcome.
fn once(call: Call, study: &mut Study, bench: &mut Bench, number: usize) -> Result<Took> {
    let fits = |study: &Study| study.record().rows().iter().map(|row| row.seconds.fit).sum::<f64>();
    let before = fits(study);
    let began = Instant::now();
    let asked = match call {
        Call::Ask => Some(study.ask()?),
        Call::Verdict => study.verdict().map(|_| None)?,
    };
    let all = 1e3 * began.elapsed().as_secs_f64();
    let fit = 1e3 * (fits(study) - before);
    match asked {
        Some(ask) => study.tell(ask.id(), bench.outcome(ask.numbers()))?,
        None => {
            let point = bench.design.points(number, 1);
            study.import(point.row(0), bench.outcome(point.row(0))).map(drop)?;
        }
    }
    Ok(Took { all, fit })
}

const COLUMNS: [&str; 9] = ["call", "of", "d", "n", "limit", "first", "worst", "over", "fit"];

/// A line of the table, aligned for the terminal or as Markdown. The last cell marks a time beyond
/// the tolerance.
fn line(cells: &[String; 9], beyond: bool, markdown: bool) -> String {
    let widths = [7, 32, 3, 5, 6, 8, 8, 8, 8];
    let padded = cells.iter().zip(widths).enumerate().map(|(k, (cell, width))| match k {
        0 | 1 => format!("{cell:<width$}"),
        _ => format!("{cell:>width$}"),
    });
    let padded: Vec<String> = padded.collect();
    let mark = if beyond { "!" } else { " " };
    if markdown {
        format!("| {} | {mark} |", padded.join(" | "))
    } else {
        format!("{}  {mark}", padded.join("  ")).trim_end().to_owned()
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let chosen: Vec<&Entry> = ENTRIES
        .iter()
        .filter(|entry| args.only.as_ref().is_none_or(|part| entry.1.contains(part.as_str())))
        .collect();
    if chosen.is_empty() {
        Err(io::Error::other("no policy and no rule has such a name"))?;
    }
    let mut title = line(&COLUMNS.map(str::to_owned), false, args.markdown);
    if args.markdown {
        title += "\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|";
    }
    let cells = chosen.len() * args.size.len() * args.limit.len();
    let progress = args.console.progress(title, cells as u64);
    let mut rows: Vec<Value> = Vec::new();
    let mut beyond = 0;
    for &(d, n) in &args.size {
        for &&(call, name, settings) in &chosen {
            for &limit in &args.limit {
                let mut bench = Bench::new(d, &args);
                let mut study = bench.study(n, Duration::from_millis(limit), settings)?;
                let first = once(call, &mut study, &mut bench, n)?;
                let mut worst = Took { all: 0.0, fit: 0.0 };
                for repetition in 0..args.repetitions as usize {
                    let took = once(call, &mut study, &mut bench, n + 1 + repetition)?;
                    worst = if took.all > worst.all { took } else { worst };
                }
                let over = worst.all - limit as f64;
                let is_beyond = over > 10.0 + 0.1 * limit as f64;
                beyond += usize::from(is_beyond);
                let call = if call == Call::Ask { "ask" } else { "verdict" };
                let milliseconds =
                    [first.all, worst.all, over, worst.fit].map(|time| format!("{time:.0}"));
                let [first_cell, worst_cell, over_cell, fit_cell] = milliseconds;
                let [d_cell, n_cell] = [d, n].map(|number| number.to_string());
                let cells = [
                    call.into(),
                    name.into(),
                    d_cell,
                    n_cell,
                    limit.to_string(),
                    first_cell,
                    worst_cell,
                    over_cell,
                    fit_cell,
                ];
                progress.step(line(&cells, is_beyond, args.markdown));
                rows.push(json!({
                    "call": call, "of": name, "d": d, "n": n, "limit": limit, "first": first.all, "first_fit": first.fit,
                    "worst": worst.all, "over": over, "fit": worst.fit,
                }));
            }
        }
    }
    let text = format!(
        "{beyond} of {} took longer than their limit by more than 10 ms and a tenth of it",
        rows.len()
    );
    let json = json!({ "repetitions": args.repetitions, "learned_cost": args.learned_cost, "beyond": beyond, "rows": rows });
    args.console.result(progress, &json, text);
    Ok(())
}
