//! Every shader in the languages of devices that are not here: Metal's, HLSL, SPIR-V and GLSL, in
//! both precisions and with each value of its constants. What wgpu hands to a driver is made by the
//! same translator. Compilers that are installed check what it made: `spirv-val` (of Debian's
//! `spirv-tools`), and `glslangValidator` (`glslang-tools`) for GLSL and HLSL.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use gittins::backend::Precision;
use gittins::internals::gpu::{SHADERS, entry};
use naga::back::{PipelineConstants, glsl, hlsl, msl, pipeline_constants, spv};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ShaderStage};

use crate::support::device::skipped;

/// The values of a constant that is set when a pipeline is built, the usual one first.
fn values(name: &str) -> &'static [u32] {
    match name {
        "GRADIENT" | "STORE" | "FIRST" => &[0, 1],
        "KIND" => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        "FAMILY" => &[0, 1, 2, 3, 4],
        "COST" | "SUCCESS" | "PART" | "SIDE" => &[0, 1, 2, 3],
        "EDGE" => &[8, 4],
        "DEPTH" => &[16, 8],
        _ => panic!("which values has {name}?"),
    }
}

/// A shader with its constants set, and what it is called in messages.
struct Variant {
    name: String,
    precision: Precision,
    module: Module,
    info: ModuleInfo,
}

/// All shaders in both precisions and with each value of each constant.
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
    let names: Vec<String> = open.map(|(_, constant)| constant.name.clone().unwrap()).collect();
    let usual = |name: &String| (name.clone(), f64::from(values(name)[0]));
    let usual: PipelineConstants = names.iter().map(usual).collect();
    let mut found = vec![usual.clone()];
    for name in &names {
        for value in &values(name)[1..] {
            let mut constants = usual.clone();
            constants.insert(name.clone(), f64::from(*value));
            found.push(constants);
        }
    }
    found
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
        let required = std::env::var("GITTINS_GPU_TESTS").is_ok_and(|wish| wish == "required");
        assert!(is_there || !required, "{program} is not installed");
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
    for Variant { name, module, info, .. } in variants() {
        let words = spv::write_vec(&module, &info, &spv::Options::default(), None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        compiler.compile(&name, &bytes);
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
    for Variant { name, module, info, .. } in variants() {
        let mut text = String::new();
        let policies = BoundsCheckPolicies::default();
        glsl::Writer::new(&mut text, &module, &info, &options, &of, policies)
            .and_then(|mut writer| writer.write())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        compiler.compile(&name, text.as_bytes());
    }
}

#[test]
fn into_hlsl() {
    let arguments = &["-V", "-D", "-S", "comp", "-e", "main", "-o", "/dev/null"];
    let compiler = Compiler::new("glslangValidator", arguments, "hlsl");
    // As pipelines are built: every shader writes its workgroup's memory before it reads it.
    let options = hlsl::Options { zero_initialize_workgroup_memory: false, ..Default::default() };
    let of = hlsl::PipelineOptions { entry_point: None };
    for Variant { name, precision, module, info } in variants() {
        let mut text = String::new();
        hlsl::Writer::new(&mut text, &options, &of)
            .write(&module, &info, None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        // How 64-bit floats are loaded, only newer compilers know, which no package has.
        if precision == Precision::F32 {
            compiler.compile(&name, text.as_bytes());
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
    let single = variants().into_iter().filter(|variant| variant.precision == Precision::F32);
    for Variant { name, module, info, .. } in single {
        msl::write_string(&module, &info, &options, &msl::PipelineOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
