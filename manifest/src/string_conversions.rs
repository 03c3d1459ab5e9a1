//! A macro for the conversions between a type and `String` that serde uses.

/// Implements `TryFrom<String>` by `FromStr`, whose error is `$error`, and `From` into `String` by
/// `Display`.
macro_rules! string_conversions {
    ($type:ident, $error:ident) => {
        impl TryFrom<String> for $type {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    };
}
pub(crate) use string_conversions;
