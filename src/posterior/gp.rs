//! posterior

use crate::data::Points;
use crate::error::Result;
use crate::model::{Hyperparameters, KernelFamily};
use crate::posterior::{Joint, Moments};

/// The posterior given `n` observations.
#[derive(Debug, Clone)]
pub struct Posterior {}

impl Posterior {
    /// Factors the covariance of the data, O(n^3).
    pub fn new(family: KernelFamily, hyperparameters: &Hyperparameters, inputs: &Points, outcomes: &[f64]) -> Result<Self> {
        todo!()
    }
    /// Adds an observation, O(n^2).
    pub fn append(&mut self, input: &[f64], outcome: f64) -> Result<()> {
        todo!()
    }
    /// This posterior with the points added as if each had been observed at its posterior mean (fantasies).
    pub fn fantasize(&self, points: &Points) -> Result<Self> {
        todo!()
    }
    /// Observations.
    pub fn len(&self) -> usize {
        todo!()
    }
    /// Dimension.
    pub fn dim(&self) -> usize {
        todo!()
    }
    /// Hyper-parameters.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        todo!()
    }
    /// The multiple of the identity that had to be added, zero as a rule.
    pub fn jitter(&self) -> f64 {
        todo!()
    }
    /// The outcomes it was given.
    pub fn outcomes(&self) -> &[f64] {
        todo!()
    }
    /// The inputs it was given.
    pub fn inputs(&self) -> &Points {
        todo!()
    }
    /// Mean and variance (of the latent function) at each point, in parallel.
    pub fn moments(&self, points: &Points) -> Result<Moments> {
        todo!()
    }
    /// With gradients.
    pub fn moments_with_gradients(&self, points: &Points) -> Result<Moments> {
        todo!()
    }
    /// Mean vector and covariance matrix of several points jointly.
    pub fn joint(&self, points: &Points) -> Result<Joint> {
        todo!()
    }
}
