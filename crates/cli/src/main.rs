//! The command `gittins`: tunes any command, and stops when another trial is not worth its price.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(gittins_cli::run(std::env::args_os()))
}
