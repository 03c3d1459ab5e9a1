//! A macro that reads structs from database rows by the names of their fields.

/// Reads each field from the column of its name, or of the one after `=`; the fields after `;` are
/// structs that are read from the same row.
///
/// sqlx's own macros do the same, but to run inside the compiler they need sqlx, both databases, a
/// runtime and TLS to be built a second time.
macro_rules! from_row {
    (@column $field:ident) => {
        stringify!($field)
    };
    (@column $field:ident $column:literal) => {
        $column
    };
    ($row:ident { $($field:ident $(= $column:literal)?),* $(; $($inner:ident),+)? }) => {
        impl sqlx::FromRow<'_, sqlx::any::AnyRow> for $row {
            fn from_row(row: &sqlx::any::AnyRow) -> Result<Self, sqlx::Error> {
                Ok(Self {
                    $($field: sqlx::Row::try_get(row, from_row!(@column $field $($column)?))?,)*
                    $($($inner: sqlx::FromRow::from_row(row)?,)+)?
                })
            }
        }
    };
}

pub(super) use from_row;
