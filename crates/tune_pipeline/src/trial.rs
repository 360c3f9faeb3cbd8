//! A trial: a pipeline is trained in a process of its own, which ends when patience does.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use frontend::Result;
use gittins::Outcome;
use wine::Mistakes;

use crate::machine::{self, PARTS};
use crate::pipeline::Pipeline;

/// What came of a pipeline.
pub struct Trial {
    /// How long it took, with the process and the reading of the wines.
    pub seconds: f64,
    /// Its mistakes, or why there are none to count.
    pub came: std::result::Result<Mistakes, String>,
    /// Its number of support vectors, on average over the parts.
    pub vectors: Option<f64>,
}

/// Reads positive seconds.
///
/// # Errors
/// What was expected.
pub fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a positive number of seconds".to_string()),
    }
}

impl Trial {
    /// Trains a pipeline. A solver that fights for the last wines cannot be asked to give up, so it
    /// works in a process that can be ended.
    pub fn run(pipeline: &Pipeline, patience: Duration) -> Result<Self> {
        let clock = Instant::now();
        let mut process = Command::new(std::env::current_exe()?)
            .arg("--train")
            .arg(serde_json::to_string(pipeline)?)
            .stdout(Stdio::piped())
            .spawn()?;
        let (sender, receiver) = mpsc::channel();
        let output = process.stdout.take();
        thread::spawn(move || {
            let mut text = String::new();
            // What cannot be read is no answer, which is seen below.
            if let Some(mut output) = output {
                let _ = output.read_to_string(&mut text);
            }
            let _ = sender.send(text);
        });
        let answer = receiver.recv_timeout(patience);
        if answer.is_err() {
            process.kill()?;
        }
        process.wait()?;
        let came: std::result::Result<(Mistakes, f64), String> = match answer {
            Ok(text) => serde_json::from_str(&text).unwrap_or_else(|_| Err("crashed".to_string())),
            Err(_) => Err("too long".to_string()),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let vectors = came.as_ref().ok().map(|(_, vectors)| *vectors);
        Ok(Self { seconds, came: came.map(|(mistakes, _)| mistakes), vectors })
    }

    /// The other end: trains the pipeline that is told, and prints what came of it.
    pub fn answer(pipeline: &str) -> Result<()> {
        println!(
            "{}",
            serde_json::to_string(&machine::judge(&serde_json::from_str(pipeline)?, PARTS))?
        );
        Ok(())
    }

    /// The balanced error, if there is one.
    pub fn error(&self) -> Option<f64> {
        self.came.as_ref().ok().map(Mistakes::balanced)
    }

    /// The balanced error, or why there is none, in a column.
    pub fn said(&self) -> String {
        match &self.came {
            Ok(mistakes) => format!("{:.4}", mistakes.balanced()),
            Err(why) => why.clone(),
        }
    }

    /// What a study is told.
    pub fn outcome(&self) -> Outcome {
        self.error().map_or_else(Outcome::failed, Outcome::new).cost(self.seconds)
    }
}
