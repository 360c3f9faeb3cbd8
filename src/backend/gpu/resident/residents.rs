//! The posteriors on the device.
//!
//! With `w` bytes to a number (4 or 8), and `N` observations rounded up to whole blocks of 64, a
//! posterior takes `w (N (N + 64) / 2 + N (d + 2) + d)` bytes. On the sphere points have `d + 1`
//! coordinates, and what observations were compressed to counts in place of them.

use std::sync::{Arc, Weak};

use faer::MatMut;

use super::fit::{FIT, factor_error, flatness_error, weights_error};
use super::inverted::Inverted;
use super::units::Units;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::TILE;
use crate::backend::gpu::kernels::memory::{STORAGE, Staging, allocate, rest};
use crate::backend::{Fallback, Precision};
use crate::model::KernelFamily;
use crate::posterior::Posterior;
use crate::posterior::lineage::Identity;

/// Posteriors that are kept.
const RESIDENTS: usize = 4;

/// Posteriors that are remembered as unfit for single precision.
const REMEMBERED: usize = 32;

/// A posterior on the device, in units of its prior: unit outputscale, coordinates over
/// lengthscales, outcomes centered and scaled.
pub struct Resident {
    id: u64,
    alive: Weak<Identity>,
    pub precision: Precision,
    pub len: usize,
    pub blocks: usize,
    pub family: KernelFamily,
    /// The Frobenius norm of `L^-1`, squared.
    pub squared_norm: f64,
    /// The units of its points.
    pub units: Units,
    /// The buffer `units`; none if the host places points.
    pub placing: Option<wgpu::Buffer>,
    pub inputs: wgpu::Buffer,
    pub inverse: wgpu::Buffer,
    pub vectors: wgpu::Buffer,
    /// The clock at its last use.
    used: u64,
}

/// The posteriors on the device, and how often they were sent.
pub struct Residents {
    entries: Vec<Resident>,
    clock: u64,
    staging: Staging,
    /// Posteriors that single precision is not fit for. It is not fit either for any that grew from
    /// them, since the norm only grows.
    unfit: Vec<u64>,
    pub sent: usize,
    pub appended: usize,
}

/// The key of an entry: the identity of the posterior, and the precision.
pub type Place = (u64, Precision);

impl Residents {
    pub fn new() -> Self {
        let staging = Staging::default();
        Self { entries: Vec::new(), clock: 0, staging, unfit: Vec::new(), sent: 0, appended: 0 }
    }

    pub fn get(&self, place: Option<Place>) -> Option<&Resident> {
        self.entries.iter().find(|entry| Some(entry.place()) == place)
    }

    /// Whether the posterior, or one that it grew from, is on the device.
    pub fn holds(&self, posterior: &Posterior, precision: Precision) -> bool {
        self.get(Some((posterior.lineage.identity.0, precision))).is_some()
            || self.ancestor(posterior, precision).is_some()
    }

    /// [`holds`](Self::holds). If it does, notes a use, so that the posterior is still there later
    /// in the same call.
    pub fn touch(&mut self, posterior: &Posterior, precision: Precision) -> bool {
        let own = self
            .entries
            .iter()
            .position(|entry| entry.place() == (posterior.lineage.identity.0, precision));
        let Some(at) = own.or_else(|| self.ancestor(posterior, precision)) else { return false };
        self.clock += 1;
        self.entries[at].used = self.clock;
        true
    }

    /// Whether it is known without a factor that the precision is not fit: the weights are too
    /// large or all variances too small, or it was unfit before.
    pub fn is_unfit(&self, posterior: &Posterior, precision: Precision) -> bool {
        let found = || self.unfit.iter().any(|&id| posterior.lineage.descends_from(id));
        let error = || weights_error(posterior).max(flatness_error(posterior));
        precision == Precision::F32 && (error() > FIT || found())
    }

    /// The latest posterior on the device that this one grew from.
    fn ancestor(&self, posterior: &Posterior, precision: Precision) -> Option<usize> {
        let held = |id: u64| self.entries.iter().position(|entry| entry.place() == (id, precision));
        posterior.lineage.ancestors.iter().rev().find_map(|&id| held(id))
    }

    /// Makes sure that a posterior is on the device. It may be there already; if not, rows are
    /// appended to one that it grew from, or it is sent whole. To send it whole, its inverse factor
    /// is taken from those given, or made.
    pub fn ensure(
        &mut self,
        handle: &Handle,
        posterior: &Posterior,
        precision: Precision,
        inverted: &[Inverted],
    ) -> Result<Place, Failure> {
        self.clock += 1;
        let place = (posterior.lineage.identity.0, precision);
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.place() == place) {
            entry.used = self.clock;
            return Ok(place);
        }
        if self.is_unfit(posterior, precision) {
            return Err(Failure::Posterior(
                Fallback::Unfit,
                "by its weights or variances, or as it was before".to_string(),
            ));
        }
        let mut entry = match self.ancestor(posterior, precision) {
            Some(at) => self.append(handle, at, posterior)?,
            None => match inverted.iter().find(|inverted| inverted.id == place.0) {
                Some(inverted) => self.send(handle, posterior, precision, inverted)?,
                None => self.send(handle, posterior, precision, &Inverted::of(posterior))?,
            },
        };
        if self.entries.len() >= RESIDENTS
            && let Some(oldest) = (0..self.entries.len()).min_by_key(|&at| self.entries[at].used)
        {
            self.entries.swap_remove(oldest);
        }
        entry.used = self.clock;
        self.entries.push(entry);
        Ok(place)
    }

    fn send(
        &mut self,
        handle: &Handle,
        posterior: &Posterior,
        precision: Precision,
        inverted: &Inverted,
    ) -> Result<Resident, Failure> {
        check_factor(&mut self.unfit, posterior, precision, inverted.squared_norm)?;
        let (inverse, n) = (inverted.inverse.as_ref(), posterior.rows());
        let scale = posterior.hyperparameters().outputscale.sqrt();
        let mut entry = Resident::allocate(handle, posterior, precision, n.div_ceil(TILE))?;
        entry.squared_norm = inverted.squared_norm;
        let mut sent = 0;
        for block in 0..entry.blocks {
            // One row of blocks at a time, so that there is no second copy of the whole.
            let rows = block * TILE..(block + 1) * TILE;
            let values = (0..=block).flat_map(|other| {
                rows.clone().flat_map(move |row| {
                    let column = other * TILE..(other + 1) * TILE;
                    column.map(move |column| {
                        if row < n && column <= row { scale * inverse[(row, column)] } else { 0.0 }
                    })
                })
            });
            let bytes = self.staging.fill(precision, values);
            handle.queue().write_buffer(&entry.inverse, sent, bytes);
            sent += bytes.len() as u64;
        }
        entry.placing = entry.units.send(handle, precision, &mut self.staging)?;
        entry.send_inputs(handle, &mut self.staging, posterior, 0);
        entry.send_vectors(handle, &mut self.staging, posterior);
        self.sent += 1;
        Ok(entry)
    }

    /// Sends the rows that were appended to the posterior of an entry. They go into its memory if
    /// nothing else needs the entry any more, otherwise into a copy made on the device.
    fn append(
        &mut self,
        handle: &Handle,
        at: usize,
        posterior: &Posterior,
    ) -> Result<Resident, Failure> {
        let old = &self.entries[at];
        let precision = old.precision;
        let blocks = posterior.rows().div_ceil(TILE);
        let mut entry = if old.alive.strong_count() == 0 && old.blocks == blocks {
            let mut entry = self.entries.swap_remove(at);
            entry.adopt(posterior);
            entry
        } else {
            let mut entry = Resident::allocate(handle, posterior, precision, blocks)?;
            let mut encoder = handle.device().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&old.inputs, 0, &entry.inputs, 0, old.inputs.size());
            encoder.copy_buffer_to_buffer(&old.inverse, 0, &entry.inverse, 0, old.inverse.size());
            handle.queue().submit([encoder.finish()]);
            entry.squared_norm = old.squared_norm;
            entry.len = old.len;
            entry.units.clone_from(&old.units);
            entry.placing.clone_from(&old.placing);
            entry
        };
        let (from, n) = (entry.len, posterior.rows());
        // Row i of L^-1 is L^-T e_i.
        let mut rows = vec![0.0; n * (n - from)];
        for (row, i) in rows.chunks_exact_mut(n).zip(from..n) {
            row[i] = 1.0;
        }
        posterior.factor.solve_upper(MatMut::from_column_major_slice_mut(&mut rows, n, n - from));
        let scale = posterior.hyperparameters().outputscale.sqrt();
        for (row, i) in rows.chunks_exact(n).zip(from..n) {
            let block = i / TILE;
            for other in 0..=block {
                let value = |at: usize| row.get(at).map_or(0.0, |value| scale * value);
                let bytes =
                    self.staging.fill(precision, (other * TILE..(other + 1) * TILE).map(value));
                let number = (block * (block + 1) / 2 + other) * TILE * TILE + (i % TILE) * TILE;
                handle.queue().write_buffer(
                    &entry.inverse,
                    (number * precision.size()) as u64,
                    bytes,
                );
            }
            entry.squared_norm += row.iter().map(|value| (scale * value).powi(2)).sum::<f64>();
        }
        check_factor(&mut self.unfit, posterior, precision, entry.squared_norm)?;
        entry.len = n;
        entry.send_inputs(handle, &mut self.staging, posterior, from / TILE);
        entry.send_vectors(handle, &mut self.staging, posterior);
        self.appended += 1;
        Ok(entry)
    }
}

impl Resident {
    fn place(&self) -> Place {
        (self.id, self.precision)
    }

    fn allocate(
        handle: &Handle,
        posterior: &Posterior,
        precision: Precision,
        blocks: usize,
    ) -> Result<Self, Failure> {
        let dim = posterior.dim();
        let width = precision.size() as u64;
        let rows = (blocks * TILE) as u64;
        let dims = dim as u64;
        let coordinates = posterior.packed.width() as u64;
        let inverse = width * rows * (rows + TILE as u64) / 2;
        let limit = handle.largest_binding();
        if inverse > limit {
            let message = format!(
                "{} observations need a binding of {inverse} bytes, the adapter has {limit}",
                posterior.rows()
            );
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(Self {
            id: posterior.lineage.identity.0,
            alive: Arc::downgrade(&posterior.lineage.identity),
            precision,
            len: posterior.rows(),
            blocks,
            family: posterior.family(),
            squared_norm: 0.0,
            units: Units::of(posterior),
            placing: None,
            inputs: allocate(handle, "inputs", width * rows * coordinates, STORAGE)?,
            inverse: allocate(handle, "inverse", inverse, STORAGE)?,
            vectors: allocate(handle, "vectors", width * (2 * rows + dims), STORAGE)?,
            used: 0,
        })
    }

    /// Takes the identity of a posterior that grew from this one.
    fn adopt(&mut self, posterior: &Posterior) {
        self.id = posterior.lineage.identity.0;
        self.alive = Arc::downgrade(&posterior.lineage.identity);
    }

    fn send_inputs(
        &self,
        handle: &Handle,
        staging: &mut Staging,
        posterior: &Posterior,
        first_block: usize,
    ) {
        let width = posterior.packed.width();
        let rows = first_block * TILE..self.blocks * TILE;
        let bytes = match &self.units {
            Units::Scaled { center, inverse } => {
                let points = posterior.inputs().values();
                staging.blocks(self.precision, points, (center, inverse), rows)
            }
            Units::Embedded { zeros, ones, .. } => {
                let of_row = |row| (0..width).map(move |k| posterior.packed.coordinate(row, k));
                let points: Vec<f64> = (0..posterior.rows()).flat_map(of_row).collect();
                staging.blocks(self.precision, &points, (zeros, ones), rows)
            }
        };
        handle.queue().write_buffer(
            &self.inputs,
            (first_block * TILE * width * self.precision.size()) as u64,
            bytes,
        );
    }

    fn send_vectors(&self, handle: &Handle, staging: &mut Staging, posterior: &Posterior) {
        let scale = posterior.hyperparameters().outputscale.sqrt();
        let alpha = || {
            posterior
                .alpha
                .iter()
                .map(|alpha| scale * alpha)
                .chain(std::iter::repeat(0.0))
                .take(self.blocks * TILE)
        };
        let rest = alpha().map(|alpha| rest(self.precision, alpha));
        let bytes = staging.fill(
            self.precision,
            posterior.packed.inverse_lengthscales().iter().copied().chain(alpha()).chain(rest),
        );
        handle.queue().write_buffer(&self.vectors, 0, bytes);
    }
}

/// Refuses single precision for a factor whose inverse is too large, and remembers the posterior.
fn check_factor(
    unfit: &mut Vec<u64>,
    posterior: &Posterior,
    precision: Precision,
    squared_norm: f64,
) -> Result<(), Failure> {
    let error = factor_error(posterior, squared_norm);
    if precision == Precision::F64 || error <= FIT {
        return Ok(());
    }
    if unfit.len() == REMEMBERED {
        unfit.remove(0);
    }
    unfit.push(posterior.lineage.identity.0);
    Err(Failure::Posterior(
        Fallback::Unfit,
        format!("in f32 means would err by {error:.1e} of the prior's deviation, allowed {FIT:e}"),
    ))
}
