//! Reports what this machine offers to the device backend, what `auto` will do with it, and what to
//! install if there is nothing.
//!
//! ```text
//! cargo run --release --bin doctor
//! cargo run --release --bin doctor -- --adapter llvmpipe --measure
//! cargo run --release --bin doctor -- --adapter llvmpipe --passes
//! ```

#[cfg(feature = "gpu")]
mod devices;
mod finding;
#[cfg(feature = "gpu")]
mod passes;
#[cfg(feature = "gpu")]
mod system;

use std::env;

use clap::Parser;
use frontend::Result;
use gittins::BackendOptions;
use serde_json::json;

use finding::Finding;

/// Looks for adapters, tests the one that would be used, and measures from which batch on it is
/// quicker than the CPU.
#[derive(Parser)]
struct Args {
    /// A part of the adapter's name; `GITTINS_ADAPTER` unless set.
    #[arg(long)]
    adapter: Option<String>,
    /// Measure a software adapter too; hardware is always measured.
    #[arg(long)]
    measure: bool,
    /// Time the passes of the device and the steps of the host in one batch.
    #[arg(long)]
    passes: bool,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    json: bool,
}

const VARIABLES: [(&str, &str); 3] = [
    ("GITTINS_BACKEND", "auto"),
    ("GITTINS_ADAPTER", "the best hardware"),
    ("GITTINS_CACHE", "times are kept in the user's folder of caches"),
];

fn main() -> Result<()> {
    let args = Args::parse();
    let environment = BackendOptions::from_env()?;
    let options = BackendOptions {
        adapter: args.adapter.clone().or(environment.adapter.clone()),
        ..environment
    };
    let mut text = format!(
        "gittins {}, {} threads\n\n",
        env!("CARGO_PKG_VERSION"),
        std::thread::available_parallelism()?
    );
    let mut variables = json!({});
    for (name, unset) in VARIABLES {
        let value = env::var(name).ok().filter(|value| !value.is_empty());
        text += &format!(
            "{name:<15}  {}\n",
            value.clone().unwrap_or_else(|| format!("not set: {unset}"))
        );
        variables[name] = json!(value);
    }
    if let Some(adapter) = &args.adapter {
        text += &format!("--adapter        {adapter}\n");
    }
    let found = look(&options, &args);
    if args.json {
        println!(
            "{}",
            json!({ "variables": variables, "feature_gpu": cfg!(feature = "gpu"), "found": found.json })
        );
    } else {
        println!("{text}\n{}", found.text.trim_end());
    }
    Ok(())
}

#[cfg(feature = "gpu")]
fn look(options: &BackendOptions, args: &Args) -> Finding {
    devices::look(options, args.measure, args.passes)
}

#[cfg(not(feature = "gpu"))]
fn look(options: &BackendOptions, _args: &Args) -> Finding {
    let asked = options.choice;
    Finding {
        json: json!({ "fallback": gittins::backend::Fallback::NotBuilt.to_string() }),
        text: format!(
            "the crate was built without its feature gpu: with {asked} every batch is evaluated on the CPU"
        ),
    }
}
