//! The shaders' texts, and how a compute shader is put together from them.
//!
//! A shader names what it needs in comment lines `// #import math/normal`, so that editors see
//! plain WGSL. Snippets have no globals, except `acquisition/scoring`, which two shaders share. Their
//! functions have the name of the file as prefix.
//! `math/real` is the file of the wanted precision; it defines the alias `real` that all others
//! compute with. So is `math/coordinate`. Four imports are made from the host's constants: `layout`,
//! `search/layout`, `model/families` and `acquisition/kinds`.
//!
//! The lines between `// #repeat N` and `// #end` come `N` times, with `REPEATED` as `0u`, `1u` and so
//! on.

use super::{layout, search_layout};
use crate::acquisition::PointwiseKind;
use crate::backend::Precision;
use crate::error::{Error, ErrorKind, Result};
use crate::model::KernelFamily;

/// Every shader by its path in `shaders/`, without the ending.
pub const SHADERS: &[(&str, &str)] = &[
    ("math/real_f32", include_str!("../../../../shaders/math/real_f32.wgsl")),
    ("math/real_f64", include_str!("../../../../shaders/math/real_f64.wgsl")),
    ("math/real_common", include_str!("../../../../shaders/math/real_common.wgsl")),
    ("math/coordinate_f32", include_str!("../../../../shaders/math/coordinate_f32.wgsl")),
    ("math/coordinate_f64", include_str!("../../../../shaders/math/coordinate_f64.wgsl")),
    ("math/sobol", include_str!("../../../../shaders/math/sobol.wgsl")),
    ("math/pair", include_str!("../../../../shaders/math/pair.wgsl")),
    ("math/saturated", include_str!("../../../../shaders/math/saturated.wgsl")),
    ("math/normal", include_str!("../../../../shaders/math/normal.wgsl")),
    ("model/kernel", include_str!("../../../../shaders/model/kernel.wgsl")),
    ("acquisition/belief", include_str!("../../../../shaders/acquisition/belief.wgsl")),
    ("acquisition/improvement", include_str!("../../../../shaders/acquisition/improvement.wgsl")),
    ("acquisition/confidence", include_str!("../../../../shaders/acquisition/confidence.wgsl")),
    ("acquisition/per_cost", include_str!("../../../../shaders/acquisition/per_cost.wgsl")),
    ("acquisition/gittins", include_str!("../../../../shaders/acquisition/gittins.wgsl")),
    ("acquisition/estimation", include_str!("../../../../shaders/acquisition/estimation.wgsl")),
    (
        "acquisition/max_value_entropy",
        include_str!("../../../../shaders/acquisition/max_value_entropy.wgsl"),
    ),
    ("acquisition/acquisition", include_str!("../../../../shaders/acquisition/acquisition.wgsl")),
    ("acquisition/pending", include_str!("../../../../shaders/acquisition/pending.wgsl")),
    ("acquisition/scoring", include_str!("../../../../shaders/acquisition/scoring.wgsl")),
    ("acquisition/score", include_str!("../../../../shaders/acquisition/score.wgsl")),
    (
        "acquisition/score_pending",
        include_str!("../../../../shaders/acquisition/score_pending.wgsl"),
    ),
    ("posterior/kernel_tile", include_str!("../../../../shaders/posterior/kernel_tile.wgsl")),
    (
        "posterior/triangular_product",
        include_str!("../../../../shaders/posterior/triangular_product.wgsl"),
    ),
    ("posterior/gradient", include_str!("../../../../shaders/posterior/gradient.wgsl")),
    ("posterior/pending_shifts", include_str!("../../../../shaders/posterior/pending_shifts.wgsl")),
    (
        "posterior/pending_adjoint",
        include_str!("../../../../shaders/posterior/pending_adjoint.wgsl"),
    ),
    (
        "posterior/branch_covariance",
        include_str!("../../../../shaders/posterior/branch_covariance.wgsl"),
    ),
    ("posterior/branch_adjoint", include_str!("../../../../shaders/posterior/branch_adjoint.wgsl")),
    ("posterior/pathwise", include_str!("../../../../shaders/posterior/pathwise.wgsl")),
    ("posterior/points", include_str!("../../../../shaders/posterior/points.wgsl")),
    ("posterior/points_sent", include_str!("../../../../shaders/posterior/points_sent.wgsl")),
    ("search/points_drawn", include_str!("../../../../shaders/search/points_drawn.wgsl")),
    ("search/points_climbs", include_str!("../../../../shaders/search/points_climbs.wgsl")),
    ("search/climb", include_str!("../../../../shaders/search/climb.wgsl")),
    ("backend/top_k", include_str!("../../../../shaders/backend/top_k.wgsl")),
    ("backend/probe", include_str!("../../../../shaders/backend/probe.wgsl")),
];

const IMPORT: &str = "// #import ";
const REPEAT: &str = "// #repeat ";
const END: &str = "// #end";
const REPEATED: &str = "REPEATED";

/// The text, preceded by everything that it imports, each import once.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] for an import that does not exist, with its name, and for a cycle
/// of imports, with the way round.
pub fn assemble(text: &str, precision: Precision) -> Result<String> {
    assemble_from(SHADERS, text, precision)
}

/// The shader of a path with everything that it imports.
///
/// # Errors
/// Those of [`assemble`]; also if there is no such shader.
pub fn entry(name: &str, precision: Precision) -> Result<String> {
    assemble(&format!("{IMPORT}{name}\n"), precision)
}

fn assemble_from(table: &[(&str, &str)], text: &str, precision: Precision) -> Result<String> {
    let mut assembly = Assembly {
        table,
        precision,
        enables: String::new(),
        body: String::new(),
        done: Vec::new(),
        open: Vec::new(),
    };
    assembly.append(text)?;
    Ok(assembly.enables + &assembly.body)
}

struct Assembly<'a> {
    table: &'a [(&'a str, &'a str)],
    precision: Precision,
    /// Enable directives. In WGSL they stand before everything else.
    enables: String,
    body: String,
    /// Imports so far.
    done: Vec<String>,
    /// Imports that have begun, the outermost first.
    open: Vec<String>,
}

impl Assembly<'_> {
    fn append(&mut self, text: &str) -> Result<()> {
        let mut own = String::with_capacity(text.len());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(count) = line.trim_start().strip_prefix(REPEAT) {
                let repeated: Vec<&str> =
                    lines.by_ref().take_while(|line| line.trim_start() != END).collect();
                for number in 0..count.trim().parse().unwrap_or(0_u32) {
                    let number = format!("{number}u");
                    for line in &repeated {
                        own += &line.replace(REPEATED, &number);
                        own.push('\n');
                    }
                }
            } else if let Some(path) = line.strip_prefix(IMPORT) {
                self.import(path.trim())?;
            } else if line.starts_with("enable ") {
                if !self.enables.lines().any(|known| known == line) {
                    self.enables += line;
                    self.enables.push('\n');
                }
            } else {
                own += line;
                own.push('\n');
            }
        }
        self.body += &own;
        Ok(())
    }

    fn import(&mut self, path: &str) -> Result<()> {
        if self.open.iter().any(|open| open == path) {
            let way = self.open.join(" -> ");
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("shader import cycle: {way} -> {path}"),
            ));
        }
        if self.done.iter().any(|done| done == path) {
            return Ok(());
        }
        self.done.push(path.to_string());
        let generated = match path {
            "layout" => Some(layout::wgsl()),
            "search/layout" => Some(search_layout::wgsl()),
            "model/families" => Some(KernelFamily::wgsl()),
            "acquisition/kinds" => Some(PointwiseKind::wgsl()),
            _ => None,
        };
        if let Some(generated) = generated {
            self.body += &generated;
            return Ok(());
        }
        let file = match path {
            "math/real" | "math/coordinate" => format!("{path}_{}", self.precision.name()),
            _ => path.to_string(),
        };
        let Some((_, text)) = self.table.iter().find(|(name, _)| *name == file) else {
            let importer = self.open.last().map_or("the shader itself", String::as_str);
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("shader import {path} in {importer}: there is no such shader"),
            ));
        };
        self.open.push(path.to_string());
        self.append(text)?;
        self.open.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::gpu::kernels::binding::Binding;

    const TABLE: &[(&str, &str)] = &[
        ("math/real_f32", "alias real = f32;"),
        ("math/real_f64", "alias real = f64;"),
        ("a", "// #import math/real\nconst A: real = 1.0;"),
        ("b", "enable subgroups;\n// #import a\n// #import math/real\nconst B: real = A;"),
        ("round", "// #import about"),
        ("about", "// #import a\n// #import round"),
        ("broken", "// #import nowhere"),
    ];

    #[test]
    fn imports_come_once_and_before_what_needs_them() {
        let text =
            "// #import b\n// #import a\n// #import b\nenable subgroups;\nconst C: real = A + B;";
        let expected = "enable subgroups;\nalias real = f64;\nconst A: real = 1.0;\nconst B: real = A;\nconst C: real = A + B;\n";
        assert_eq!(assemble_from(TABLE, text, Precision::F64).unwrap(), expected);
        assert_eq!(
            assemble_from(TABLE, text, Precision::F32).unwrap(),
            expected.replace("f64", "f32")
        );
    }

    #[test]
    fn what_is_repeated_comes_with_its_number() {
        let text = "let a = 1u;\n  // #repeat 3\n  f(REPEATED);\n  // #end\ng();";
        let expected = "let a = 1u;\n  f(0u);\n  f(1u);\n  f(2u);\ng();\n";
        assert_eq!(assemble_from(TABLE, text, Precision::F32).unwrap(), expected);
        // Every shader's repetitions have a number and an end.
        for (path, text) in SHADERS {
            let counts = text.lines().filter_map(|line| line.trim_start().strip_prefix(REPEAT));
            let ends = text.lines().filter(|line| line.trim_start() == END).count();
            assert_eq!(counts.clone().count(), ends, "{path}");
            assert!(counts.clone().all(|count| count.trim().parse() != Ok(0_u32)), "{path}");
            assert!(counts.into_iter().all(|count| count.trim().parse::<u32>().is_ok()), "{path}");
        }
    }

    #[test]
    fn every_variable_has_the_binding_of_its_name() {
        let mut used = Vec::new();
        for (path, _) in SHADERS.iter().filter(|(_, text)| text.contains("@compute")) {
            let text = entry(path, Precision::F32).unwrap();
            let module = naga::front::wgsl::parse_str(&text).unwrap();
            for (_, variable) in module.global_variables.iter() {
                let Some(binding) = &variable.binding else { continue };
                let name = format!("BINDING_{}", variable.name.as_ref().unwrap().to_uppercase());
                let named = Binding::ALL.iter().find(|binding| binding.wgsl_name() == name);
                let named = named.unwrap_or_else(|| panic!("{path}: no {name}"));
                let found = (binding.group, binding.binding);
                assert_eq!(found, (0, named.number()), "{path}: {name}");
                used.push(*named);
            }
        }
        let unused = Binding::ALL.iter().filter(|binding| !used.contains(binding));
        assert_eq!(unused.collect::<Vec<_>>(), Vec::<&Binding>::new());
    }

    #[test]
    fn unknown_and_cyclic_imports_name_the_culprit() {
        for (text, culprit) in [
            ("// #import broken", "shader import nowhere in broken: there is no such shader"),
            (
                "// #import elsewhere",
                "shader import elsewhere in the shader itself: there is no such shader",
            ),
            ("// #import round", "shader import cycle: round -> about -> round"),
        ] {
            let error = assemble_from(TABLE, text, Precision::F32).unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string().as_str()),
                (ErrorKind::InvalidSetting, culprit)
            );
        }
    }
}
