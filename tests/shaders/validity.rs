//! Every shader assembles and is valid WGSL in both precisions. These tests need no device.

use std::fs;
use std::path::Path;

use gittins::backend::Precision;
use gittins::internals::gpu::{SHADERS, assemble, entry};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Parses and validates. Only the double precision text may use the capability for double
/// precision.
fn check(text: &str, precision: Precision) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let mut capabilities = Capabilities::default();
    if precision == Precision::F64 {
        capabilities |= Capabilities::FLOAT64;
    }
    Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| error.emit_to_string(text))?;
    Ok(())
}

/// Whether a file belongs to one precision.
fn is_of_a_precision(path: &str) -> bool {
    path.starts_with("math/real_") || path.starts_with("math/coordinate_")
}

#[test]
fn every_shader_is_valid_in_both_precisions() {
    for precision in [Precision::F32, Precision::F64] {
        for (path, _) in SHADERS.iter().filter(|(path, _)| !is_of_a_precision(path)) {
            let text = entry(path, precision)
                .unwrap_or_else(|error| panic!("{path} in {}: {error}", precision.name()));
            check(&text, precision)
                .unwrap_or_else(|error| panic!("{path} in {}: {error}", precision.name()));
        }
    }
    let double = assemble("// #import math/real", Precision::F64).unwrap();
    assert!(check(&double, Precision::F32).is_err(), "double precision passed for single");
}

#[test]
fn every_file_is_in_the_table() {
    fn paths(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for file in fs::read_dir(folder).unwrap().map(|file| file.unwrap()) {
            let name = file.file_name().into_string().unwrap();
            if file.file_type().unwrap().is_dir() {
                paths(&file.path(), &format!("{prefix}{name}/"), found);
            } else if let Some(stem) = name.strip_suffix(".wgsl") {
                found.push(format!("{prefix}{stem}"));
            }
        }
    }
    let mut found = Vec::new();
    paths(&Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders"), "", &mut found);
    found.sort();
    let mut table: Vec<_> = SHADERS.iter().map(|(path, _)| path.to_string()).collect();
    table.sort();
    assert_eq!(found, table);
}

#[test]
fn snippets_bind_nothing_and_prefix_their_functions() {
    for (path, text) in SHADERS.iter().filter(|(_, text)| !text.contains("@compute")) {
        // They hold what shaders share, with their variables.
        let is_shared = ["acquisition/scoring", "posterior/points"].contains(path);
        assert!(
            is_shared || !text.contains("@group") && !text.contains("var<"),
            "{path} has globals"
        );
        let stem = path.rsplit('/').next().unwrap();
        let prefix = stem.trim_end_matches("_f32").trim_end_matches("_f64");
        let prefix = if stem.starts_with("real_") { "real" } else { prefix };
        for line in text.lines().filter_map(|line| line.strip_prefix("fn ")) {
            assert!(line.starts_with(prefix), "{path}: fn {line}");
        }
    }
}
