//! The units in which points stand on the device.

use crate::backend::Precision;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::memory::{STORAGE, Staging, allocate, rest};
use crate::model::family::Embedding;
use crate::model::kernel::PackedPoints;
use crate::posterior::Posterior;

/// The units of points on the device.
#[derive(Clone)]
pub enum Units {
    /// Over the lengthscales. The mean of the data is taken off every coordinate, so that single
    /// precision has digits left where most data are.
    Scaled { center: Vec<f64>, inverse: Vec<f64> },
    /// On the sphere, as they are.
    Embedded { rows: PackedPoints, zeros: Vec<f64>, ones: Vec<f64> },
}

impl Units {
    /// Those of a posterior.
    pub(super) fn of(posterior: &Posterior) -> Self {
        match posterior.family().embedding() {
            Embedding::Scaled => {
                let inputs = posterior.inputs();
                let n = posterior.len() as f64;
                let mean = |k: usize| inputs.rows().map(|x| x[k]).sum::<f64>() / n;
                Self::Scaled {
                    center: (0..posterior.dim()).map(mean).collect(),
                    inverse: posterior.packed.inverse_lengthscales().to_vec(),
                }
            }
            Embedding::Sphere => Self::embedded(&posterior.packed),
        }
    }

    /// Those of points on the sphere.
    pub fn embedded(packed: &PackedPoints) -> Self {
        let width = packed.width();
        Self::Embedded { rows: packed.beside(&[]), zeros: vec![0.0; width], ones: vec![1.0; width] }
    }

    /// Coordinates of a point.
    pub fn width(&self) -> usize {
        match self {
            Self::Scaled { center, .. } => center.len(),
            Self::Embedded { zeros, .. } => zeros.len(),
        }
    }

    /// The first points of a batch as bytes, block by block; beyond the last one the coordinates are
    /// zero. None if the device places them itself.
    pub fn embedded_points<'a>(
        &self,
        staging: &'a mut Staging,
        precision: Precision,
        points: &[f64],
        count: usize,
    ) -> Option<&'a [u8]> {
        let Self::Embedded { rows, zeros, ones } = self else { return None };
        let d = rows.width() - 1;
        let width = rows.width();
        let given = points.chunks_exact(d).take(count);
        let mut embedded = vec![0.0; given.len() * width];
        for (point, out) in given.zip(embedded.chunks_exact_mut(width)) {
            rows.embed(point, out);
        }
        Some(staging.blocks(precision, &embedded, (zeros, ones), 0..count))
    }

    /// Sends what the device places points by; none if the host places them.
    pub fn send(
        &self,
        handle: &Handle,
        precision: Precision,
        staging: &mut Staging,
    ) -> Result<Option<wgpu::Buffer>, Failure> {
        let Self::Scaled { center, inverse } = self else { return Ok(None) };
        let rests = |of: &[f64]| of.iter().map(|x| rest(precision, *x)).collect::<Vec<f64>>();
        let rows = [center.clone(), rests(center), inverse.clone(), rests(inverse)];
        let bytes = staging.fill(precision, rows.into_iter().flatten());
        let buffer = allocate(handle, "units", bytes.len() as u64, STORAGE)?;
        handle.queue().write_buffer(&buffer, 0, bytes);
        Ok(Some(buffer))
    }
}
