//! `LCBench`: 2000 funnel-shaped networks on each of 35 data sets.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use gittins::{Result, Table};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::datasets::measurements::Measurements;
use crate::datasets::quoted::Quoted;
use crate::datasets::read::{caused, wrong};

/// The settings in order, with the bounds that they were drawn from and whether the scale is
/// logarithmic. The upper bound of `num_layers` is the one that the experiments divide by.
const SETTINGS: [(&str, f64, f64, bool); 7] = [
    ("batch_size", 16.0, 512.0, true),
    ("learning_rate", 1e-4, 1e-1, true),
    ("momentum", 0.1, 0.99, false),
    ("weight_decay", 1e-5, 1e-1, false),
    ("num_layers", 1.0, 4.0, false),
    ("max_units", 64.0, 1024.0, true),
    ("max_dropout", 0.0, 1.0, false),
];

/// The best test accuracies, from the code of Xie et al. 2025.
const BEST_TEST_ACCURACY: [(&str, f64); 4] = [
    ("Fashion-MNIST", 90.17316017316017),
    ("adult", 83.00552211950115),
    ("higgs", 71.86302385956238),
    ("volkert", 62.765681026866915),
];

/// Seconds per parameter of the network, rounded from fits to three data sets.
const PROXY_SLOPE: f64 = 0.001;

/// One data set of `LCBench` (Zimmer, Lindauer & Hutter 2021, "Auto-PyTorch Tabular: Multi-fidelity
/// metalearning for efficient and robust `AutoDL`"), from the file that its authors publish:
/// `data_2k.json`, `data_2k_lw.json` or `six_datasets_lw.json`, linked at
/// <https://github.com/automl/LCBench> (<https://figshare.com/projects/LCBench/74151>, whose terms
/// apply; `data_2k_lw.zip` has 340 MB and unpacks to about 1 GB).
///
/// Its structure is `{data set: {configuration: {"config": {..}, "log": {..}, "results": {..}}}}`.
/// Rows come in the order of the file. The reader takes
///
/// - the settings, from `config`: `batch_size`, `learning_rate`, `momentum`, `weight_decay`,
///   `num_layers`, `max_units`, `max_dropout`. They are mapped to the unit cube by the bounds they
///   were drawn from, the batch size, the learning rate and the units on log scales; the layers by
///   `(n - 1) / 3` as in the experiments of Xie et al. 2025, or by `(n - 1) / 4` if the file has
///   networks of five;
/// - the outcomes, `100 - final_val_accuracy`, and the test errors, `100 - final_test_accuracy`,
///   from `results`;
/// - the costs, the last entry of `time` in `log`, in seconds;
/// - the parameters, `model_parameters` from `results` or from `log` (a list counts by its last
///   entry). The proxy cost is 0.001 times their number.
///
/// If a file has no `model_parameters`, they are counted from `max_units` `u`, `num_layers` `l`
/// and, from `results`, `features` and `classes` `c`. The network has dense layers with biases:
/// from the features over `l` hidden layers to the classes. The widths of the hidden layers fall
/// from `u` by `(u - c) div (l - 1)` each.
///
/// The file is read as a stream, up to the end of the data set. Other data sets are skipped, and so
/// are infinities in other columns.
///
/// # Errors
/// [`ErrorKind::Data`](gittins::ErrorKind::Data) for a file that is missing or malformed, naming
/// line and column, for a data set that it does not have, listing those it has, and for a number
/// that is missing or not finite, naming configuration and column.
pub fn lcbench(file: impl AsRef<Path>, data_set: &str) -> Result<Measurements> {
    let place = file.as_ref().display();
    let open = File::open(file.as_ref()).map_err(|error| caused(&place, error))?;
    let runs = stream(BufReader::with_capacity(1 << 16, open), data_set)
        .map_err(|error| wrong(&place, error))?;
    measured(runs, data_set)
        .map_err(|error| wrong(format_args!("{place}: data set {data_set:?}"), error))
}

/// One configuration's columns by group.
#[derive(Deserialize)]
struct Run {
    config: BTreeMap<String, Value>,
    log: Log,
    results: BTreeMap<String, Value>,
}

/// The columns of the log that are read, lists with an entry per epoch.
#[derive(Deserialize)]
struct Log {
    time: Option<Value>,
    model_parameters: Option<Value>,
}

/// The runs of the named data set, with the names of their configurations. The file is not read
/// beyond them.
fn stream(file: BufReader<impl Read>, data_set: &str) -> serde_json::Result<Vec<(String, Run)>> {
    let mut search = Search { data_set, found: None, others: Vec::new() };
    let mut deserializer = serde_json::Deserializer::from_reader(BufReader::new(Quoted::new(file)));
    let end = (&mut search).deserialize(&mut deserializer);
    match (search.found, end) {
        (Some(runs), _) => Ok(runs),
        (None, Err(error)) => Err(error),
        (None, Ok(())) => {
            let message =
                format!("expected a data set {data_set:?}, got {}", search.others.join(", "));
            Err(serde_json::Error::custom(message))
        }
    }
}

/// The data set in the outermost map.
struct Search<'a> {
    data_set: &'a str,
    found: Option<Vec<(String, Run)>>,
    others: Vec<String>,
}

impl<'de> DeserializeSeed<'de> for &mut Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Search<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("data sets by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == self.data_set {
                self.found = Some(map.next_value_seed(Runs)?);
                // The rest of the map is left unread. That is an error for the deserializer, but
                // not for the caller.
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
            self.others.push(name);
        }
        Ok(())
    }
}

/// The configurations of one data set.
struct Runs;

impl<'de> DeserializeSeed<'de> for Runs {
    type Value = Vec<(String, Run)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Runs {
    type Value = Vec<(String, Run)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("configurations by number")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut runs = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let run = map
                .next_value()
                .map_err(|error| A::Error::custom(format_args!("configuration {name}: {error}")))?;
            runs.push((name, run));
        }
        Ok(runs)
    }
}

/// The columns of the runs.
fn measured(runs: Vec<(String, Run)>, data_set: &str) -> Result<Measurements> {
    let best = BEST_TEST_ACCURACY.iter().find(|(name, _)| *name == data_set);
    let (mut settings, mut outcomes, mut test_errors) = (Vec::new(), Vec::new(), Vec::new());
    let (mut costs, mut parameters) = (Vec::new(), Vec::new());
    for (name, run) in &runs {
        let place =
            |group: &str, column: &str| format!("configuration {name}, {group}, column {column:?}");
        let config = |column| number(run.config.get(column), || place("config", column));
        let result = |column| number(run.results.get(column), || place("results", column));
        let positive = |value: f64, place: &dyn Fn() -> String| {
            if value > 0.0 {
                Ok(value)
            } else {
                Err(wrong(place(), format_args!("expected a positive number, got {value}")))
            }
        };
        settings
            .push(SETTINGS.iter().map(|(column, ..)| config(column)).collect::<Result<Vec<_>>>()?);
        outcomes.push(100.0 - result("final_val_accuracy")?);
        test_errors.push(100.0 - result("final_test_accuracy")?);
        let time = || place("log", "time");
        costs.push(positive(number(run.log.time.as_ref(), time)?, &time)?);
        let count = match (run.results.get("model_parameters"), &run.log.model_parameters) {
            (Some(count), _) => number(Some(count), || place("results", "model_parameters"))?,
            (None, Some(count)) => number(Some(count), || place("log", "model_parameters"))?,
            (None, None) => funnel([
                result("features")?,
                config("max_units")?,
                config("num_layers")?,
                result("classes")?,
            ]),
        };
        parameters.push(positive(count, &|| place("results", "model_parameters"))?);
    }
    let mut table = Table::new(SETTINGS.map(|(name, ..)| name), settings)?;
    for (name, low, high, log) in SETTINGS {
        if log {
            table = table.log(name)?;
        }
        table = table.within(name, low, high)?;
    }
    let proxy_costs = parameters.iter().map(|count| PROXY_SLOPE * count).collect();
    Ok(Measurements {
        table,
        outcomes,
        test_errors,
        costs,
        proxy_costs,
        parameters,
        best_test_accuracy: best.map(|(_, accuracy)| *accuracy),
    })
}

/// A number; the last one of a list.
fn number(value: Option<&Value>, place: impl Fn() -> String) -> Result<f64> {
    let last = match value {
        Some(Value::Array(list)) => list.last(),
        other => other,
    };
    match last {
        None => Err(wrong(place(), "expected a finite number, got none")),
        Some(value) => value
            .as_f64()
            .ok_or_else(|| wrong(place(), format_args!("expected a finite number, got {value}"))),
    }
}

/// Weights and biases of a funnel-shaped network.
fn funnel([features, units, layers, classes]: [f64; 4]) -> f64 {
    let step =
        if layers > 1.0 { ((units - classes) / (layers - 1.0)).floor().max(0.0) } else { 0.0 };
    let (mut count, mut before, mut width) = (0.0, features, units);
    // The cast saturates, so no file makes this loop long.
    for _ in 0..layers as u8 {
        count += (before + 1.0) * width;
        before = width;
        width -= step;
    }
    count + (before + 1.0) * classes
}

#[cfg(test)]
mod tests {
    use super::funnel;

    /// By hand: 784-100-10, and 10-64-33-2-2 with the step 62 div 2.
    #[test]
    fn funnels_are_counted() {
        assert_eq!(funnel([784.0, 100.0, 1.0, 10.0]), 785.0 * 100.0 + 101.0 * 10.0);
        assert_eq!(
            funnel([10.0, 64.0, 3.0, 2.0]),
            11.0 * 64.0 + 65.0 * 33.0 + 34.0 * 2.0 + 3.0 * 2.0
        );
    }
}
