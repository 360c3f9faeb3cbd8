//! A small neural network is trained for the same money in four ways: by runs that are paid for in
//! stages, by whole runs, by ASHA, and at random.
//!
//! ```text
//! cargo run --release -p programs --bin train_in_stages
//! cargo run --release -p programs --bin train_in_stages -- --seeds 10
//! cargo run --release -p programs --bin train_in_stages -- --clock
//! ```
//!
//! The network tells good red wines from others. A run is 27 epochs, and reports its loss on wines
//! for validation after 1, 3, 9 and 27 of them. Learning rate, width, layers, batch, decay of the
//! weights and momentum are chosen. The money is what 20 runs of middle cost take. A run that was
//! left keeps its weights in memory, so it goes on from where it stopped.
//!
//! **Seconds** are counted work: the multiply-adds of a training, a thousand million a second.
//! So a seed fixes all that is printed. With `--clock` they are those of the clock. What it takes to
//! choose a run is not counted in either case.
//!
//! **Reading the table.** The loss is the least one of a run that came to its end; the error on the
//! wines for the test is that of the same run, and nobody chose by it. `to level` are the seconds
//! until a way had a finished run as good as the final one of the worst way.

mod account;
mod network;
mod picture;
mod table;
mod training;
mod ways;

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use frontend::{Console, Result};
use serde_json::json;

use account::{Account, Ending, Meter};
use table::Line;
use training::{EPOCHS, REPORTS, Setting, Training, Wines};
use ways::{Drawn, Way};

/// Settings whose costs are compared for that of the middle.
const SIZED: usize = 201;

/// The bar has so many steps for each way.
const STEPS: u64 = 100;

/// Spends the same money on trainings of a network in four ways.
#[derive(Parser)]
struct Args {
    /// How many runs of middle cost the money of each way would pay for.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Counts seconds by the clock, and not by work.
    #[arg(long)]
    clock: bool,
    /// The first seed. It fixes settings that are drawn, weights at the start and the order of wines.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds the numbers are means of.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The folder of the pictures.
    #[arg(long, default_value = "train_in_stages")]
    out: PathBuf,
    #[command(flatten)]
    console: Console,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let wines = Wines::new();
    let meter = if args.clock { Meter::Clock } else { Meter::Work };
    let budget = f64::from(args.runs) * middle_cost(&wines, meter);
    let title = format!(
        "{} runs of {EPOCHS} epochs, {budget:.3} s by {}, in each of {} ways\n\nseed {}",
        args.runs,
        if args.clock { "the clock" } else { "counted work" },
        Way::ALL.len(),
        Line::header(),
    );
    let progress = args.console.progress(title, args.seeds * Way::ALL.len() as u64 * STEPS);
    let shown = Cell::new(0);
    let base = Cell::new(0);
    let watch = |share: f64| {
        let steps = base.get() + (STEPS as f64 * share.min(1.0)) as u64;
        progress.advance(steps - shown.get());
        shown.set(steps);
    };
    let mut plays = Vec::new();
    for seed in args.seed..args.seed.saturating_add(args.seeds) {
        let mut ways = Vec::new();
        for way in Way::ALL {
            let mut account = Account::new(&wines, meter, budget, seed, &watch);
            way.spend(&mut account, seed)?;
            watch(1.0);
            base.set(base.get() + STEPS);
            ways.push((way, account));
        }
        let lines = Line::all(std::slice::from_ref(&ways));
        let lines: Vec<String> = lines.iter().map(|l| format!("{seed:>4} {}", l.text())).collect();
        progress.line(lines.join("\n"));
        plays.push(ways);
    }

    fs::create_dir_all(&args.out)
        .map_err(|error| io::Error::other(format!("{}: {error}", args.out.display())))?;
    let pictures = [args.out.join("curves.svg"), args.out.join("in_hand.svg")];
    picture::curves(&pictures[0], &plays[0])?;
    picture::in_hand(&pictures[1], &plays)?;
    let lines = Line::all(&plays);
    let text: Vec<String> = lines.iter().map(|line| format!("mean {}", line.text())).collect();
    let seeds: Vec<_> =
        plays.iter().zip(args.seed..).map(|(ways, seed)| played(seed, ways)).collect();
    let json = json!({
        "epochs": EPOCHS, "reports": REPORTS, "budget": budget, "clock": args.clock, "ways": lines,
        "seeds": seeds, "pictures": pictures,
    });
    let [curves, in_hand] = pictures.map(|path| path.display().to_string());
    let text = format!("\n{}\n\npictures {curves}, {in_hand}", text.join("\n"));
    args.console.result(progress, &json, text);
    Ok(())
}

/// The cost of a run in the middle of random settings, in seconds.
fn middle_cost(wines: &Wines, meter: Meter) -> f64 {
    let mut drawn = Drawn::new(0);
    let mut sized: Vec<(f64, Setting)> = (0..SIZED)
        .map(|_| {
            let setting = drawn.setting();
            (setting.run_seconds(wines), setting)
        })
        .collect();
    sized.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (seconds, setting) = sized[SIZED / 2];
    if meter == Meter::Work {
        return seconds;
    }
    let start = Instant::now();
    Training::new(setting, wines, 0).train(wines, EPOCHS);
    start.elapsed().as_secs_f64()
}

/// What one seed brought, as data.
fn played(seed: u64, ways: &[(Way, Account<'_>)]) -> serde_json::Value {
    let way = |(way, account): &(Way, Account<'_>)| {
        let runs = account.runs.iter().map(|run| {
            json!({ "setting": run.setting, "ending": run.ending, "seconds": run.seconds, "reports": run.reports })
        });
        json!({
            "way": way.name(), "spent": account.spent, "finished": account.count(Ending::Finished),
            "in_hand": account.in_hand, "runs": runs.collect::<Vec<_>>(),
        })
    };
    json!({ "seed": seed, "ways": ways.iter().map(way).collect::<Vec<_>>() })
}
