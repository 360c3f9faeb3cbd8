//! The device of the shader tests, and the evaluation of a snippet's function on it.
//!
//! `GITTINS_GPU_TESTS=required|optional|off`: without an adapter a test fails, is skipped by name
//! (the default), or is always skipped. `GITTINS_ADAPTER` picks the adapter by a part of its name.
//! A software adapter works too.

use std::io::Write;
use std::sync::OnceLock;

use gittins::backend::Precision;
use gittins::backend::gpu::Device;
use gittins::internals::gpu::assemble;
use wgpu::{Backends, BufferUsages, Features};

/// An open device, shared by all tests of the binary.
pub struct TestDevice {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// The adapter's name.
    pub name: String,
}

/// Prints what is skipped, past the test runner. The runner shows the output of a test only if the
/// test fails.
pub fn skipped(what: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}

/// What `GITTINS_GPU_TESTS` says.
pub fn wish() -> String {
    let wish = std::env::var("GITTINS_GPU_TESTS").unwrap_or_else(|_| "optional".to_string());
    assert!(
        ["required", "optional", "off"].contains(&wish.as_str()),
        "GITTINS_GPU_TESTS must be required, optional or off, got {wish}"
    );
    wish
}

/// The device, or `None` if the test is to be skipped. The skip is printed under the test's name.
pub fn device(test: &str) -> Option<&'static TestDevice> {
    static DEVICE: OnceLock<Result<TestDevice, String>> = OnceLock::new();
    let wish = wish();
    if wish == "off" {
        skipped(format_args!("{test}: GITTINS_GPU_TESTS is off"));
        return None;
    }
    match DEVICE.get_or_init(open) {
        Ok(device) => Some(device),
        Err(reason) if wish == "required" => {
            panic!("{test}: {reason}, and GITTINS_GPU_TESTS requires one")
        }
        Err(reason) => {
            skipped(format_args!("{test}: {reason}"));
            None
        }
    }
}

/// The same adapter opened by the engine, once for all tests of the binary. No test may harm it,
/// because the other tests use it too.
pub fn engine(test: &str) -> Option<&'static Device> {
    static ENGINE: OnceLock<Device> = OnceLock::new();
    let name = &device(test)?.name;
    Some(
        ENGINE.get_or_init(|| {
            Device::open(Some(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
        }),
    )
}

/// The precisions to test on an engine. If double precision is left out, this is printed under the
/// test's name.
pub fn precisions(engine: &Device, test: &str) -> Vec<Precision> {
    assert_eq!(
        engine.has_double(),
        engine.report().double,
        "{test}: double precision fails its self-test: {:?}",
        engine.self_tests()
    );
    if engine.has_double() {
        return vec![Precision::F32, Precision::F64];
    }
    skipped(format_args!("{test} in f64: {} has none", engine.report().name));
    vec![Precision::F32]
}

/// Another device of the same adapter for one test alone. The test may lose it. With `binding`,
/// shaders see at most that number of bytes of a buffer.
pub fn own(test: &str, binding: Option<u64>) -> Option<TestDevice> {
    device(test)?;
    Some(open_with(binding).unwrap_or_else(|reason| panic!("{test}: {reason}")))
}

fn open() -> Result<TestDevice, String> {
    open_with(None)
}

fn open_with(binding: Option<u64>) -> Result<TestDevice, String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let part = std::env::var("GITTINS_ADAPTER").unwrap_or_default().to_lowercase();
    let mut adapters = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    adapters.retain(|adapter| adapter.get_info().name.to_lowercase().contains(&part));
    // An adapter with double precision comes first, so that as much as possible is tested.
    adapters.sort_by_key(|adapter| !adapter.features().contains(Features::SHADER_F64));
    let adapter = adapters.first().ok_or("no adapter")?;
    let name = adapter.get_info().name;
    let mut limits = adapter.limits();
    limits.max_storage_buffer_binding_size =
        binding.unwrap_or(limits.max_storage_buffer_binding_size);
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("tests"),
        required_features: adapter.features() & (Features::SHADER_F64 | Features::SUBGROUP),
        required_limits: limits,
        ..Default::default()
    }))
    .map_err(|error| format!("adapter {name}: {error}"))?;
    Ok(TestDevice { device, queue, name })
}

/// The distance from 1 to the next number.
pub fn epsilon(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => f64::from(f32::EPSILON),
        Precision::F64 => f64::EPSILON,
    }
}

/// The number as the device gets it.
pub fn rounded(precision: Precision, x: f64) -> f64 {
    match precision {
        Precision::F32 => f64::from(x as f32),
        Precision::F64 => x,
    }
}

impl TestDevice {
    /// The precisions to test. If double precision is left out, this is printed under the test's
    /// name.
    pub fn precisions(&self, test: &str) -> Vec<Precision> {
        if self.device.features().contains(Features::SHADER_F64) {
            return vec![Precision::F32, Precision::F64];
        }
        skipped(format_args!("{test} in f64: {} has none", self.name));
        vec![Precision::F32]
    }

    /// Evaluates expressions over rows of arguments. The expressions name the arguments `x0`, `x1`
    /// and so on. `body` stands before the expressions and may begin with imports on lines of their
    /// own. Returns one row of results for each row of arguments.
    pub fn evaluate(
        &self,
        precision: Precision,
        imports: &[&str],
        body: &str,
        results: &[&str],
        rows: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let (count, arguments, width) = (rows.len(), rows[0].len(), results.len());
        let imports: String = imports.iter().map(|path| format!("// #import {path}\n")).collect();
        let loads: String = (0..arguments)
            .map(|k| format!("    let x{k} = inputs[i * {arguments}u + {k}u];\n"))
            .collect();
        let stores: String = results
            .iter()
            .enumerate()
            .map(|(k, result)| format!("    outputs[i * {width}u + {k}u] = {result};\n"))
            .collect();
        let text = format!(
            "// #import math/real\n{imports}
@group(0) @binding(0) var<storage, read> inputs: array<real>;
@group(0) @binding(1) var<storage, read_write> outputs: array<real>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = id.x;
    if i >= {count}u {{
        return;
    }}
{loads}    {body}
{stores}}}
"
        );
        let text = assemble(&text, precision).unwrap();
        let inputs = bytes(
            precision,
            rows.iter().inspect(|row| assert_eq!(row.len(), arguments)).flatten().copied(),
        );
        // An entry that the shader does not write stays NaN, and no comparison accepts NaN. Entries
        // past the end must stay NaN.
        let spare = 64 * width;
        let sentinels = bytes(precision, std::iter::repeat_n(f64::NAN, count * width + spare));
        let outputs = self.run(&text, &inputs, &sentinels, count);
        let mut outputs = numbers(precision, &outputs);
        assert!(
            outputs.split_off(count * width).iter().all(|x| x.is_nan()),
            "written past the end"
        );
        outputs.chunks_exact(width).map(<[f64]>::to_vec).collect()
    }

    fn run(&self, text: &str, inputs: &[u8], outputs: &[u8], count: usize) -> Vec<u8> {
        let buffer = |size: usize, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let (source, target) = (buffer(inputs.len(), storage), buffer(outputs.len(), storage));
        let back = buffer(outputs.len(), BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        self.queue.write_buffer(&source, 0, inputs);
        self.queue.write_buffer(&target, 0, outputs);
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: source.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: target.as_entire_binding() },
            ],
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(count.div_ceil(64) as u32, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&target, 0, &back, 0, outputs.len() as u64);
        self.queue.submit([encoder.finish()]);
        back.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        back.get_mapped_range(..).unwrap().to_vec()
    }
}

fn bytes(precision: Precision, values: impl Iterator<Item = f64>) -> Vec<u8> {
    match precision {
        Precision::F32 => values.flat_map(|x| (x as f32).to_le_bytes()).collect(),
        Precision::F64 => values.flat_map(f64::to_le_bytes).collect(),
    }
}

fn numbers(precision: Precision, bytes: &[u8]) -> Vec<f64> {
    match precision {
        Precision::F32 => {
            bytemuck::pod_collect_to_vec::<u8, f32>(bytes).into_iter().map(f64::from).collect()
        }
        Precision::F64 => bytemuck::pod_collect_to_vec(bytes),
    }
}
