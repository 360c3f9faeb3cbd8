//! What the shaders and the host agree on: sizes of tiles, uniform structs, and the order of
//! numbers in buffers. The shaders get all of it as constants with the line `// #import layout`.

use super::binding::Binding;
use crate::math::wgsl::wgsl_enum;
use crate::posterior::FANTASIES;

/// Rows or points of a block, and the side of a tile of a product. Every matrix on the device is
/// padded to whole blocks.
pub const TILE: usize = 64;

/// Points that a workgroup of the gradient takes.
pub const GRADIENT_POINTS: usize = 16;

/// Dimensions that a workgroup of the gradient takes.
pub const GRADIENT_DIMS: usize = 8;

/// Scores that a workgroup of the selection sorts.
pub const SORTED: usize = 1024;

/// A count as the device takes it. No batch within an adapter's limits has a count beyond 32 bits.
pub fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Makes a struct of counts and the WGSL struct with the same fields, for a uniform buffer.
macro_rules! uniform {
    (
        $(#[$of_struct:meta])*
        $visibility:vis struct $name:ident { $( $(#[$of_field:meta])* $field:ident ),+ $(,)? }
    ) => {
        $(#[$of_struct])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        $visibility struct $name { $( $(#[$of_field])* pub $field: usize ),+ }

        impl $name {
            const FIELDS: &'static [&'static str] = &[$( stringify!($field) ),+];

            /// The counts in the order of the fields.
            pub fn words(self) -> [u32; Self::FIELDS.len()] {
                [$( word(self.$field) ),+]
            }

            fn wgsl() -> String {
                let field = |field: &&str| format!("{field}: u32");
                let fields: Vec<String> = Self::FIELDS.iter().map(field).collect();
                format!("struct {} {{ {} }}\n", stringify!($name), fields.join(", "))
            }
        }
    };
}

uniform! {
    /// The shape of a chunk.
    pub struct Shape {
        /// Blocks of data rows.
        blocks,
        /// Coordinates of a point.
        dim,
        /// Points with padding: the length of a row of every matrix of the chunk.
        stride,
        /// Points.
        count,
        /// Blocks of data rows of the log-cost posterior.
        cost_blocks,
        /// Blocks of data rows of the posterior that tells about success.
        success_blocks,
        /// Blocks of frequencies of a sample path.
        wave_blocks,
        /// Points of a tree; 0 if the rows of the batch are no trees.
        nodes,
        /// Pairs along the branches of a tree.
        pairs,
        /// Data rows of pending trials that have fantasies; 0 if there are none.
        pending,
        /// Data rows before these.
        before_pending,
    }
}

impl Shape {
    /// Covariances of a chunk of trees.
    pub fn covariances(self) -> usize {
        self.count.checked_div(self.nodes).unwrap_or(0) * self.pairs
    }
}

uniform! {
    /// One round of a selection.
    pub struct Round {
        /// Scores to select from.
        count,
        /// Scores that a workgroup hands on.
        keep,
        /// The row of the first score, in the first round.
        first,
        /// Makes 16 bytes.
        padding,
    }
}

pub(super) use uniform;

wgsl_enum! {
    /// The rows of the buffer `units`: what points are centered and scaled by, and what rounding took
    /// from that.
    pub enum Unit {
        Center = "UNIT_CENTER",
        CenterRest = "UNIT_CENTER_REST",
        /// One over the lengthscale.
        Inverse = "UNIT_INVERSE",
        InverseRest = "UNIT_INVERSE_REST",
    }
}

wgsl_enum! {
    /// What the score is told of the cost.
    pub enum ScoreCost {
        /// Nothing: the score does not depend on it.
        None = "COST_NONE",
        /// The logarithm of the cost at each point.
        Known = "COST_KNOWN",
        /// The sums over the data of a posterior of the logarithm.
        Learned = "COST_LEARNED",
    }
}

wgsl_enum! {
    /// How the probability of success enters the score.
    pub enum ScoreSuccess {
        /// Not at all.
        None = "SUCCESS_NONE",
        /// It divides the price.
        Price = "SUCCESS_PRICE",
        /// It is a factor.
        Factor = "SUCCESS_FACTOR",
        /// Its logarithm is added.
        Log = "SUCCESS_LOG",
    }
}

wgsl_enum! {
    /// The part of a gradient that one dispatch makes.
    pub enum GradientPart {
        /// The outcome's.
        Outcome = "PART_OUTCOME",
        /// The outcome's and a known cost's.
        OutcomeAndKnownCost = "PART_OUTCOME_AND_KNOWN_COST",
        /// A learned cost's, added to what stands.
        LearnedCost = "PART_LEARNED_COST",
        /// That of the probability of success, added to what stands.
        Success = "PART_SUCCESS",
    }
}

wgsl_enum! {
    /// The left factor of a product.
    pub enum Side {
        /// `L^-1`.
        Inverse = "SIDE_INVERSE",
        /// `L^-T`.
        Transposed = "SIDE_TRANSPOSED",
        /// The square matrix of all blocks.
        Square = "SIDE_SQUARE",
    }
}

wgsl_enum! {
    /// The place of a number in the buffer `settings` of the score.
    pub enum Setting {
        Incumbent = "SETTING_INCUMBENT",
        /// The parameter of the acquisition.
        Parameter = "SETTING_PARAMETER",
        /// The variance factor of the acquisition.
        VarianceFactor = "SETTING_VARIANCE_FACTOR",
        /// The mean of the log-cost prior.
        CostMean = "SETTING_COST_MEAN",
        /// The deviation of the log-cost prior.
        CostDeviation = "SETTING_COST_DEVIATION",
        /// The mean of the prior that tells about success.
        SuccessMean = "SETTING_SUCCESS_MEAN",
        /// The deviation of the prior that tells about success.
        SuccessDeviation = "SETTING_SUCCESS_DEVIATION",
        /// The floor of the variances.
        Floor = "SETTING_FLOOR",
        /// The noise that the acquisition foresees.
        Noise = "SETTING_NOISE",
        /// The number of samples of the maximum; 0 if the acquisition uses none.
        Maxima = "SETTING_MAXIMA",
        /// The chance that the pending trials bring nothing.
        Missing = "SETTING_MISSING",
        /// The first number of a list: the samples of the maximum, or what is known of the pending
        /// trials. That is the best pending value of each fantasy, then the normal numbers of the
        /// fantasies for each row.
        List = "SETTING_LIST",
    }
}

wgsl_enum! {
    /// The rows of the buffer `sums`, for each block of data: shares of the block in sums over the
    /// data.
    pub enum Sum {
        /// Of the mean.
        Mean = "SUM_MEAN",
        /// What rounding took from that.
        MeanRest = "SUM_MEAN_REST",
        /// Of the squares that reduce the variance.
        Squares = "SUM_SQUARES",
    }
}

wgsl_enum! {
    /// The rows of the buffer `coefficients`: what the gradient multiplies. The weights of the data
    /// are `alpha`, and `w = L^-T v` those of the point.
    pub enum Coefficient {
        /// Of the outcome's `alpha`.
        Alpha = "COEFFICIENT_ALPHA",
        /// Of the outcome's `w`.
        Weight = "COEFFICIENT_WEIGHT",
        /// Of the log cost's `alpha`.
        CostAlpha = "COEFFICIENT_COST_ALPHA",
        /// Of the log cost's `w`.
        CostWeight = "COEFFICIENT_COST_WEIGHT",
        /// Of the gradient of a known `ln c`.
        KnownCost = "COEFFICIENT_KNOWN_COST",
        /// Of the `alpha` of the posterior that tells about success.
        SuccessAlpha = "COEFFICIENT_SUCCESS_ALPHA",
        /// Of its `w`.
        SuccessWeight = "COEFFICIENT_SUCCESS_WEIGHT",
        /// Of the outcome's whitened column, in place of that of `w`, if trials are pending. The
        /// following rows are there only then.
        Column = "COEFFICIENT_COLUMN",
        /// The first of as many rows as there are fantasies: the shifts of the mean, later the
        /// derivatives by them.
        Shifts = "COEFFICIENT_SHIFTS",
    }
}

impl Coefficient {
    /// Rows of the buffer.
    pub fn rows(pending_trials: bool) -> usize {
        if pending_trials { Self::Shifts as usize + FANTASIES } else { Self::Column as usize }
    }
}

wgsl_enum! {
    /// The rows of the buffer `output`.
    pub enum Output {
        /// Values of the acquisition.
        Value = "OUTPUT_VALUE",
        /// Posterior means.
        Mean = "OUTPUT_MEAN",
        /// Posterior variances.
        Variance = "OUTPUT_VARIANCE",
        /// The first of as many rows as points have coordinates; in these rows the gradients stand
        /// point by point.
        Gradients = "OUTPUT_GRADIENTS",
    }
}

impl Output {
    /// Rows of the buffer for points of a dimension.
    pub fn rows(gradient: bool, dim: usize) -> usize {
        Self::Gradients as usize + if gradient { dim } else { 0 }
    }
}

wgsl_enum! {
    /// The place of a number in the buffer `counts`.
    pub enum Count {
        /// Variances that were lifted to the floor.
        Floored = "COUNT_FLOORED",
        /// Points with a number that is not finite.
        Overflowed = "COUNT_OVERFLOWED",
    }
}

impl Count {
    /// Bytes of the buffer.
    pub const BYTES: u64 = 4 * Self::ALL.len() as u64;
}

/// The text of the import `layout`.
pub fn wgsl() -> String {
    let sizes = [
        ("TILE", TILE),
        ("GRADIENT_POINTS", GRADIENT_POINTS),
        ("GRADIENT_DIMS", GRADIENT_DIMS),
        ("SORTED", SORTED),
        ("SUMS", Sum::ALL.len()),
        ("FANTASIES", FANTASIES),
    ];
    let sizes = sizes.map(|(name, size)| format!("const {name}: u32 = {size}u;\n"));
    let names = [
        Binding::wgsl(),
        Unit::wgsl(),
        ScoreCost::wgsl(),
        ScoreSuccess::wgsl(),
        GradientPart::wgsl(),
        Side::wgsl(),
        Setting::wgsl(),
        Sum::wgsl(),
        Coefficient::wgsl(),
        Output::wgsl(),
        Count::wgsl(),
    ];
    [sizes.concat(), Shape::wgsl(), Round::wgsl(), names.concat()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of a WGSL struct with their offsets in words, and its size in bytes.
    fn fields(name: &str) -> (Vec<(String, usize)>, usize) {
        let module = naga::front::wgsl::parse_str(&wgsl()).unwrap();
        let (_, found) =
            module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name)).unwrap();
        let naga::TypeInner::Struct { members, span } = &found.inner else {
            panic!("{name} is no struct")
        };
        let field = |member: &naga::StructMember| {
            (member.name.clone().unwrap(), member.offset as usize / 4)
        };
        (members.iter().map(field).collect(), *span as usize)
    }

    #[test]
    fn the_shape_has_its_words_where_the_shaders_look_for_them() {
        let shape = Shape {
            blocks: 1,
            dim: 2,
            stride: 3,
            count: 4,
            cost_blocks: 5,
            success_blocks: 6,
            wave_blocks: 7,
            nodes: 8,
            pairs: 9,
            pending: 10,
            before_pending: 11,
        };
        let expected = [
            "blocks",
            "dim",
            "stride",
            "count",
            "cost_blocks",
            "success_blocks",
            "wave_blocks",
            "nodes",
            "pairs",
            "pending",
            "before_pending",
        ];
        let (fields, span) = fields("Shape");
        assert_eq!(fields.len(), expected.len());
        for ((name, at), (expected, word)) in fields.iter().zip(expected.iter().zip(1..)) {
            assert_eq!((name.as_str(), shape.words()[*at]), (*expected, word));
        }
        assert_eq!(span, size_of_val(&shape.words()));
    }

    #[test]
    fn a_round_has_its_words_where_the_shader_looks_for_them() {
        let round = Round { count: 1, keep: 2, first: 3, padding: 0 };
        let (fields, span) = fields("Round");
        for (name, at) in fields {
            let expected = ["padding", "count", "keep", "first"][round.words()[at] as usize];
            assert_eq!(name, expected);
        }
        assert_eq!(span, size_of_val(&round.words()));
    }
}
