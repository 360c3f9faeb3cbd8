//! Who evaluates, as options of a program; what is not said is left to the environment.

use clap::Args;
use gittins::BackendOptions;
use gittins::backend::{Choice, Precision};

/// Options for the backend.
#[derive(Args)]
pub struct BackendArgs {
    /// Who evaluates: auto, cpu or gpu; GITTINS_BACKEND unless set, and without that auto.
    #[arg(long)]
    backend: Option<Choice>,
    /// A part of the adapter's name; GITTINS_ADAPTER unless set, and without that the best
    /// hardware.
    #[arg(long)]
    adapter: Option<String>,
    /// Numbers on the device: f32 or f64; unless set, f32 where it is fit and else f64. The CPU has
    /// f64 alone.
    #[arg(long)]
    precision: Option<Precision>,
}

impl BackendArgs {
    /// What was said, and what the environment says of the rest.
    pub fn options(&self) -> gittins::Result<BackendOptions> {
        let environment = BackendOptions::from_env()?;
        Ok(BackendOptions {
            choice: self.backend.unwrap_or(environment.choice),
            adapter: self.adapter.clone().or(environment.adapter),
            precision: self.precision.or(environment.precision),
        })
    }
}
