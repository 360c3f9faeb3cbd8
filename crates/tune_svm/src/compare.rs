//! Runs by one worker beside runs by several.

use frontend::Result;
use serde_json::{Value, json};
use wine::Folds;

use crate::args::{Args, failed};
use crate::picture;
use crate::work::{self, Course, Settings};

/// The best error after so many seconds.
type Line = Vec<(f64, f64)>;

/// What is compared of a run.
struct Row {
    seed: u64,
    workers: usize,
    trials: usize,
    /// The error of the recommended setting, and what the model expects of it.
    error: f64,
    expected: f64,
    /// CPU seconds of all trials.
    spent: f64,
    /// Seconds from start to end.
    wall: f64,
    best: Line,
}

impl Row {
    fn of(settings: Settings, course: &mut Course) -> Result<Self> {
        let best = course.study.recommendation()?;
        let best = best.ok_or_else(|| std::io::Error::other("no trial was made"))?;
        Ok(Self {
            seed: settings.seed,
            workers: settings.workers,
            trials: course.made.len(),
            error: best.outcome,
            expected: best.mean,
            spent: course.study.total_cost(),
            wall: course.wall,
            best: course.made.iter().map(|made| (made.ended, made.best)).collect(),
        })
    }

    /// The least error of any trial.
    fn least(&self) -> f64 {
        self.best.last().map_or(f64::INFINITY, |(_, best)| *best)
    }

    /// The seconds until some trial had at most this error.
    fn reached(&self, error: f64) -> f64 {
        self.best.iter().find(|(_, best)| *best <= error).map_or(self.wall, |(time, _)| *time)
    }

    fn json(&self, reached: f64) -> Value {
        json!({
            "seed": self.seed, "workers": self.workers, "trials": self.trials, "error": self.error,
            "expected": self.expected, "spent_seconds": self.spent, "wall_seconds": self.wall,
            "least": self.least(), "reached_seconds": reached,
        })
    }
}

/// Two runs of one seed, and the seconds until each had found the larger of their least errors.
struct Pair {
    rows: [Row; 2],
    reached: [f64; 2],
}

impl From<[Row; 2]> for Pair {
    fn from(rows: [Row; 2]) -> Self {
        let both = rows[0].least().max(rows[1].least());
        let reached = [rows[0].reached(both), rows[1].reached(both)];
        Self { rows, reached }
    }
}

/// Makes each run by one worker and by several, one run after the other, and prints a table. Runs
/// end when nothing is worth its price, and so at different errors. How quick they are is said of the
/// time until both had found as little.
pub fn run(args: &Args, folds: &Folds, settings: Settings) -> Result<()> {
    let title = format!(
        "{} red wines, {}-fold error; a second of training must buy {} of error\n\n\
         seed  workers  trials    error  expected    spent     wall  until both",
        folds.count(),
        folds.parts(),
        args.lambda
    );
    let progress = args.console.progress(title, 2 * args.seeds);
    let mut pairs: Vec<Pair> = Vec::new();
    for seed in (0..args.seeds).map(|run| args.seed.wrapping_add(run)) {
        let made = |workers: usize| -> Result<Row> {
            let settings = Settings { workers, seed, ..settings };
            let mut course = work::run(folds, settings, &mut |_| {}).map_err(failed)?;
            Row::of(settings, &mut course)
        };
        let pair = Pair::from([made(1)?, made(settings.workers)?]);
        for (row, reached) in pair.rows.iter().zip(pair.reached) {
            progress.step(format_args!(
                "{seed:>4} {:>8} {:>7} {:>8.4} {:>9.4} {:>8.2} {:>8.2} {reached:>11.2}",
                row.workers, row.trials, row.error, row.expected, row.spent, row.wall,
            ));
        }
        pairs.push(pair);
    }
    let lines: Vec<(bool, &[(f64, f64)])> = pairs
        .iter()
        .flat_map(|pair| [(false, &pair.rows[0].best[..]), (true, &pair.rows[1].best[..])])
        .collect();
    picture::compare(&args.picture, &lines, settings.workers)?;

    let count = pairs.len() as f64;
    let both = |of: &dyn Fn(&Pair, usize) -> f64| {
        [0, 1].map(|which| pairs.iter().map(|pair| of(pair, which)).sum::<f64>() / count)
    };
    let expected = both(&|pair, which| pair.rows[which].expected);
    let spent = both(&|pair, which| pair.rows[which].spent);
    let wall = both(&|pair, which| pair.rows[which].wall);
    let pace = both(&|pair, which| pair.rows[which].trials as f64 / pair.rows[which].wall);
    let reached = both(&|pair, which| pair.reached[which]);
    // The quotient of means: a mean of quotients would be led by the shortest runs.
    let speed_up = reached[0] / reached[1];
    let line = |name: &str, [one, several]: [f64; 2], digits: usize| {
        format!("{name:<20} {one:>8.digits$} {several:>8.digits$}\n")
    };
    let text = format!(
        "\nmeans of {} runs  1 worker  {} workers\n{}{}{}{}{}\nspeed-up until both had found as little: {speed_up:.2}\n\npicture {}",
        pairs.len(),
        settings.workers,
        line("expected error", expected, 4),
        line("CPU seconds", spent, 2),
        line("wall seconds", wall, 2),
        line("trials a second", pace, 2),
        line("seconds until both", reached, 2),
        args.picture.display()
    );
    let rows: Vec<Value> = pairs
        .iter()
        .flat_map(|pair| [0, 1].map(|which| pair.rows[which].json(pair.reached[which])))
        .collect();
    let json = json!({
        "runs": rows, "lambda": args.lambda, "workers": settings.workers, "expected": expected,
        "spent_seconds": spent, "wall_seconds": wall, "trials_a_second": pace,
        "reached_seconds": reached, "speed_up": speed_up, "picture": args.picture,
    });
    args.console.result(progress, &json, text);
    Ok(())
}
