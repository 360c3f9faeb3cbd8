//! Sample paths on the device, like posteriors in units of their prior: unit outputscale, mean 0,
//! coordinates from the center of the data and over the lengthscales.
//!
//! With `w` bytes to a number and `N` data and `M` frequencies rounded up to whole blocks of 64, a
//! path takes `w ((N + M) d + 2 N + 3 M + d)` bytes, and a chunk of `q` points `w q d` beside those
//! of the posterior.

use std::f64::consts::TAU;

use super::fit::{FIT, rounded_distance};
use super::units::Units;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::layout::{Shape, TILE};
use crate::backend::gpu::kernels::memory::{STORAGE, Staging, Store, UNIFORM, allocate, rest};
use crate::backend::{Fallback, Precision};
use crate::data::Points;
use crate::model::KernelFamily;
use crate::model::family::Embedding;
use crate::posterior::Path;

/// Paths that are kept: those of two jobs in turn.
const PATHS: usize = 2;

/// Bytes of a buffer for nothing: a vector of four numbers in double precision.
const EMPTY: usize = 32;

/// The key of a path: a number that no other path of this process has, and the precision.
pub type PathPlace = ((u64, usize), Precision);

/// The error that a path's value is expected to have in single precision, in units of the prior's
/// deviation. It is the sum of two parts: `eps` times the norm of the weights of the kernel values,
/// as for the posterior's [mean](super::fit::single_error), and the error that rounded coordinates of a
/// point of the unit cube make in the phases,
/// `eps (sum_j (a_j^2 + b_j^2) (sum_k |w_jk|)^2)^(1/2)`.
pub fn path_single_error(path: &Path) -> f64 {
    let basis = path.basis();
    let (sines, rest) = path.weights().split_at(basis.features.padded_len());
    let (cosines, weights) = rest.split_at(sines.len());
    let slope = |j: usize| basis.features.row(j).map(f64::abs).sum::<f64>();
    let phases = (0..basis.features.frequencies())
        .map(|j| (sines[j].powi(2) + cosines[j].powi(2)) * slope(j).powi(2))
        .sum::<f64>();
    let weights = weights.iter().map(|weight| weight * weight).sum::<f64>();
    rounded_distance(basis.family) * (basis.outputscale * weights).sqrt()
        + f64::from(f32::EPSILON) * (phases / basis.outputscale).sqrt()
}

/// A path that was sent.
pub struct SentPath {
    place: PathPlace,
    pub family: KernelFamily,
    pub blocks: usize,
    pub wave_blocks: usize,
    units: Units,
    /// The buffer `units`; none if the host places points.
    pub placing: Option<wgpu::Buffer>,
    pub inputs: wgpu::Buffer,
    pub frequencies: wgpu::Buffer,
    pub vectors: wgpu::Buffer,
}

/// The paths on the device, the latest last, and the points of a chunk in their units.
pub struct SentPaths {
    entries: Vec<SentPath>,
    pub shape: Store,
    pub points: Store,
    pub sent: usize,
}

impl SentPaths {
    pub fn new(handle: &Handle) -> Result<Self, Failure> {
        Ok(Self {
            entries: Vec::new(),
            shape: Store::new(handle, "path shape", UNIFORM)?,
            points: Store::new(handle, "path points", STORAGE)?,
            sent: 0,
        })
    }

    pub fn get(&self, place: Option<PathPlace>) -> Option<&SentPath> {
        self.entries.iter().find(|entry| Some(entry.place) == place)
    }

    /// Makes sure that a path is on the device.
    pub fn ensure(
        &mut self,
        handle: &Handle,
        path: &Path,
        precision: Precision,
        staging: &mut Staging,
    ) -> Result<PathPlace, Failure> {
        let place = (path.identity(), precision);
        if let Some(at) = self.entries.iter().position(|entry| entry.place == place) {
            let entry = self.entries.remove(at);
            self.entries.push(entry);
            return Ok(place);
        }
        let error = path_single_error(path);
        if precision == Precision::F32 && error > FIT {
            let message = format!(
                "in f32 a path would err by {error:.1e} of the prior's deviation, allowed {FIT:e}"
            );
            return Err(Failure::Posterior(Fallback::Unfit, message));
        }
        let entry = SentPath::send(handle, path, place, staging)?;
        if self.entries.len() == PATHS {
            self.entries.remove(0);
        }
        self.entries.push(entry);
        self.sent += 1;
        Ok(place)
    }

    /// Makes room for a chunk of points, and sends them if the host places them. Returns whether a
    /// buffer was replaced.
    pub fn send_points(
        &mut self,
        handle: &Handle,
        place: Option<PathPlace>,
        points: &[f64],
        shape: Shape,
        staging: &mut Staging,
    ) -> Result<bool, Failure> {
        let Some(entry) = self.entries.iter().find(|entry| Some(entry.place) == place) else {
            return Ok(false);
        };
        let precision = entry.place.1;
        let numbers = entry.units.width() * shape.stride;
        let moved = self.points.reserve(handle, (precision.size() * numbers) as u64)?;
        let queue = handle.queue();
        if let Some(bytes) = entry.units.embedded_points(staging, precision, points, shape.stride) {
            queue.write_buffer(self.points.buffer(), 0, bytes);
        }
        let shape = Shape { blocks: entry.blocks, wave_blocks: entry.wave_blocks, ..shape };
        queue.write_buffer(self.shape.buffer(), 0, bytemuck::cast_slice(&shape.words()));
        Ok(moved)
    }
}

impl SentPath {
    fn send(
        handle: &Handle,
        path: &Path,
        place: PathPlace,
        staging: &mut Staging,
    ) -> Result<Self, Failure> {
        let (basis, precision) = (path.basis(), place.1);
        let (d, n, m) = (path.dim(), basis.inputs.len(), basis.features.frequencies());
        let blocks = n.div_ceil(TILE);
        let wave_blocks = m.div_ceil(TILE);
        let (inverse, width) = (basis.inputs.inverse_lengthscales(), basis.inputs.width());
        let inputs = rows(width, n, |i, k| basis.inputs.coordinate(i, k));
        let embedding = basis.family.embedding();
        let middle: Vec<f64> = match embedding {
            Embedding::Scaled => {
                (0..d).map(|k| inputs.rows().map(|x| x[k]).sum::<f64>() / n as f64).collect()
            }
            Embedding::Sphere => vec![0.0; width],
        };
        let center: Vec<f64> =
            middle.iter().zip(inverse).map(|(middle, inverse)| middle / inverse).collect();
        let units = match embedding {
            Embedding::Scaled => {
                Units::Scaled { center: center.clone(), inverse: inverse.to_vec() }
            }
            Embedding::Sphere => Units::embedded(&basis.inputs),
        };
        let ones = vec![1.0; width];
        let buffer = |label, bytes: &[u8]| -> Result<wgpu::Buffer, Failure> {
            // A process of low rank has no frequencies, and no buffer is empty.
            let size = bytes.len().max(EMPTY) as u64;
            let buffer = allocate(handle, label, size, STORAGE)?;
            handle.queue().write_buffer(&buffer, 0, bytes);
            Ok(buffer)
        };
        let sent_inputs = buffer(
            "path inputs",
            staging.blocks(precision, inputs.values(), (&middle, &ones), 0..blocks * TILE),
        )?;
        let frequencies = rows(d, m, |j, k| basis.features.row(j).nth(k).unwrap_or(0.0));
        let lengthscales: Vec<f64> = inverse.iter().map(|inverse| 1.0 / inverse).collect();
        let scale = (&vec![0.0; d][..], &lengthscales[..]);
        let sent_frequencies = buffer(
            "path frequencies",
            staging.blocks(precision, frequencies.values(), scale, 0..wave_blocks * TILE),
        )?;
        let (sines, others) = path.weights().split_at(basis.features.padded_len());
        let (cosines, weights) = others.split_at(sines.len());
        let deviation = basis.outputscale.sqrt();
        let padded = |count: usize, value: &dyn Fn(usize) -> f64, len: usize| {
            (0..len * TILE).map(|i| if i < count { value(i) } else { 0.0 }).collect()
        };
        let low = |i: usize| rest(precision, deviation * weights[i]);
        // Reduced on the host, so that single precision has digits left.
        let phase = |j: usize| {
            frequencies.row(j).iter().zip(&center).map(|(w, c)| w * c).sum::<f64>() % TAU
        };
        let parts: [Vec<f64>; 5] = [
            padded(n, &|i| deviation * weights[i], blocks),
            padded(n, &low, blocks),
            padded(m, &phase, wave_blocks),
            padded(m, &|j| sines[j] / deviation, wave_blocks),
            padded(m, &|j| cosines[j] / deviation, wave_blocks),
        ];
        let vectors = buffer(
            "path vectors",
            staging.fill(precision, inverse.iter().chain(parts.iter().flatten()).copied()),
        )?;
        Ok(Self {
            place,
            family: basis.family,
            blocks,
            wave_blocks,
            placing: units.send(handle, precision, staging)?,
            units,
            inputs: sent_inputs,
            frequencies: sent_frequencies,
            vectors,
        })
    }
}

fn rows(dim: usize, count: usize, value: impl Fn(usize, usize) -> f64) -> Points {
    let mut points = Points::with_capacity(dim, count);
    let mut row = vec![0.0; dim];
    for i in 0..count {
        row.iter_mut().enumerate().for_each(|(k, x)| *x = value(i, k));
        points.push(&row);
    }
    points
}
