//! Every shader in the languages of devices that are not here: Metal's, HLSL, SPIR-V and GLSL, in
//! both precisions and with each value of its constants. What wgpu hands to a driver is made by the
//! same translator. Compilers that are installed check what it made: `spirv-val` (of Debian's
//! `spirv-tools`), and `glslangValidator` (`glslang-tools`) for GLSL and HLSL.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use gittins::backend::Precision;
use gittins::internals::gpu::{SHADERS, entry};
use naga::back::{PipelineConstants, glsl, hlsl, msl, pipeline_constants, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, Override, Scalar, ShaderStage, TypeInner};

use crate::support::device::{skipped, wish};

/// A shader with its constants set, and what it is called in messages.
struct Variant {
    name: String,
    precision: Precision,
    module: Module,
    info: ModuleInfo,
}

/// All shaders in both precisions and with each value of each constant.
static VARIANTS: LazyLock<Vec<Variant>> = LazyLock::new(variants);

fn variants() -> Vec<Variant> {
    let mut found = Vec::new();
    for (path, _) in SHADERS.iter().filter(|(_, text)| text.contains("@compute")) {
        for precision in [Precision::F32, Precision::F64] {
            let text = entry(path, precision).unwrap();
            let module = naga::front::wgsl::parse_str(&text).unwrap();
            let capabilities = Capabilities::default() | Capabilities::FLOAT64;
            let mut validator = Validator::new(ValidationFlags::all(), capabilities);
            let info = validator.validate(&module).unwrap();
            for constants in constants(&module) {
                let (module, info) =
                    pipeline_constants::process_overrides(&module, &info, None, &constants)
                        .unwrap_or_else(|error| panic!("{path}, {constants:?}: {error}"));
                let mut set: Vec<_> = constants.iter().map(|(k, v)| format!("-{k}-{v}")).collect();
                set.sort();
                let name =
                    format!("{}-{}{}", path.replace('/', "-"), precision.name(), set.concat());
                let (module, info) = (module.into_owned(), info.into_owned());
                found.push(Variant { name, precision, module, info });
            }
        }
    }
    found
}

/// The usual values of all constants that are to be set, and then one other value at a time.
fn constants(module: &Module) -> Vec<PipelineConstants> {
    let open = module.overrides.iter().filter(|(_, constant)| constant.init.is_none());
    let open: Vec<(String, Vec<u32>)> = open
        .map(|(_, constant)| (constant.name.clone().unwrap(), values(module, constant)))
        .collect();
    let usual: PipelineConstants =
        open.iter().map(|(name, values)| (name.clone(), f64::from(values[0]))).collect();
    let mut found = vec![usual.clone()];
    for (name, values) in &open {
        for value in &values[1..] {
            let mut constants = usual.clone();
            constants.insert(name.clone(), f64::from(*value));
            found.push(constants);
        }
    }
    found
}

/// The values of a constant that is set when a pipeline is built, the usual one first. An
/// enumeration has as many as the shader has constants with its prefix. They count from 0.
fn values(module: &Module, constant: &Override) -> Vec<u32> {
    let name = constant.name.as_deref().unwrap();
    let prefix = match name {
        "EDGE" => return vec![8, 4],
        "DEPTH" => return vec![16, 8],
        "HEIGHT" => return vec![64, 128],
        "BUFFERS" => return vec![1, 2],
        "KIND" => "ACQUISITION_".to_string(),
        "FAMILY" => "KERNEL_".to_string(),
        _ if module.types[constant.ty].inner == TypeInner::Scalar(Scalar::BOOL) => {
            return vec![0, 1];
        }
        _ => format!("{name}_"),
    };
    let names = module.constants.iter().filter_map(|(_, one)| one.name.as_deref());
    let count = names.filter(|one| one.starts_with(&prefix)).count();
    assert!(count > 1, "which values has {name}?");
    (0..count as u32).collect()
}

/// A compiler of what shaders are translated to. Its file goes with it.
struct Compiler {
    program: &'static str,
    arguments: &'static [&'static str],
    file: PathBuf,
    is_there: bool,
}

impl Compiler {
    /// Where devices are required, compilers are as well.
    fn new(program: &'static str, arguments: &'static [&'static str], ending: &str) -> Self {
        let is_there = Command::new(program).arg("--version").output().is_ok();
        assert!(is_there || wish() != "required", "{program} is not installed");
        if !is_there {
            skipped(format_args!("{program} on translated shaders: it is not installed"));
        }
        let file = std::env::temp_dir().join(format!("gittins-{}.{ending}", std::process::id()));
        Self { program, arguments, file, is_there }
    }

    fn compile(&self, name: &str, made: &[u8]) {
        let Self { program, arguments, file, is_there } = self;
        if !is_there {
            return;
        }
        fs::write(file, made).unwrap();
        let said = Command::new(program).args(*arguments).arg(file).output().unwrap();
        let words = [said.stdout, said.stderr].concat();
        let words = String::from_utf8_lossy(&words);
        assert!(said.status.success(), "{program}, {name}: {words}");
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

#[test]
fn into_spir_v() {
    let compiler = Compiler::new("spirv-val", &["--target-env", "vulkan1.1"], "spv");
    for Variant { name, module, info, .. } in VARIANTS.iter() {
        let words = spv::write_vec(module, info, &spv::Options::default(), None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        compiler.compile(name, &bytes);
    }
}

#[test]
fn into_glsl() {
    let compiler = Compiler::new("glslangValidator", &["-S", "comp"], "comp");
    let options = glsl::Options {
        version: glsl::Version::Desktop(430),
        zero_initialize_workgroup_memory: false,
        ..Default::default()
    };
    let of = glsl::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: "main".into(),
        multiview: None,
    };
    for Variant { name, module, info, .. } in VARIANTS.iter() {
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, module, info, &options, &of, policies)
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        compiler.compile(name, text.as_bytes());
    }
}

#[test]
fn into_hlsl() {
    let arguments = &["-V", "-D", "-S", "comp", "-e", "main", "-o", "/dev/null"];
    let compiler = Compiler::new("glslangValidator", arguments, "hlsl");
    // As pipelines are built: every shader writes its workgroup's memory before it reads it.
    let options = hlsl::Options { zero_initialize_workgroup_memory: false, ..Default::default() };
    let of = hlsl::PipelineOptions { entry_point: None };
    for Variant { name, precision, module, info } in VARIANTS.iter() {
        let mut text = String::new();
        hlsl::Writer::new(&mut text, &options, &of)
            .write(module, info, None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        // How 64-bit floats are loaded, only newer compilers know, which no package has.
        if *precision == Precision::F32 {
            compiler.compile(name, text.as_bytes());
        }
    }
}

#[test]
fn into_metals_language_in_single_precision() {
    let options = msl::Options {
        lang_version: (2, 4),
        zero_initialize_workgroup_memory: false,
        ..Default::default()
    };
    // Metal has no 64-bit floats, and is never asked for them.
    let single = VARIANTS.iter().filter(|variant| variant.precision == Precision::F32);
    for Variant { name, module, info, .. } in single {
        msl::write_string(module, info, &options, &msl::PipelineOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
