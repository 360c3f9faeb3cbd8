//! Prints the public interface that rustdoc wrote as JSON, an item a line.
//!
//! `scripts/api` makes the JSON and compares the lines with `docs/api.txt`.

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
            println!("{interface}");
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
