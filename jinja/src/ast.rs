//! What a template is made of once it is read. Names are resolved, and chains of operators are
//! lists, so that their length costs no stack.

use crate::filters::Filter;
use crate::methods::Method;
use crate::scope::Reference;
use crate::tests::Test;

/// Statements that follow each other.
pub(crate) type Block = Vec<Placed>;

/// A statement and the line it begins in.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) line: u32,
    pub(crate) statement: Statement,
}

#[derive(Debug)]
pub(crate) enum Statement {
    Text(Box<str>),
    Print(Expression),
    If(If),
    For(Box<For>),
    Break,
    Continue,
    Set(Target, Expression),
    /// What the block prints becomes a value.
    SetBlock {
        target: Target,
        filters: Vec<Step>,
        body: Scope,
    },
    /// A macro and the variable that it is.
    Macro(Reference, Box<Macro>),
    /// A path that ends with a call, and what is called `caller` there.
    Call {
        call: Box<Path>,
        caller: Box<Macro>,
    },
    Filter {
        filters: Vec<Step>,
        body: Scope,
    },
    With {
        values: Vec<(Target, Expression)>,
        body: Scope,
    },
    /// A block of variables of its own: `block` and `generation`.
    Block(Scope),
}

#[derive(Debug)]
pub(crate) struct If {
    pub(crate) branches: Vec<(Expression, Block)>,
    pub(crate) otherwise: Block,
}

/// Statements with variables of their own, by their number in [`crate::scope::Scopes`].
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) id: usize,
    pub(crate) body: Block,
}

#[derive(Debug)]
pub(crate) struct For {
    pub(crate) target: Target,
    pub(crate) items: Expression,
    pub(crate) test: Option<LoopTest>,
    /// The variable `loop`.
    pub(crate) state: Reference,
    pub(crate) body: Scope,
    pub(crate) otherwise: Option<Scope>,
    pub(crate) is_recursive: bool,
}

/// Which items a loop goes through. The test has variables of its own: a loop may look ahead.
#[derive(Debug)]
pub(crate) struct LoopTest {
    pub(crate) scope: usize,
    pub(crate) target: Target,
    pub(crate) condition: Expression,
}

#[derive(Debug)]
pub(crate) struct Macro {
    /// Absent in the block of a call.
    pub(crate) name: Option<Box<str>>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) caller: Reference,
    pub(crate) varargs: Reference,
    pub(crate) kwargs: Reference,
    pub(crate) body: Scope,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) variable: Reference,
    pub(crate) default: Option<Expression>,
}

/// What is assigned to.
#[derive(Debug)]
pub(crate) enum Target {
    Name(Reference),
    Member(Reference, Box<str>),
    Several(Vec<Target>),
}

const _: () = assert!(size_of::<Expression>() == 32);

#[derive(Debug)]
pub(crate) enum Expression {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Box<str>),
    Name(Reference),
    List(Vec<Expression>),
    Tuple(Vec<Expression>),
    Dict(Vec<(Expression, Expression)>),
    /// Operators of one precedence from the left.
    Arithmetic(Box<Chain<Operator>>),
    /// Values put together as texts.
    Concat(Vec<Expression>),
    Signed(Box<(Vec<Sign>, Expression)>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Not(Box<Expression>),
    Compare(Box<Chain<Comparison>>),
    Choice(Box<Choice>),
    Path(Box<Path>),
}

/// Operands with operators between them.
#[derive(Debug)]
pub(crate) struct Chain<O> {
    pub(crate) first: Expression,
    pub(crate) others: Vec<(O, Expression)>,
}

/// `value if condition else …`, as often as it goes on.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Each with its condition.
    pub(crate) branches: Vec<(Expression, Expression)>,
    pub(crate) otherwise: Option<Expression>,
    pub(crate) line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}

/// A value and what is done with it, one step after the other.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) base: Expression,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug)]
pub(crate) enum Step {
    /// `.name`, which is a method first.
    Attribute(Box<str>, Option<&'static Method>),
    /// `[item]`.
    Item(Expression),
    Slice(Box<[Option<Expression>; 3]>),
    Call(Arguments),
    /// `.name(…)`.
    Method(&'static Method, Arguments),
    Filter(&'static Filter, Arguments),
    Test {
        test: &'static Test,
        arguments: Arguments,
        is_negated: bool,
    },
    /// A filter or a test that nobody knows, where it may never be reached.
    Unknown(Box<str>),
}

#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) positional: Vec<Expression>,
    pub(crate) keywords: Vec<(Box<str>, Expression)>,
    /// `*list`.
    pub(crate) list: Option<Expression>,
    /// `**dict`.
    pub(crate) dict: Option<Expression>,
}

impl Arguments {
    pub(crate) fn is_empty(&self) -> bool {
        self.positional.is_empty()
            && self.keywords.is_empty()
            && self.list.is_none()
            && self.dict.is_none()
    }
}
