//! An engine that several threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::{Bytes, Engine, Work};
use crate::backend::gpu::chunk::price::{CostInput, Priced};
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::resident::inverted::Inverted;
use crate::backend::{Job, Precision};
use crate::data::Points;
use crate::posterior::Posterior;

/// An engine that several threads share; their calls wait for each other.
pub struct SharedEngine {
    pipelines: Pipelines,
    /// Made at the first call.
    engine: Mutex<Option<Engine>>,
    /// Memory for known costs, as many as there ever were calls at a time.
    priced: Mutex<Vec<Priced>>,
}

impl SharedEngine {
    pub fn new(pipelines: Pipelines) -> Self {
        Self { pipelines, engine: Mutex::default(), priced: Mutex::default() }
    }

    /// What was done so far.
    pub fn work(&self) -> Work {
        lock(&self.engine).as_ref().map_or(Work::default(), Engine::work)
    }

    /// The bytes of batches so far.
    pub fn bytes(&self) -> Bytes {
        lock(&self.engine).as_ref().map_or(Bytes::default(), Engine::bytes)
    }

    /// Whether the device holds the posterior, or one that it grew from.
    pub fn holds(&self, posterior: &Posterior, precision: Precision) -> bool {
        lock(&self.engine).as_ref().is_some_and(|engine| engine.holds(posterior, precision))
    }

    /// Calls `ask` with the engine, after the inverse factors that it lacks were made.
    pub fn ask<T>(
        &self,
        job: &Job<'_>,
        precision: Precision,
        ask: impl FnOnce(&mut Engine, &[Inverted]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut inverted: Vec<Inverted> = Vec::new();
        loop {
            let mut guard = lock(&self.engine);
            let engine = match &mut *guard {
                Some(engine) => engine,
                none => none.insert(Engine::new(self.pipelines.clone())?),
            };
            let missing = engine.missing(job, precision, &inverted);
            if missing.is_empty() {
                return ask(engine, &inverted);
            }
            // The lock ends before the threads of the pool invert.
            drop(guard);
            inverted.extend(missing.into_iter().map(Inverted::of));
        }
    }

    /// Calls `ask` with the known costs of a job. No lock is held meanwhile.
    pub fn with_costs<T>(
        &self,
        job: &Job<'_>,
        points: &Points,
        ask: impl FnOnce(CostInput, &Priced) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut priced = lock(&self.priced).pop().unwrap_or_default();
        let cost = priced.refill(job, points).map_err(Failure::from);
        let outcome = cost.and_then(|cost| ask(cost, &priced));
        lock(&self.priced).push(priced);
        outcome
    }
}

/// A panic elsewhere leaves nothing behind the lock that the next call would not write anew.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
