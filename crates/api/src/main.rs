//! Prints the public interface that rustdoc wrote as JSON, an item a line.
//!
//! A line that comes again is left out: an implementation of a trait of ours stands at its type,
//! and would stand at the trait too.
//!
//! `scripts/api` makes the JSON and compares the lines with `docs/api.txt`.

use std::collections::HashSet;
use std::env;
use std::process::ExitCode;

use public_api::{Builder, Error};

/// The exit status if this rustdoc writes JSON in a format that the reader does not know.
const OTHER_FORMAT: u8 = 3;

fn main() -> ExitCode {
    let Some(json) = env::args_os().nth(1) else {
        eprintln!("usage: api FILE.json");
        return ExitCode::from(2);
    };
    let interface = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match interface {
        Ok(interface) => {
            let mut printed = HashSet::new();
            for line in interface.items().map(ToString::to_string) {
                if printed.insert(line.clone()) {
                    println!("{line}");
                }
            }
            ExitCode::SUCCESS
        }
        Err(error @ Error::SerdeJsonError(_)) => {
            eprintln!("{error}");
            ExitCode::from(OTHER_FORMAT)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
