//! Measured settings.

use gittins::Table;

/// Measurements at the settings of a table. Each list has one entry per row.
///
/// An outcome is to be minimized. The experiments of Xie et al. 2025 pay the proxy cost instead of
/// the measured one. It is a function of the network that is known before training.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements {
    /// The settings, with the unit coordinates that the experiments use.
    pub table: Table,
    /// Validation error in percent, `100 - accuracy`.
    pub outcomes: Vec<f64>,
    /// Test error in percent.
    pub test_errors: Vec<f64>,
    /// Measured seconds of training (and validation).
    pub costs: Vec<f64>,
    /// Costs that replace the measured ones.
    pub proxy_costs: Vec<f64>,
    /// Trainable parameters of the network, in units of the file: ones in `LCBench`, millions in
    /// NATS-Bench.
    pub parameters: Vec<f64>,
    /// The best test accuracy in percent, if the experiments state one. They measure regret against
    /// it.
    pub best_test_accuracy: Option<f64>,
}
