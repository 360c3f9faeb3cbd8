// Scrambled Sobol points, bit for bit those of the host (`math::Sobol`): a cell of 2^-23 by the
// generator of Burley 2020, and a place of 2^-29 within it by a hash.
//
// Numbers of 64 bits are pairs of their low and high halves.

fn sobol_sum(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn sobol_product(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let first = vec2<u32>(a.x & 0xffffu, a.x >> 16u);
    let second = vec2<u32>(b.x & 0xffffu, b.x >> 16u);
    let low = first.x * second.x;
    let one = first.x * second.y;
    let other = first.y * second.x;
    let middle = (low >> 16u) + (one & 0xffffu) + (other & 0xffffu);
    let high = first.y * second.y + (one >> 16u) + (other >> 16u) + (middle >> 16u);
    return vec2<u32>((low & 0xffffu) | (middle << 16u), high + a.x * b.y + a.y * b.x);
}

// z ^ (z >> shift), with a shift from 1 to 31.
fn sobol_folded(z: vec2<u32>, shift: u32) -> vec2<u32> {
    return z ^ vec2<u32>((z.x >> shift) | (z.y << (32u - shift)), z.y >> shift);
}

// The hash of Steele, Lea, Flood 2014.
fn sobol_mix(value: vec2<u32>) -> vec2<u32> {
    let a = sobol_folded(sobol_sum(value, vec2<u32>(0x7f4a7c15u, 0x9e3779b9u)), 30u);
    let b = sobol_folded(sobol_product(a, vec2<u32>(0x1ce4e5b9u, 0xbf58476du)), 27u);
    return sobol_folded(sobol_product(b, vec2<u32>(0x133111ebu, 0x94d049bbu)), 31u);
}

fn sobol_hash(n: u32) -> u32 {
    var h = n ^ 0xe6fe3bebu;
    h = (h ^ (h >> 16u)) * 0x7feb352du;
    h = (h ^ (h >> 15u)) * 0x846ca68bu;
    return h ^ (h >> 16u);
}

// The scrambling of a number with reversed bits.
fn sobol_scrambled(reversed: u32, scramble: u32) -> u32 {
    var n = reversed ^ (reversed * 0x3d20adeau);
    n = (n + scramble) * ((scramble >> 16u) | 1u);
    n ^= n * 0x05526c56u;
    return n ^ (n * 0x53a22864u);
}

// The place of a point in the order of a stream, with reversed bits. 16 bits count.
fn sobol_index(within: u32, stream: vec2<u32>) -> u32 {
    return sobol_scrambled(reverseBits(within), sobol_hash(stream.x ^ 0x79c68e4au));
}

// The cell of a coordinate, from the number that the directions give, with reversed bits.
fn sobol_cell(number: u32, four: u32, lane: u32, stream: vec2<u32>) -> u32 {
    var lanes = array<u32, 4>(0x912f69bau, 0x174f18abu, 0x691e72cau, 0xb40cc1b8u);
    let scramble = four ^ (stream.x * 0x9c8f2d3bu) ^ lanes[lane];
    return reverseBits(sobol_scrambled(number, sobol_hash(scramble))) >> 9u;
}

// The place within the cell.
fn sobol_place(within: u32, four: u32, lane: u32, stream: vec2<u32>) -> u32 {
    let places = sobol_mix(stream ^ sobol_mix(vec2<u32>(four, within)));
    return sobol_mix(places ^ vec2<u32>(lane, 0u)).y >> 3u;
}
