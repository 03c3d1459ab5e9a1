//! The `Item`s that streams and futures may hold: Rust types, for which the engine has code.

use wasmtime::component::{ComponentType, Lift, Lower, Val};

/// A type of values that streams and futures may hold.
pub(crate) trait Item: ComponentType + Lift + Lower + Unpin + Send + Sync + 'static {
    /// The item of `value`, if that has the item's type.
    fn of(value: &Val) -> Option<Self>;

    fn into_val(self) -> Val;

    /// The bytes that it takes beside its `Val`.
    fn bytes(&self) -> usize {
        0
    }
}

macro_rules! plain {
    ($($ty:ty: $val:ident)*) => {$(
        impl Item for $ty {
            fn of(value: &Val) -> Option<Self> {
                match value {
                    Val::$val(value) => Some(value.clone()),
                    _ => None,
                }
            }

            fn into_val(self) -> Val {
                Val::$val(self)
            }
        }
    )*};
}

plain! {
    bool: Bool
    i8: S8
    u8: U8
    i16: S16
    u16: U16
    i32: S32
    u32: U32
    i64: S64
    u64: U64
    f32: Float32
    f64: Float64
    char: Char
}

impl Item for String {
    fn of(value: &Val) -> Option<Self> {
        match value {
            Val::String(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn into_val(self) -> Val {
        Val::String(self)
    }

    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Item for Vec<u8> {
    fn of(value: &Val) -> Option<Self> {
        match value {
            Val::List(bytes) => bytes.iter().map(u8::of).collect(),
            _ => None,
        }
    }

    fn into_val(self) -> Val {
        Val::List(self.into_iter().map(Val::U8).collect())
    }

    fn bytes(&self) -> usize {
        self.len().saturating_mul(size_of::<Val>())
    }
}

/// Has `$item` be the Rust type of `$ty`, an optional type of the engine, in `$body`.
macro_rules! with_item {
    ($ty:expr, $item:ident => $body:expr, else $other:expr) => {{
        use wasmtime::component::Type as EngineType;
        match $ty {
            Some(EngineType::Bool) => with_item!(@ bool, $item, $body),
            Some(EngineType::S8) => with_item!(@ i8, $item, $body),
            Some(EngineType::U8) => with_item!(@ u8, $item, $body),
            Some(EngineType::S16) => with_item!(@ i16, $item, $body),
            Some(EngineType::U16) => with_item!(@ u16, $item, $body),
            Some(EngineType::S32) => with_item!(@ i32, $item, $body),
            Some(EngineType::U32) => with_item!(@ u32, $item, $body),
            Some(EngineType::S64) => with_item!(@ i64, $item, $body),
            Some(EngineType::U64) => with_item!(@ u64, $item, $body),
            Some(EngineType::Float32) => with_item!(@ f32, $item, $body),
            Some(EngineType::Float64) => with_item!(@ f64, $item, $body),
            Some(EngineType::Char) => with_item!(@ char, $item, $body),
            Some(EngineType::String) => with_item!(@ String, $item, $body),
            Some(EngineType::List(list)) if list.ty() == EngineType::U8 => {
                with_item!(@ Vec<u8>, $item, $body)
            }
            _ => $other,
        }
    }};
    (@ $ty:ty, $item:ident, $body:expr) => {{
        type $item = $ty;
        $body
    }};
}

pub(crate) use with_item;
