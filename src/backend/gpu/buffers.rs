//! Memory on the device: posteriors that were sent, and the scratch of a chunk of points.
//!
//! With `w` bytes to a number (4 or 8), and `N` observations and `q` points rounded up to whole
//! blocks of 64, a posterior takes `w (N (N + 64) / 2 + N (d + 2) + d)` bytes, and a chunk with
//! gradients `w q (3 N + 3 N / 64 + 3 d + 9)` beside twice `w q (d + 3)` that the host reads;
//! without gradients `w q (N + 3 N / 64 + d + 9)`. Trees of points add `w` for each point and each
//! pair, and take `w q N` more without gradients. For a learned cost the parts with `N` come once
//! more. The chunk is cut so that its largest matrix stays within [`SCRATCH`].

use std::ops::Range;
use std::sync::{Arc, Weak};

use faer::MatMut;

use super::device::Device;
use super::evaluate::Failure;
use super::layout::TILE;
use super::price::Inverted;
use crate::backend::{Fallback, Precision};
use crate::model::KernelFamily;
use crate::posterior::Posterior;
use crate::posterior::gp::Identity;

/// Bytes of one matrix of a chunk at most.
pub(super) const SCRATCH: u64 = 1 << 26;

/// Posteriors that are kept.
const RESIDENTS: usize = 4;

/// Posteriors of which it is remembered that single precision is not fit for them.
const REMEMBERED: usize = 32;

/// The largest [`single_error`] with which single precision is still used. Measured
/// (`examples/precision.rs`), the largest error of a mean stays below the estimate, and that of a
/// deviation below four times the estimate and what rounding `1 - v' v` leaves at a datum, three
/// times the root of the epsilon: 2.5e-4 and 2e-3 of the prior's deviation.
pub const FIT: f64 = 2.5e-4;

/// The error that a mean is expected to have in single precision, in units of the prior's
/// deviation; `O(n^3)`.
///
/// It is `eps` times the larger of `|L^-1|` in the Frobenius norm and `|alpha|`, in units of the
/// prior, with the factor `L` of the covariance and the weights `alpha = K^-1 (y - m)`. Every
/// distance is rounded, by which its kernel value is off and counts as much in a mean as the weight
/// of its datum; what else rounding takes from kernel and weights is kept
/// (`shaders/math/pair.wgsl`). For outcomes that the model expects `E |alpha|^2 = |L^-1|^2`, and
/// the same numbers, rounded, make up the variances; outcomes that it does not expect have larger
/// weights.
pub fn single_error(posterior: &Posterior) -> f64 {
    error_of(Inverted::of(posterior).squared_norm).max(weights_error(posterior))
}

fn error_of(squared_norm: f64) -> f64 {
    f64::from(f32::EPSILON) * squared_norm.sqrt()
}

/// The part of [`single_error`] that the weights make.
fn weights_error(posterior: &Posterior) -> f64 {
    error_of(
        posterior.hyperparameters().outputscale
            * posterior.alpha.iter().map(|weight| weight * weight).sum::<f64>(),
    )
}

/// Numbers on their way to the device, in its precision.
#[derive(Default)]
pub(super) struct Staging {
    single: Vec<f32>,
    double: Vec<f64>,
}

impl Staging {
    /// The numbers; what single precision cannot hold becomes infinite.
    pub fn fill(&mut self, precision: Precision, numbers: impl Iterator<Item = f64>) -> &[u8] {
        match precision {
            Precision::F32 => {
                self.single.clear();
                self.single.extend(numbers.map(|number| number as f32));
                bytemuck::cast_slice(&self.single)
            }
            Precision::F64 => {
                self.double.clear();
                self.double.extend(numbers);
                bytemuck::cast_slice(&self.double)
            }
        }
    }

    /// The coordinates of a range of points, of which all are given, from a center and over the
    /// lengthscales, block by block and in a block dimension by dimension; zero beyond the last
    /// point.
    pub fn blocks(
        &mut self,
        precision: Precision,
        points: &[f64],
        (center, inverse): (&[f64], &[f64]),
        range: Range<usize>,
    ) -> &[u8] {
        let d = center.len();
        let coordinates = range.step_by(TILE).flat_map(|first| {
            let block = points.get(first * d..).unwrap_or(&[]);
            center.iter().zip(inverse).enumerate().flat_map(move |(k, (center, scale))| {
                let column = block.iter().skip(k).step_by(d).map(move |x| (x - center) * scale);
                column.chain(std::iter::repeat(0.0)).take(TILE)
            })
        });
        self.fill(precision, coordinates)
    }
}

/// A buffer that grows.
pub(super) struct Store {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
}

/// What a storage buffer that is also written and copied is used for.
pub(super) const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_DST)
    .union(wgpu::BufferUsages::COPY_SRC);

pub(super) fn allocate(
    open: &Device,
    label: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, Failure> {
    let device = open.wgpu().0;
    if size > device.limits().max_buffer_size {
        return Err(Failure::Device(
            Fallback::OutOfMemory,
            format!("buffer {label} of {size} bytes is larger than the adapter allows"),
        ));
    }
    open.scoped(|| {
        Ok(device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        }))
    })
}

impl Store {
    pub fn new(
        device: &Device,
        label: &'static str,
        usage: wgpu::BufferUsages,
    ) -> Result<Self, Failure> {
        Ok(Self { label, usage, buffer: allocate(device, label, 256, usage)? })
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Makes room for `size` bytes, without what was in it; true if it moved.
    pub fn reserve(&mut self, device: &Device, size: u64) -> Result<bool, Failure> {
        if size <= self.buffer.size() {
            return Ok(false);
        }
        self.buffer = allocate(device, self.label, size.next_multiple_of(256), self.usage)?;
        Ok(true)
    }
}

/// A posterior on the device, in units of its prior: unit outputscale, coordinates over
/// lengthscales, outcomes centered and scaled.
pub(super) struct Resident {
    id: u64,
    alive: Weak<Identity>,
    pub precision: Precision,
    pub len: usize,
    pub blocks: usize,
    pub family: KernelFamily,
    /// The Frobenius norm of `L^-1`, squared.
    pub squared_norm: f64,
    /// What is taken off every coordinate: the mean of the data, so that single precision has
    /// digits left where most of them are.
    pub center: Vec<f64>,
    pub inputs: wgpu::Buffer,
    pub inverse: wgpu::Buffer,
    pub vectors: wgpu::Buffer,
    /// When it was used last.
    used: u64,
}

/// The posteriors on the device, and how often they were sent.
pub(super) struct Residents {
    entries: Vec<Resident>,
    clock: u64,
    staging: Staging,
    /// Posteriors that single precision is not fit for; nor is it for any that grew from them,
    /// since the norm only grows.
    unfit: Vec<u64>,
    pub sent: usize,
    pub appended: usize,
}

/// A number that no other entry has, for what is built upon entries.
pub(super) type Place = (u64, Precision);

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

    /// [`holds`](Self::holds); what is there is then not the first to make room, so that it is
    /// still there when its turn in the same call comes.
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

    /// Whether it is known without a factor that the precision is not fit: its weights are too
    /// large, or it was found before.
    pub fn is_unfit(&self, posterior: &Posterior, precision: Precision) -> bool {
        let found = || self.unfit.iter().any(|&id| posterior.lineage.descends_from(id));
        precision == Precision::F32 && (weights_error(posterior) > FIT || found())
    }

    /// The latest posterior on the device that this one grew from.
    fn ancestor(&self, posterior: &Posterior, precision: Precision) -> Option<usize> {
        let held = |id: u64| self.entries.iter().position(|entry| entry.place() == (id, precision));
        posterior.lineage.ancestors.iter().rev().find_map(|&id| held(id))
    }

    /// Makes sure that a posterior is on the device: as it is, by appending to one that it grew
    /// from, or by sending it whole.
    ///
    /// Where it must be sent whole, its inverse factor is expected among those given.
    pub fn ensure(
        &mut self,
        device: &Device,
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
                "by its weights, or as it was before".to_string(),
            ));
        }
        let mut entry = match self.ancestor(posterior, precision) {
            Some(at) => self.append(device, at, posterior)?,
            None => match inverted.iter().find(|inverted| inverted.id == place.0) {
                Some(inverted) => self.send(device, posterior, precision, inverted)?,
                None => self.send(device, posterior, precision, &Inverted::of(posterior))?,
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
        device: &Device,
        posterior: &Posterior,
        precision: Precision,
        inverted: &Inverted,
    ) -> Result<Resident, Failure> {
        check_factor(&mut self.unfit, posterior, precision, inverted.squared_norm)?;
        let (inverse, n) = (inverted.inverse.as_ref(), posterior.len());
        let scale = posterior.hyperparameters().outputscale.sqrt();
        let mut entry = Resident::allocate(device, posterior, precision, n.div_ceil(TILE))?;
        entry.squared_norm = inverted.squared_norm;
        let mut sent = 0;
        for block in 0..entry.blocks {
            // A row of blocks at a time, so that no second copy of the whole is made.
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
            device.wgpu().1.write_buffer(&entry.inverse, sent, bytes);
            sent += bytes.len() as u64;
        }
        entry.send_inputs(device, &mut self.staging, posterior, 0);
        entry.send_vectors(device, &mut self.staging, posterior);
        self.sent += 1;
        Ok(entry)
    }

    /// The rows that were appended to what is at a place: in its memory if nothing needs it any
    /// more, otherwise in a copy made on the device.
    fn append(
        &mut self,
        device: &Device,
        at: usize,
        posterior: &Posterior,
    ) -> Result<Resident, Failure> {
        let old = &self.entries[at];
        let precision = old.precision;
        let blocks = posterior.len().div_ceil(TILE);
        let mut entry = if old.alive.strong_count() == 0 && old.blocks == blocks {
            let mut entry = self.entries.swap_remove(at);
            entry.adopt(posterior);
            entry
        } else {
            let mut entry = Resident::allocate(device, posterior, precision, blocks)?;
            let mut encoder = device.wgpu().0.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&old.inputs, 0, &entry.inputs, 0, old.inputs.size());
            encoder.copy_buffer_to_buffer(&old.inverse, 0, &entry.inverse, 0, old.inverse.size());
            device.wgpu().1.submit([encoder.finish()]);
            (entry.squared_norm, entry.len) = (old.squared_norm, old.len);
            entry.center.clone_from(&old.center);
            entry
        };
        let (from, n) = (entry.len, posterior.len());
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
                device.wgpu().1.write_buffer(
                    &entry.inverse,
                    (number * precision.size()) as u64,
                    bytes,
                );
            }
            entry.squared_norm += row.iter().map(|value| (scale * value).powi(2)).sum::<f64>();
        }
        check_factor(&mut self.unfit, posterior, precision, entry.squared_norm)?;
        entry.len = n;
        entry.send_inputs(device, &mut self.staging, posterior, from / TILE);
        entry.send_vectors(device, &mut self.staging, posterior);
        self.appended += 1;
        Ok(entry)
    }
}

impl Resident {
    fn place(&self) -> Place {
        (self.id, self.precision)
    }

    fn allocate(
        device: &Device,
        posterior: &Posterior,
        precision: Precision,
        blocks: usize,
    ) -> Result<Self, Failure> {
        let (dim, width) = (posterior.dim(), precision.size() as u64);
        let (rows, dims) = ((blocks * TILE) as u64, dim as u64);
        let inverse = width * rows * (rows + TILE as u64) / 2;
        let limits = device.wgpu().0.limits();
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        if inverse > limit {
            let message = format!(
                "{} observations need a binding of {inverse} bytes, the adapter has {limit}",
                posterior.len()
            );
            return Err(Failure::Posterior(Fallback::OutOfMemory, message));
        }
        Ok(Self {
            id: posterior.lineage.identity.0,
            alive: Arc::downgrade(&posterior.lineage.identity),
            precision,
            len: posterior.len(),
            blocks,
            family: posterior.family(),
            squared_norm: 0.0,
            center: (0..dim)
                .map(|k| {
                    posterior.inputs().rows().map(|x| x[k]).sum::<f64>() / posterior.len() as f64
                })
                .collect(),
            inputs: allocate(device, "inputs", width * rows * dims, STORAGE)?,
            inverse: allocate(device, "inverse", inverse, STORAGE)?,
            vectors: allocate(device, "vectors", width * (2 * rows + dims), STORAGE)?,
            used: 0,
        })
    }

    /// Becomes what a posterior grew to.
    fn adopt(&mut self, posterior: &Posterior) {
        self.id = posterior.lineage.identity.0;
        self.alive = Arc::downgrade(&posterior.lineage.identity);
    }

    fn send_inputs(
        &self,
        device: &Device,
        staging: &mut Staging,
        posterior: &Posterior,
        first_block: usize,
    ) {
        let scale = (&self.center[..], posterior.packed.inverse_lengthscales());
        let bytes = staging.blocks(
            self.precision,
            posterior.inputs().values(),
            scale,
            first_block * TILE..self.blocks * TILE,
        );
        device.wgpu().1.write_buffer(
            &self.inputs,
            (first_block * TILE * posterior.dim() * self.precision.size()) as u64,
            bytes,
        );
    }

    fn send_vectors(&self, device: &Device, staging: &mut Staging, posterior: &Posterior) {
        let scale = posterior.hyperparameters().outputscale.sqrt();
        let alpha = || {
            posterior
                .alpha
                .iter()
                .map(|alpha| scale * alpha)
                .chain(std::iter::repeat(0.0))
                .take(self.blocks * TILE)
        };
        let rest = alpha().map(|alpha| match self.precision {
            Precision::F32 => alpha - f64::from(alpha as f32),
            Precision::F64 => 0.0,
        });
        let bytes = staging.fill(
            self.precision,
            posterior.packed.inverse_lengthscales().iter().copied().chain(alpha()).chain(rest),
        );
        device.wgpu().1.write_buffer(&self.vectors, 0, bytes);
    }
}

/// Refuses single precision for a factor whose inverse is too large, and remembers.
fn check_factor(
    unfit: &mut Vec<u64>,
    posterior: &Posterior,
    precision: Precision,
    squared_norm: f64,
) -> Result<(), Failure> {
    let error = error_of(squared_norm);
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
