//! A user's own stopping rule: stop when even an optimist expects too little, or when the money is
//! spent.

use clap::Parser;
use gittins::stop::{SpendingLimit, Statistic, any};

use frontend::{Console, Result};
use gittins::{
    Acquisition, Cost, Outcome, Pointwise, Policy, Space, StopContext, StopRule, Study, Verdict,
};
use serde_json::json;

/// Minimizes a bumpy function under a rule of its own.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    console: Console,
    /// One seed fixes every suggestion.
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// Fires when the highest upper confidence bound (three deviations) is less than a tolerance above
/// the best outcome. Larger is better in a rule, in studies that minimize too.
struct OptimistGivesUp(f64);

impl StopRule for OptimistGivesUp {
    fn name(&self) -> &str {
        "the optimist gives up"
    }

    fn check(&mut self, context: &StopContext<'_>) -> gittins::Result<Statistic> {
        let (hope, interrupted) = match context
            .maximize(&Acquisition::Pointwise(Pointwise::UpperConfidenceBound { beta: 9.0 }))?
        {
            Some(best) => (best.value - context.incumbent(), best.interrupted),
            None => (f64::INFINITY, false),
        };
        let words = format!("an optimist hopes for {hope:.4} more, {} would matter", self.0);
        // A time limit may have cut the search short. Then what it found may be too little.
        Ok(Statistic::at_most(hope, self.0).note(words).unless_interrupted(interrupted))
    }
}

fn main() -> Result<()> {
    let Args { console, seed } = Args::parse();
    let rule = any([
        Box::new(OptimistGivesUp(0.01)) as Box<dyn StopRule>,
        Box::new(SpendingLimit::new(200.0)),
    ]);
    let space = Space::new().float("x", -2.0, 2.0);
    let builder = Study::minimize(space).cost(Cost::known(|x| 1.0 + 4.0 * x[0].abs()));
    let mut study = builder.policy(Policy::gittins(1e-4)).stop(rule).seed(seed).build()?;
    let progress = console.progress("one parameter, two rules", 40);
    let reason = loop {
        let ask = study.ask()?;
        let x = ask.numbers()[0];
        study.tell(ask.id(), Outcome::new((x - 0.7).powi(2) - 0.3 * (6.0 * x).cos()))?;
        match study.verdict()? {
            Verdict::Stop(reason) => break reason,
            Verdict::Continue(reason) => progress.step(reason),
        }
    };
    let best =
        json!(study.best().map(|trial| json!({ "x": trial.values[0], "outcome": trial.outcome })));
    let json = json!({ "best": best, "rule": reason.rule, "verdict": reason.to_string() });
    console.result(progress, &json, format_args!("{reason}\nbest {best}"));
    Ok(())
}
