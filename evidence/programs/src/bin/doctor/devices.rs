//! Adapters, the device among them, and how quick it is.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

use gittins::BackendOptions;
use gittins::backend::gpu::{AdapterKind, AdapterReport, Device, adapters};
use gittins::backend::{Choice, Precision};
use gittins::internals::gpu::{Crossover, FIT, SelfTest, TileTimes, Tiling};
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use crate::finding::Finding;
use crate::{passes, system};

/// All findings on the devices. A failure is a finding and not an error. `measure` measures a
/// software adapter too, and `timed` times the passes of a batch.
pub fn look(options: &BackendOptions, measure: bool, timed: bool) -> Finding {
    let reports = waiting("looking for adapters", adapters);
    let opened =
        waiting("opening and testing the device", || Device::open(options.adapter.as_deref()));
    let mut finding = Finding { json: json!({}), text: String::new() };
    finding.json["adapters"] = reports
        .iter()
        .map(|report| adapter_json(report, &verdict(report, options, &opened)))
        .collect();
    for report in &reports {
        finding.text += &adapter_text(report, &verdict(report, options, &opened));
    }
    match &opened {
        Ok(device) => {
            device_found(&mut finding, device, options, measure);
            if timed {
                let times = waiting("timing the passes of a batch", || passes::look(device));
                finding.json["passes"] = times.json;
                finding.text += &times.text;
            }
        }
        Err(error) => {
            finding.json["device"] = Value::Null;
            finding.json["why"] = json!(error.to_string());
            let _ = writeln!(finding.text, "no device: {error}\n");
        }
    }
    let plan = plan(options.choice, &opened);
    let _ = writeln!(finding.text, "so             {plan}\n");
    finding.json["plan"] = json!(plan);
    if opened.is_err() {
        let advice =
            system::advice(reports.is_empty(), reports.iter().any(AdapterReport::is_hardware));
        finding.json["advice"] = advice.json;
        finding.text += &advice.text;
    }
    finding
}

/// A spinner on a terminal during something slow.
fn waiting<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    let spinner = if std::io::stderr().is_terminal() {
        ProgressBar::new_spinner().with_message(what)
    } else {
        ProgressBar::hidden()
    };
    spinner.enable_steady_tick(Duration::from_millis(120));
    let done = work();
    spinner.finish_and_clear();
    done
}

/// Whether an adapter is used, and why.
fn verdict(
    report: &AdapterReport,
    options: &BackendOptions,
    opened: &gittins::Result<Device>,
) -> String {
    let is_it = |device: &Device| {
        let it = device.report();
        (&it.name, &it.interface, &it.driver) == (&report.name, &report.interface, &report.driver)
    };
    if opened.as_ref().is_ok_and(is_it) {
        return "yes".to_string();
    }
    if !report.lacks.is_empty() {
        return format!("no, lacks {}", report.lacks.join("; "));
    }
    match (&options.adapter, report.is_hardware()) {
        (Some(name), _) if !report.name.to_lowercase().contains(&name.to_lowercase()) => {
            format!("no, its name does not contain '{name}'")
        }
        (None, false) => {
            "no, it is not hardware, which is used only if it is named: GITTINS_ADAPTER".to_string()
        }
        _ => match opened {
            Ok(device) => format!("no, {} goes first", device.report().name),
            Err(error) => format!("no, {error}"),
        },
    }
}

fn kind(report: &AdapterReport) -> &'static str {
    match report.kind {
        AdapterKind::Discrete => "discrete",
        AdapterKind::Integrated => "integrated",
        AdapterKind::Virtual => "virtual",
        AdapterKind::Software => "software",
        _ => "of unknown kind",
    }
}

/// The most observations whose inverse factor a shader sees in one piece: with `w` bytes to a
/// number and `n` padded to whole blocks of 64 to `N`, it takes `w N (N + 64) / 2` bytes.
fn most_observations(report: &AdapterReport, precision: Precision) -> u64 {
    let width = if precision == Precision::F32 { 4 } else { 8 };
    let bytes = report.max_binding.min(report.max_buffer);
    let blocks = |n: u64| u128::from(n) * 64;
    let mut low = 0;
    let mut high = 1 << 25;
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        let needed = width * blocks(middle) * (blocks(middle) + 64) / 2;
        if needed <= u128::from(bytes) { low = middle } else { high = middle }
    }
    64 * low
}

fn adapter_json(report: &AdapterReport, verdict: &str) -> Value {
    json!({
        "name": report.name, "kind": kind(report), "interface": report.interface, "driver": report.driver, "used": verdict,
        "double": report.double, "max_buffer": report.max_buffer, "max_binding": report.max_binding,
        "max_workgroup_memory": report.max_workgroup_memory, "max_invocations": report.max_invocations, "lacks": report.lacks,
        "most_observations": { "f32": most_observations(report, Precision::F32), "f64": most_observations(report, Precision::F64) },
    })
}

fn adapter_text(report: &AdapterReport, verdict: &str) -> String {
    let mebibytes = |bytes: u64| bytes >> 20;
    let single = most_observations(report, Precision::F32);
    let double = most_observations(report, Precision::F64);
    let (floats, double) =
        if report.double { ("yes", format!(", {double} in f64")) } else { ("no", String::new()) };
    format!(
        "adapter        {}\n  is           {} by {}, driver {}\n  used         {verdict}\n  64-bit       {floats}\n  limits       buffers of {} MiB, \
         shaders see {} MiB of one; workgroups of {} invocations with {} KiB\n  observations {single} at most in f32{double}, if its memory \
         holds them\n\n",
        report.name,
        kind(report),
        report.interface,
        report.driver,
        mebibytes(report.max_buffer),
        mebibytes(report.max_binding),
        report.max_invocations,
        report.max_workgroup_memory >> 10,
    )
}

fn device_found(finding: &mut Finding, device: &Device, options: &BackendOptions, measure: bool) {
    let software = !device.report().is_hardware();
    let text = &mut finding.text;
    let _ = writeln!(text, "device         {}", device.report().name);
    for test in device.self_tests() {
        let SelfTest { precision, mean, deviation, index, gradient, problem, .. } = test;
        let verdict =
            problem.as_ref().map_or("passed".to_string(), |problem| format!("failed: {problem}"));
        let errors = format!(
            "mean {mean:.1e}, deviation {deviation:.1e}, index {index:.1e}, gradient {gradient:.1e}"
        );
        let _ = writeln!(
            text,
            "  test {precision}     {verdict}; errors against the host, in prior deviations: {errors}"
        );
    }
    let _ = writeln!(
        text,
        "  fit          f32 is used while the error of a mean is expected below {FIT:.1e} prior deviations"
    );
    for times in device.tile_times() {
        let _ = writeln!(text, "  tiles {}    {times}", times.precision);
    }
    let mut crossovers = json!({});
    for precision in [Precision::F32, Precision::F64] {
        if precision == Precision::F64 && !device.has_double() {
            continue;
        }
        if software && !measure {
            crossovers = json!("software: only measured with --measure");
            let _ = writeln!(
                text,
                "  crossover    not measured: software is slow; --measure does it all the same"
            );
            break;
        }
        crossovers[precision.name()] =
            match waiting("measuring from which batch on the device is quicker", || {
                device.measured_crossover(precision)
            }) {
                Ok(crossover) => {
                    let _ = write!(
                        text,
                        "\nfrom how many points on it is quicker than the CPU, {}\n{crossover}",
                        measured_with(crossover)
                    );
                    crossover_json(crossover)
                }
                Err(error) => {
                    let _ = writeln!(text, "  crossover    {precision}: {error}");
                    json!(error.to_string())
                }
            };
    }
    let _ = writeln!(text);
    finding.json["device"] = json!({
        "name": device.report().name, "double": device.has_double(), "fit": FIT, "precision": options.precision.map(Precision::name),
        "self_tests": device.self_tests().iter().map(test_json).collect::<Vec<_>>(),
        "tiles": device.tile_times().iter().map(tiles_json).collect::<Vec<_>>(), "crossover": crossovers,
    });
}

fn measured_with(crossover: &Crossover) -> String {
    format!(
        "the device in {} and holding the posterior (rates without and with gradients)",
        crossover.precision
    )
}

fn test_json(test: &SelfTest) -> Value {
    let SelfTest { precision, mean, deviation, index, gradient, problem, .. } = test;
    json!({ "precision": precision, "mean": mean, "deviation": deviation, "index": index, "gradient": gradient, "problem": problem })
}

fn tiles_json(times: &TileTimes) -> Value {
    let of = |(tiling, seconds): &(Tiling, Option<f64>)| (tiling.to_string(), json!(seconds));
    let seconds: Map<String, Value> = times.seconds.iter().map(of).collect();
    json!({ "precision": times.precision.name(), "chosen": times.chosen.to_string(), "operations": times.operations, "seconds": seconds })
}

fn crossover_json(crossover: &Crossover) -> Value {
    let rows = crossover.rows.iter().map(|row| {
        let timings = |timings: [gittins::internals::gpu::Timing; 2]| {
            timings.map(|timing| json!({ "latency": timing.latency, "operation": timing.operation, "number": timing.number }))
        };
        json!({
            "n": row.n, "cpu": timings(row.cpu), "device": timings(row.device), "send": row.send,
            "points": crossover.points(row.n, 8, false), "points_with_gradients": crossover.points(row.n, 8, true),
        })
    });
    rows.collect()
}

/// What `auto` does with a batch, in one sentence.
fn plan(choice: Choice, opened: &gittins::Result<Device>) -> String {
    match (choice, opened) {
        (Choice::Cpu, _) => "every batch is evaluated on the CPU, as GITTINS_BACKEND asks".to_string(),
        (Choice::Gpu, Ok(device)) => format!("every batch is evaluated on {}, small ones too", device.report().name),
        (Choice::Gpu, Err(_)) => "every batch is evaluated on the CPU, and results name the missing adapter as their fallback".to_string(),
        (Choice::Auto, Ok(device)) => {
            format!("auto evaluates a batch on {} where it is measured to be quicker, and every other on the CPU", device.report().name)
        }
        (Choice::Auto, Err(_)) => "auto evaluates every batch on the CPU".to_string(),
    }
}
