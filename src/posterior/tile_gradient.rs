//! The end of a gradient: weights of the data for each point of a tile become slopes.

use crate::model::contraction::Contracted;
use crate::posterior::Posterior;

/// The memory of such gradients, kept between tiles.
#[derive(Default)]
pub(super) struct TileGradient {
    contracted: Contracted<1>,
    sums: Vec<f64>,
    pulled: Vec<f64>,
}

impl TileGradient {
    /// Adds `sum_i a_i dk(x_i, p) / dp` to the gradient (`t x d`) of each point `p` of a tile, by its
    /// coordinates. Column `j` of the weights holds `a_i S(x_i, p_j)`, with the slopes `S` of the
    /// kernel, in padded length.
    pub fn add(
        &mut self,
        posterior: &Posterior,
        embedded: &[f64],
        weights: &mut [f64],
        gradient: &mut [f64],
    ) {
        let (packed, n, d) = (&posterior.packed, posterior.rows(), posterior.dim());
        let (width, stride) = (packed.width(), packed.padded_len());
        for weights in weights.chunks_exact_mut(stride) {
            weights[n..].fill(0.0);
        }
        self.sums.resize(embedded.len(), 0.0);
        self.pulled.resize(d, 0.0);
        packed.contract_tile(embedded, [weights], &mut self.contracted, [&mut self.sums]);
        let points = embedded.chunks_exact(width).zip(self.sums.chunks_exact(width));
        for ((point, sums), out) in points.zip(gradient.chunks_exact_mut(d)) {
            packed.pull_back(point, sums, &mut self.pulled);
            // dk / dp = -S (p - x).
            out.iter_mut().zip(&self.pulled).for_each(|(out, slope)| *out -= slope);
        }
    }
}
