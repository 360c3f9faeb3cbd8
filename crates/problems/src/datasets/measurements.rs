//! Measured settings.

use gittins::Table;

/// What was measured at the settings of a table: one entry per row in each list.
///
/// An outcome is to be minimized. The proxy cost is what the experiments of Xie et al. 2025 pay
/// instead of the measured one: a function of the network that is known before it is trained.
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
    /// Costs that stand for the measured ones.
    pub proxy_costs: Vec<f64>,
    /// Trainable parameters of the network, in units of the file: ones in LCBench, millions in
    /// NATS-Bench.
    pub parameters: Vec<f64>,
    /// The best test accuracy in percent that the experiments measure regret against, where they
    /// say one.
    pub best_test_accuracy: Option<f64>,
}
