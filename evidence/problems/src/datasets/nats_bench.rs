//! NATS-Bench, size search space: 32768 networks by the channels of their five layers.

use std::path::Path;

use gittins::{Result, Table};

use crate::datasets::measurements::Measurements;
use crate::datasets::read::{rows, wrong};

/// A data set of NATS-Bench with the slope and the offset of the proxy cost over the FLOPs in
/// millions, and the best test accuracy, as in the code of Xie et al. 2025.
const DATA_SETS: [(&str, f64, f64, f64); 3] = [
    ("cifar10-valid", 1.0, 400.0, 90.5),
    ("cifar100", 2.0, 550.0, 71.34),
    ("ImageNet16-120", 1.0, 1000.0, 47.4),
];

const LAYERS: [&str; 5] = ["c1", "c2", "c3", "c4", "c5"];

/// One data set (`cifar10-valid`, `cifar100` or `ImageNet16-120`) of the size search space of
/// NATS-Bench (Dong, Liu, Musial & Gabrys 2021, "NATS-Bench: Benchmarking NAS algorithms for
/// architecture topology and size"), from a folder with `nats_sss_<data set>.csv`.
///
/// NATS-Bench is published as 32768 compressed Python pickles (`NATS-sss-v1_0-50262-simple`, linked
/// at <https://github.com/D-X-Y/NATS-Bench>, MIT). They hold the state of Python objects, which
/// only its own code can average. This script writes the numbers out: the means over the seeds
/// after 90 epochs. It needs `pip install nats_bench`, and the folder `NATS-sss-v1_0-50262-simple`
/// beside the script:
///
/// ```python
/// import csv
/// from nats_bench import create
///
/// api = create("NATS-sss-v1_0-50262-simple", "sss", fast_mode=True, verbose=False)
/// names = ["cifar10-valid", "cifar100", "ImageNet16-120"]
/// files = {name: csv.writer(open(f"nats_sss_{name}.csv", "w", newline="")) for name in names}
/// for file in files.values():
///     file.writerow("c1 c2 c3 c4 c5 valid_accuracy test_accuracy train_seconds valid_seconds flops params".split())
/// for index in range(len(api)):
///     for name, file in files.items():
///         info = api.get_more_info(index, name, hp="90", is_random=False)
///         cost = api.get_cost_info(index, name, hp="90")
///         file.writerow(
///             api.arch(index).split(":")
///             + [info["valid-accuracy"], info["test-accuracy"], info["train-all-time"], info["valid-per-time"]]
///             + [cost["flops"], cost["params"]]
///         )
///     api.arch2infos_dict.clear()  # keeps nothing in memory
/// ```
///
/// Rows come in the order of the file. The settings are the channels of the five layers, 8 to 64,
/// mapped linearly to the unit cube. The cost is training plus one validation, in seconds, as in
/// the benchmark's own simulation. The proxy cost is `F + 400`, `2 F + 550` or `F + 1000`, with `F`
/// the FLOPs in millions.
///
/// # Errors
/// [`ErrorKind::Data`](gittins::ErrorKind::Data) for another data set, and for a file that is
/// missing or malformed, naming line and column.
pub fn nats_bench_size(folder: impl AsRef<Path>, data_set: &str) -> Result<Measurements> {
    let Some(&(_, slope, offset, best)) = DATA_SETS.iter().find(|(name, ..)| *name == data_set)
    else {
        let known = DATA_SETS.map(|(name, ..)| name).join(", ");
        return Err(wrong(
            folder.as_ref().display(),
            format_args!("expected one of the data sets {known}, got {data_set:?}"),
        ));
    };
    let path = folder.as_ref().join(format!("nats_sss_{data_set}.csv"));
    let [c1, c2, c3, c4, c5] = LAYERS;
    let columns = [
        c1,
        c2,
        c3,
        c4,
        c5,
        "valid_accuracy",
        "test_accuracy",
        "train_seconds",
        "valid_seconds",
        "flops",
        "params",
    ];
    let rows = rows(&path, columns)?;
    let mut settings = Vec::with_capacity(rows.len());
    let [mut outcomes, mut test_errors, mut costs, mut proxy_costs, mut parameters] =
        [const { Vec::new() }; 5];
    for row in &rows {
        let [channels @ .., valid, test, training, validation, flops, params] = row.values;
        for (name, value) in columns[7..].iter().zip(&row.values[7..]) {
            if *value <= 0.0 {
                let message = format_args!(
                    "line {}, column {name:?}: expected a positive number, got {value}",
                    row.line
                );
                return Err(wrong(path.display(), message));
            }
        }
        settings.push(channels.to_vec());
        outcomes.push(100.0 - valid);
        test_errors.push(100.0 - test);
        costs.push(training + validation);
        proxy_costs.push(slope * flops + offset);
        parameters.push(params);
    }
    let mut table = Table::new(LAYERS, settings)?;
    for name in LAYERS {
        table = table.within(name, 8.0, 64.0)?;
    }
    Ok(Measurements {
        table,
        outcomes,
        test_errors,
        costs,
        proxy_costs,
        parameters,
        best_test_accuracy: Some(best),
    })
}
