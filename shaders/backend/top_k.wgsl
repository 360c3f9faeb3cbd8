// The best of a batch. Every workgroup sorts SORTED scores with their rows and hands on the first
// `keep`, until one workgroup is left.
//
// The sort is a bitonic network. The better of two is the larger score; of equal scores it is the
// one with the lower row. Scores are finite. Padding has the row NONE, beyond all others.
// #import math/real
// #import layout

@group(0) @binding(BINDING_ROUND) var<uniform> round: Round;
@group(0) @binding(BINDING_SCORES) var<storage, read> scores: array<real>;
@group(0) @binding(BINDING_ROWS) var<storage, read> rows: array<u32>;
@group(0) @binding(BINDING_BEST_SCORES) var<storage, read_write> best_scores: array<real>;
@group(0) @binding(BINDING_BEST_ROWS) var<storage, read_write> best_rows: array<u32>;

// Whether this is the first round, in which a row is the place of its score.
override FIRST: bool;

const WORKERS: u32 = 256u;
const NONE: u32 = 0xffffffffu;

var<workgroup> score: array<real, SORTED>;
var<workgroup> row: array<u32, SORTED>;

fn is_better(a: u32, b: u32) -> bool {
    if (row[a] == NONE || row[b] == NONE) {
        return row[b] == NONE && row[a] != NONE;
    }
    return score[a] > score[b] || (score[a] == score[b] && row[a] < row[b]);
}

@compute @workgroup_size(WORKERS)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) worker: u32) {
    for (var at = worker; at < SORTED; at += WORKERS) {
        let place = group.x * SORTED + at;
        row[at] = NONE;
        score[at] = real(0.0);
        if (place < round.count) {
            score[at] = scores[place];
            if (FIRST) {
                row[at] = round.first + place;
            } else {
                row[at] = rows[place];
            }
        }
    }
    for (var size = 2u; size <= SORTED; size *= 2u) {
        for (var span = size / 2u; span > 0u; span /= 2u) {
            workgroupBarrier();
            for (var pair = worker; pair < SORTED / 2u; pair += WORKERS) {
                let a = 2u * pair - (pair & (span - 1u));
                let b = a + span;
                // Runs of `size` are sorted in turn best first and best last.
                if (is_better(b, a) == ((a & size) == 0u)) {
                    let held = score[a];
                    score[a] = score[b];
                    score[b] = held;
                    let kept = row[a];
                    row[a] = row[b];
                    row[b] = kept;
                }
            }
        }
    }
    workgroupBarrier();
    for (var at = worker; at < round.keep; at += WORKERS) {
        best_scores[group.x * round.keep + at] = score[at];
        best_rows[group.x * round.keep + at] = row[at];
    }
}
