//! The shaders' texts, and how a compute shader is put together from them.
//!
//! A shader says what it needs by comment lines `// #import math/normal`, so that editors see plain
//! WGSL. Snippets have no globals and give their functions the name of their file as prefix. Two
//! imports are made rather than read: `math/real` is the file of the wanted precision, which
//! defines the alias `real` that all others compute with, and `layout` is what shaders and host
//! agree on, made from the host's constants.

use super::layout;
use crate::acquisition::PointwiseKind;
use crate::backend::Precision;
use crate::error::{Error, ErrorKind, Result};

/// Every shader by its path below `shaders/`, without the ending.
pub const SHADERS: &[(&str, &str)] = &[
    ("math/real_f32", include_str!("../../../shaders/math/real_f32.wgsl")),
    ("math/real_f64", include_str!("../../../shaders/math/real_f64.wgsl")),
    ("math/real_common", include_str!("../../../shaders/math/real_common.wgsl")),
    ("math/pair", include_str!("../../../shaders/math/pair.wgsl")),
    ("math/saturated", include_str!("../../../shaders/math/saturated.wgsl")),
    ("math/normal", include_str!("../../../shaders/math/normal.wgsl")),
    ("model/kernel", include_str!("../../../shaders/model/kernel.wgsl")),
    ("acquisition/belief", include_str!("../../../shaders/acquisition/belief.wgsl")),
    ("acquisition/improvement", include_str!("../../../shaders/acquisition/improvement.wgsl")),
    ("acquisition/confidence", include_str!("../../../shaders/acquisition/confidence.wgsl")),
    ("acquisition/per_cost", include_str!("../../../shaders/acquisition/per_cost.wgsl")),
    ("acquisition/gittins", include_str!("../../../shaders/acquisition/gittins.wgsl")),
    ("acquisition/estimation", include_str!("../../../shaders/acquisition/estimation.wgsl")),
    (
        "acquisition/max_value_entropy",
        include_str!("../../../shaders/acquisition/max_value_entropy.wgsl"),
    ),
    ("acquisition/acquisition", include_str!("../../../shaders/acquisition/acquisition.wgsl")),
    ("acquisition/score", include_str!("../../../shaders/acquisition/score.wgsl")),
    ("posterior/kernel_tile", include_str!("../../../shaders/posterior/kernel_tile.wgsl")),
    (
        "posterior/triangular_product",
        include_str!("../../../shaders/posterior/triangular_product.wgsl"),
    ),
    ("posterior/gradient", include_str!("../../../shaders/posterior/gradient.wgsl")),
    (
        "posterior/branch_covariance",
        include_str!("../../../shaders/posterior/branch_covariance.wgsl"),
    ),
    ("posterior/branch_adjoint", include_str!("../../../shaders/posterior/branch_adjoint.wgsl")),
    ("posterior/pathwise", include_str!("../../../shaders/posterior/pathwise.wgsl")),
    ("backend/top_k", include_str!("../../../shaders/backend/top_k.wgsl")),
    ("backend/probe", include_str!("../../../shaders/backend/probe.wgsl")),
];

const IMPORT: &str = "// #import ";

/// The text with everything that it imports before it, each once.
///
/// # Errors
/// [`ErrorKind::InvalidSetting`] naming an import that does not exist, and the way round a cycle of
/// imports.
pub fn assemble(text: &str, precision: Precision) -> Result<String> {
    assemble_from(SHADERS, text, precision)
}

/// The shader of that path with everything that it imports.
///
/// # Errors
/// Those of [`assemble`]; also where there is no such shader.
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
    /// Enable directives, which WGSL wants before everything else.
    enables: String,
    body: String,
    /// What was imported, and what is being imported from the outermost in.
    done: Vec<String>,
    open: Vec<String>,
}

impl Assembly<'_> {
    fn append(&mut self, text: &str) -> Result<()> {
        let mut own = String::with_capacity(text.len());
        for line in text.lines() {
            if let Some(path) = line.strip_prefix(IMPORT) {
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
            "acquisition/kinds" => Some(PointwiseKind::wgsl()),
            _ => None,
        };
        if let Some(generated) = generated {
            self.body += &generated;
            return Ok(());
        }
        let file = if path == "math/real" {
            format!("math/real_{}", self.precision.name())
        } else {
            path.to_string()
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
