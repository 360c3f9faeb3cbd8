//! Shader functions on the host, by naga's representation, as a driver may compile them.
//!
//! WGSL lets a compiler contract `a * b + c` into one rounding, and drivers regroup sums as well. A
//! software adapter does neither, so that a source that counts on each rounding passes there and
//! fails on hardware. Here each function is evaluated as it is written, contracted, and regrouped.

use std::collections::BTreeMap;

use gittins::backend::Precision;
use gittins::internals::gpu::assemble;
use naga::{
    Arena, BinaryOperator, Block, Expression, Function, Handle, Literal, MathFunction, Module,
    ScalarKind, Statement, UnaryOperator,
};

/// What a compiler does with sums and products.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Compiled {
    /// Each operation is rounded.
    AsWritten,
    /// A product that is added or subtracted is not rounded.
    Contracted,
    /// `(x - n a) - n b` is `x - n (a + b)`, and products are contracted.
    Regrouped,
}

impl Compiled {
    pub const ALL: [Self; 3] = [Self::AsWritten, Self::Contracted, Self::Regrouped];
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Single(f32),
    Double(f64),
    Whole(i32),
    Count(u32),
    Truth(bool),
    Struct(Vec<Value>),
    /// A local variable.
    Place(Handle<naga::LocalVariable>),
}

use Value::{Count, Double, Place, Single, Struct, Truth, Whole};

/// The functions of snippets.
pub struct HostShader {
    module: Module,
    precision: Precision,
}

impl HostShader {
    pub fn new(precision: Precision, imports: &[&str]) -> Self {
        let text: String = imports.iter().map(|path| format!("// #import {path}\n")).collect();
        let module = naga::front::wgsl::parse_str(&assemble(&text, precision).unwrap()).unwrap();
        Self { module, precision }
    }

    /// The number that a function gives to a number; of a struct the sum of its two members.
    pub fn number(&self, function: &str, compiled: Compiled, arguments: &[f64]) -> f64 {
        let named = |(_, known): &(_, &Function)| known.name.as_deref() == Some(function);
        let (_, function) = self.module.functions.iter().find(named).unwrap();
        let real = |&number: &f64| match self.precision {
            Precision::F32 => Single(number as f32),
            Precision::F64 => Double(number),
        };
        let arguments = arguments.iter().map(real).collect();
        let number = |value: &Value| match value {
            Single(number) => f64::from(*number),
            Double(number) => *number,
            other => panic!("{other:?}"),
        };
        match self.call(function, compiled, arguments) {
            Struct(parts) => parts.iter().map(number).sum(),
            other => number(&other),
        }
    }

    fn call(&self, function: &Function, compiled: Compiled, arguments: Vec<Value>) -> Value {
        let mut frame = Frame {
            shader: self,
            function,
            compiled,
            arguments,
            values: BTreeMap::new(),
            locals: BTreeMap::new(),
        };
        match frame.block(&function.body) {
            Flow::Returns(value) => value,
            _ => panic!("no value is returned"),
        }
    }
}

enum Flow {
    GoesOn,
    Breaks,
    Continues,
    Returns(Value),
}

/// A call that is under evaluation.
struct Frame<'a> {
    shader: &'a HostShader,
    function: &'a Function,
    compiled: Compiled,
    arguments: Vec<Value>,
    values: BTreeMap<Handle<Expression>, Value>,
    locals: BTreeMap<Handle<naga::LocalVariable>, Value>,
}

fn literal(literal: &Literal) -> Value {
    match *literal {
        Literal::F32(number) => Single(number),
        Literal::F64(number) => Double(number),
        Literal::I32(number) => Whole(number),
        Literal::U32(number) => Count(number),
        Literal::Bool(truth) => Truth(truth),
        ref other => panic!("{other:?}"),
    }
}

impl Frame<'_> {
    fn block(&mut self, block: &Block) -> Flow {
        for statement in block {
            match statement {
                Statement::Emit(range) => range.clone().for_each(|at| {
                    let value = self.evaluate(at);
                    self.values.insert(at, value);
                }),
                Statement::Block(inner) => match self.block(inner) {
                    Flow::GoesOn => {}
                    flow => return flow,
                },
                Statement::If { condition, accept, reject } => {
                    let branch = if self.truth(*condition) { accept } else { reject };
                    match self.block(branch) {
                        Flow::GoesOn => {}
                        flow => return flow,
                    }
                }
                Statement::Loop { body, continuing, break_if } => loop {
                    match self.block(body) {
                        Flow::GoesOn | Flow::Continues => {}
                        Flow::Breaks => break,
                        flow @ Flow::Returns(_) => return flow,
                    }
                    self.block(continuing);
                    if break_if.is_some_and(|condition| self.truth(condition)) {
                        break;
                    }
                },
                Statement::Break => return Flow::Breaks,
                Statement::Continue => return Flow::Continues,
                Statement::Return { value } => return Flow::Returns(self.value(value.unwrap())),
                Statement::Store { pointer, value } => {
                    let Place(local) = self.value(*pointer) else { panic!() };
                    let value = self.value(*value);
                    self.locals.insert(local, value);
                }
                Statement::Call { function, arguments, result } => {
                    let arguments = arguments.iter().map(|&at| self.value(at)).collect();
                    let function = &self.shader.module.functions[*function];
                    let value = self.shader.call(function, self.compiled, arguments);
                    self.values.insert(result.unwrap(), value);
                }
                other => panic!("{other:?}"),
            }
        }
        Flow::GoesOn
    }

    fn truth(&mut self, at: Handle<Expression>) -> bool {
        match self.value(at) {
            Truth(truth) => truth,
            other => panic!("{other:?}"),
        }
    }

    fn value(&mut self, at: Handle<Expression>) -> Value {
        match self.values.get(&at) {
            Some(value) => value.clone(),
            None => self.evaluate(at),
        }
    }

    fn constant(&self, expressions: &Arena<Expression>, at: Handle<Expression>) -> Value {
        match &expressions[at] {
            Expression::Literal(one) => literal(one),
            Expression::Constant(one) => {
                let module = &self.shader.module;
                self.constant(&module.global_expressions, module.constants[*one].init)
            }
            other => panic!("{other:?}"),
        }
    }

    fn evaluate(&mut self, at: Handle<Expression>) -> Value {
        let expressions = &self.function.expressions;
        match expressions[at] {
            Expression::Literal(_) | Expression::Constant(_) => self.constant(expressions, at),
            Expression::FunctionArgument(index) => self.arguments[index as usize].clone(),
            Expression::LocalVariable(local) => {
                if !self.locals.contains_key(&local)
                    && let Some(init) = self.function.local_variables[local].init
                {
                    let value = self.value(init);
                    self.locals.insert(local, value);
                }
                Place(local)
            }
            Expression::Load { pointer } => {
                let Place(local) = self.value(pointer) else { panic!() };
                self.locals[&local].clone()
            }
            Expression::Compose { ref components, .. } => {
                Struct(components.iter().map(|&at| self.value(at)).collect())
            }
            Expression::AccessIndex { base, index } => match self.value(base) {
                Struct(parts) => parts[index as usize].clone(),
                other => panic!("{other:?}"),
            },
            Expression::Select { condition, accept, reject } => {
                let chosen = if self.truth(condition) { accept } else { reject };
                self.value(chosen)
            }
            Expression::Unary { op, expr } => match (op, self.value(expr)) {
                (UnaryOperator::Negate, Single(x)) => Single(-x),
                (UnaryOperator::Negate, Double(x)) => Double(-x),
                (UnaryOperator::Negate, Whole(x)) => Whole(-x),
                (UnaryOperator::LogicalNot, Truth(x)) => Truth(!x),
                other => panic!("{other:?}"),
            },
            Expression::Binary { op, left, right } => {
                let fused = (self.compiled != Compiled::AsWritten)
                    .then(|| self.fused(op, left, right))
                    .flatten();
                fused.unwrap_or_else(|| binary(op, self.value(left), self.value(right)))
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let arguments = [Some(arg), arg1, arg2].into_iter().flatten();
                let arguments: Vec<Value> = arguments.map(|at| self.value(at)).collect();
                math(fun, &arguments)
            }
            Expression::As { expr, kind, convert } => cast(self.value(expr), kind, convert),
            ref other => panic!("{other:?}"),
        }
    }

    /// The two factors, if an expression is a product.
    fn product(&self, at: Handle<Expression>) -> Option<[Handle<Expression>; 2]> {
        match self.function.expressions[at] {
            Expression::Binary { op: BinaryOperator::Multiply, left, right } => Some([left, right]),
            _ => None,
        }
    }

    /// A sum as a compiler may make it otherwise.
    fn fused(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Option<Value> {
        use BinaryOperator::{Add, Subtract};
        if self.compiled == Compiled::Regrouped
            && op == Subtract
            && let Some([n, b]) = self.product(right)
            && let Expression::Binary { op: Subtract, left: x, right: first } =
                self.function.expressions[left]
            && let Some([same, a]) = self.product(first)
            && n == same
        {
            let both = binary(Add, self.value(a), self.value(b));
            let (n, x) = (self.value(n), self.value(x));
            return Some(fma(negated(n), both, x));
        }
        match (op, self.product(left), self.product(right)) {
            (Add, _, Some([a, b])) => Some(fma(self.value(a), self.value(b), self.value(left))),
            (Add, Some([a, b]), None) => Some(fma(self.value(a), self.value(b), self.value(right))),
            (Subtract, _, Some([a, b])) => {
                Some(fma(negated(self.value(a)), self.value(b), self.value(left)))
            }
            (Subtract, Some([a, b]), None) => {
                Some(fma(self.value(a), self.value(b), negated(self.value(right))))
            }
            _ => None,
        }
    }
}

fn negated(value: Value) -> Value {
    match value {
        Single(x) => Single(-x),
        Double(x) => Double(-x),
        Whole(x) => Whole(-x),
        other => panic!("{other:?}"),
    }
}

/// `a b + c` with one rounding.
fn fma(a: Value, b: Value, c: Value) -> Value {
    match (a, b, c) {
        (Single(a), Single(b), Single(c)) => Single(a.mul_add(b, c)),
        (Double(a), Double(b), Double(c)) => Double(a.mul_add(b, c)),
        (Whole(a), Whole(b), Whole(c)) => Whole(a * b + c),
        other => panic!("{other:?}"),
    }
}

fn binary(op: BinaryOperator, left: Value, right: Value) -> Value {
    use BinaryOperator as Op;
    macro_rules! numbers {
        ($of:ident, $a:expr, $b:expr) => {
            match op {
                Op::Add => $of($a + $b),
                Op::Subtract => $of($a - $b),
                Op::Multiply => $of($a * $b),
                Op::Divide => $of($a / $b),
                Op::Equal => Truth($a == $b),
                Op::NotEqual => Truth($a != $b),
                Op::Less => Truth($a < $b),
                Op::LessEqual => Truth($a <= $b),
                Op::Greater => Truth($a > $b),
                Op::GreaterEqual => Truth($a >= $b),
                other => panic!("{other:?}"),
            }
        };
    }
    match (op, left, right) {
        (Op::ShiftLeft, Whole(a), Count(b)) => Whole(a << b),
        (Op::ShiftRight, Whole(a), Count(b)) => Whole(a >> b),
        (Op::And, Whole(a), Whole(b)) => Whole(a & b),
        (Op::And, Count(a), Count(b)) => Count(a & b),
        (Op::LogicalAnd | Op::And, Truth(a), Truth(b)) => Truth(a && b),
        (Op::LogicalOr | Op::InclusiveOr, Truth(a), Truth(b)) => Truth(a || b),
        (_, Single(a), Single(b)) => numbers!(Single, a, b),
        (_, Double(a), Double(b)) => numbers!(Double, a, b),
        (_, Whole(a), Whole(b)) => numbers!(Whole, a, b),
        (_, Count(a), Count(b)) => numbers!(Count, a, b),
        other => panic!("{other:?}"),
    }
}

fn math(fun: MathFunction, arguments: &[Value]) -> Value {
    macro_rules! reals {
        ($of:ident) => {{
            let x = |k: usize| match arguments[k] {
                $of(x) => x,
                ref other => panic!("{other:?}"),
            };
            $of(match fun {
                MathFunction::Abs => x(0).abs(),
                MathFunction::Floor => x(0).floor(),
                MathFunction::Sqrt => x(0).sqrt(),
                MathFunction::Min => x(0).min(x(1)),
                MathFunction::Max => x(0).max(x(1)),
                MathFunction::Clamp => x(0).max(x(1)).min(x(2)),
                MathFunction::Fma => x(0).mul_add(x(1), x(2)),
                other => panic!("{other:?}"),
            })
        }};
    }
    match arguments[0] {
        Single(_) => reals!(Single),
        Double(_) => reals!(Double),
        ref other => panic!("{fun:?} of {other:?}"),
    }
}

fn cast(value: Value, kind: ScalarKind, convert: Option<u8>) -> Value {
    match (convert, kind, value) {
        (None, ScalarKind::Float, Whole(x)) => Single(f32::from_bits(x as u32)),
        (None, ScalarKind::Float, Count(x)) => Single(f32::from_bits(x)),
        (None, ScalarKind::Sint, Single(x)) => Whole(x.to_bits() as i32),
        (None, ScalarKind::Uint, Single(x)) => Count(x.to_bits()),
        (Some(8), ScalarKind::Float, Single(x)) => Double(f64::from(x)),
        (Some(8), ScalarKind::Float, Whole(x)) => Double(f64::from(x)),
        (Some(4), ScalarKind::Float, Double(x)) => Single(x as f32),
        (Some(4), ScalarKind::Float, Whole(x)) => Single(x as f32),
        (Some(_), ScalarKind::Float, same @ (Single(_) | Double(_))) => same,
        (Some(4), ScalarKind::Sint, Single(x)) => Whole(x as i32),
        (Some(4), ScalarKind::Sint, Double(x)) => Whole(x as i32),
        other => panic!("{other:?}"),
    }
}
