//! Where the time of one batch goes: the passes of the device, and the steps of the host.

use std::fmt::Write;

use gittins::backend::Precision;
use gittins::backend::gpu::Device;
use gittins::internals::gpu::PassTimes;
use gittins::math::Sobol;
use gittins::{Acquisition, Hyperparameters, Job, JobCost, KernelFamily, Posterior, Result};
use serde_json::{Value, json};

use crate::finding::Finding;

/// Dimensions, observations and points of the batch.
const ON_HARDWARE: [usize; 3] = [32, 1000, 16_384];
const ON_SOFTWARE: [usize; 3] = [8, 200, 1024];

/// The times of values and gradients, in each precision that the device has.
pub fn look(device: &Device) -> Finding {
    let case = if device.report().is_hardware() { ON_HARDWARE } else { ON_SOFTWARE };
    let [d, n, points] = case;
    let mut finding = Finding {
        json: json!({ "dimensions": d, "observations": n, "points": points }),
        text: format!("passes of a batch with gradients, {d} parameters, {n} trials\n"),
    };
    for precision in [Precision::F32, Precision::F64] {
        if precision == Precision::F64 && !device.has_double() {
            continue;
        }
        finding.json[precision.name()] = match measured(device, case, precision) {
            Ok(times) => {
                let _ = writeln!(finding.text, "{times}");
                times_json(&times)
            }
            Err(error) => {
                let _ = writeln!(finding.text, "{precision}: {error}");
                json!(error.to_string())
            }
        };
    }
    finding
}

/// The times of a batch beside a noisy model, for which single precision is fit.
fn measured(
    device: &Device,
    [d, n, points]: [usize; 3],
    precision: Precision,
) -> Result<PassTimes> {
    let inputs = Sobol::new(d, 1).points(0, n);
    let outcomes: Vec<f64> =
        inputs.rows().map(|x| x.iter().map(|x| (5.0 * x).sin()).sum()).collect();
    let hyperparameters = Hyperparameters {
        lengthscales: vec![0.5 * (d as f64 / 8.0).sqrt(); d],
        outputscale: 1.0,
        noise: 1e-2,
        mean: 0.0,
    };
    let posterior = Posterior::new(KernelFamily::Matern52, &hyperparameters, &inputs, &outcomes)?;
    let acquisition = Acquisition::gittins(1e-2);
    let job = Job::new(&posterior, JobCost::Uniform(1.0), &acquisition, 1.0).gradient(true);
    device.pass_times(&job, &Sobol::new(d, 2).points(0, points), precision)
}

fn times_json(times: &PassTimes) -> Value {
    let steps = |steps: &Vec<(&'static str, f64)>| -> Value {
        steps.iter().map(|(step, seconds)| json!({ "step": step, "seconds": seconds })).collect()
    };
    json!({
        "points": times.points, "chunks": times.chunks, "seconds": times.seconds,
        "timed_seconds": times.timed_seconds, "host": steps(&times.host),
        "device": times.device.as_ref().map(steps),
    })
}
