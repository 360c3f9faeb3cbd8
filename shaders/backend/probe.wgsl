// Whether the device tells numbers that are not finite. Compilers may assume that there are none,
// and remove a test by comparison.
// #import math/real
// #import layout

@group(0) @binding(BINDING_NUMBERS) var<storage, read> numbers: array<real>;
@group(0) @binding(BINDING_FINITE) var<storage, read_write> finite: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) at: u32) {
    if (at < arrayLength(&numbers)) {
        finite[at] = select(0u, 1u, real_is_finite(numbers[at]));
    }
}
