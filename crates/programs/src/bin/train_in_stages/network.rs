//! A small neural network: dense layers, hyperbolic tangents between them, and one number at its end.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A network, with what training moves.
pub struct Network {
    layers: Vec<Layer>,
    /// What comes out of each layer; the last is the logarithm of the odds that a wine is good.
    outputs: Vec<Vec<f64>>,
    /// The derivatives of the loss by them, before their tangents.
    slopes: Vec<Vec<f64>>,
}

/// A dense layer: a row of weights for each input, and one for the constant 1.
struct Layer {
    units: usize,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    velocity: Vec<f64>,
}

/// A step of gradient descent.
#[derive(Clone, Copy)]
pub struct Step {
    /// How far it goes along the velocity.
    pub rate: f64,
    /// The share of the velocity that is kept.
    pub momentum: f64,
    /// By how much weights shrink, times the rate.
    pub decay: f64,
}

impl Network {
    /// Random weights for so many inputs, and hidden layers of so many units.
    pub fn new(inputs: usize, hidden: &[usize], seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let widths: Vec<usize> = [inputs].iter().chain(hidden).chain([&1]).copied().collect();
        let layers: Vec<Layer> = widths
            .windows(2)
            .map(|pair| {
                let (inputs, units) = (pair[0], pair[1]);
                let reach = (3.0 / inputs as f64).sqrt();
                let mut weights: Vec<f64> =
                    (0..inputs * units).map(|_| random.random_range(-reach..reach)).collect();
                weights.resize((inputs + 1) * units, 0.0);
                let zeros = vec![0.0; weights.len()];
                Layer { units, weights, gradient: zeros.clone(), velocity: zeros }
            })
            .collect();
        let outputs: Vec<Vec<f64>> = layers.iter().map(|layer| vec![0.0; layer.units]).collect();
        Self { layers, slopes: outputs.clone(), outputs }
    }

    /// The number of weights of such a network.
    pub fn weights(inputs: usize, hidden: &[usize]) -> usize {
        let units = hidden.iter().chain([&1]);
        let before = [inputs];
        before.iter().chain(hidden).zip(units).map(|(inputs, units)| (inputs + 1) * units).sum()
    }

    /// The logarithm of the odds that a wine is good.
    pub fn log_odds(&mut self, wine: &[f64]) -> f64 {
        let last = self.layers.len() - 1;
        for (at, layer) in self.layers.iter().enumerate() {
            let (before, after) = self.outputs.split_at_mut(at);
            let (input, output) = (before.last().map_or(wine, Vec::as_slice), &mut after[0]);
            output.fill(0.0);
            for (x, row) in input.iter().chain([&1.0]).zip(layer.weights.chunks_exact(layer.units))
            {
                output.iter_mut().zip(row).for_each(|(sum, weight)| *sum += x * weight);
            }
            if at < last {
                output.iter_mut().for_each(|sum| *sum = sum.tanh());
            }
        }
        self.outputs[last][0]
    }

    /// Takes a step down the mean cross-entropy of some wines.
    pub fn learn<'a>(&mut self, wines: impl Iterator<Item = (&'a [f64], bool)>, step: Step) {
        self.layers.iter_mut().for_each(|layer| layer.gradient.fill(0.0));
        let mut count = 0.0;
        for (wine, good) in wines {
            let log_odds = self.log_odds(wine);
            self.back(wine, 1.0 / (1.0 + (-log_odds).exp()) - f64::from(u8::from(good)));
            count += 1.0;
        }
        let Step { rate, momentum, decay } = step;
        for Layer { weights, gradient, velocity, .. } in &mut self.layers {
            for ((weight, slope), speed) in weights.iter_mut().zip(gradient).zip(velocity) {
                *speed = momentum * *speed + *slope / count;
                *weight -= rate * (*speed + decay * *weight);
            }
        }
    }

    /// Adds the gradient of one wine, given the derivative by the logarithm of its odds.
    fn back(&mut self, wine: &[f64], slope: f64) {
        let last = self.layers.len() - 1;
        self.slopes[last][0] = slope;
        for at in (0..=last).rev() {
            let layer = &mut self.layers[at];
            let (before, after) = self.slopes.split_at_mut(at);
            let slopes = &after[0];
            let input = if at == 0 { wine } else { &self.outputs[at - 1] };
            let rows = layer.gradient.chunks_exact_mut(layer.units);
            for (x, row) in input.iter().chain([&1.0]).zip(rows) {
                row.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += x * slope);
            }
            let Some(before) = before.last_mut() else { continue };
            let rows = layer.weights.chunks_exact(layer.units);
            for ((slope, x), row) in before.iter_mut().zip(input).zip(rows) {
                let sum: f64 = row.iter().zip(slopes).map(|(weight, slope)| weight * slope).sum();
                *slope = sum * (1.0 - x * x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient is that of differences of the loss, in each layer.
    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let wine = [0.3, -1.2, 0.8];
        let mut network = Network::new(3, &[4, 4], 5);
        assert_eq!(Network::weights(3, &[4, 4]), 4 * 4 + 5 * 4 + 5);
        let still = Step { rate: 0.0, momentum: 0.0, decay: 0.0 };
        network.learn([(&wine[..], true)].into_iter(), still);
        for (layer, at) in [(0, 0), (0, 15), (1, 7), (2, 4)] {
            let slope = network.layers[layer].gradient[at];
            let mut moved = |by: f64| {
                network.layers[layer].weights[at] += by;
                let loss = (-network.log_odds(&wine)).exp().ln_1p();
                network.layers[layer].weights[at] -= by;
                loss
            };
            // Central differences err by h^2 of third derivatives near one, and by rounding over h.
            let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - difference).abs() < 1e-8, "{layer} {at}: {slope} {difference}");
        }
    }
}
