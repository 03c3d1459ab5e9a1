//! Masks secrets in component values, on their way from one tool to another.

use wasmtime::component::Val;

use crate::secret::Secrets;

impl Secrets {
    /// `value` without the secrets, in whatever text or bytes of it they are.
    pub(crate) fn mask_component_value(&self, value: Val) -> Val {
        match &self.0 {
            Some(_) => self.mask_parts(value),
            None => value,
        }
    }

    fn mask_parts(&self, value: Val) -> Val {
        let all = |items: Vec<Val>| items.into_iter().map(|it| self.mask_parts(it)).collect();
        let boxed = |it: Option<Box<Val>>| it.map(|it| Box::new(self.mask_parts(*it)));
        match value {
            Val::String(text) => Val::String(self.mask(text)),
            Val::List(items) => match bytes(&items) {
                Some(bytes) => Val::List(self.mask_bytes(bytes).into_iter().map(Val::U8).collect()),
                None => Val::List(all(items)),
            },
            Val::FixedLengthList(items) => Val::FixedLengthList(all(items)),
            Val::Tuple(items) => Val::Tuple(all(items)),
            Val::Record(fields) => {
                let fields = fields.into_iter();
                Val::Record(
                    fields
                        .map(|(name, it)| (name, self.mask_parts(it)))
                        .collect(),
                )
            }
            Val::Map(pairs) => {
                let pairs = pairs.into_iter();
                let masked = pairs.map(|(key, it)| (self.mask_parts(key), self.mask_parts(it)));
                Val::Map(masked.collect())
            }
            Val::Variant(case, it) => Val::Variant(case, boxed(it)),
            Val::Option(it) => Val::Option(boxed(it)),
            Val::Result(Ok(it)) => Val::Result(Ok(boxed(it))),
            Val::Result(Err(it)) => Val::Result(Err(boxed(it))),
            other => other,
        }
    }
}

/// The bytes of a list of bytes.
fn bytes(items: &[Val]) -> Option<Vec<u8>> {
    let bytes = items.iter().map(|item| match item {
        Val::U8(byte) => Some(*byte),
        _ => None,
    });
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn secrets_in_values_are_masked() {
        let secret = "sk-canary77aa01secretx";
        let secrets = Secrets::new([Secret::new(secret.to_owned())]);
        let text = || Val::String(format!("key {secret}"));
        let masked = || Val::String("key ***".to_owned());
        let field = |it| Val::Record(vec![("a".to_owned(), it)]);
        let bytes = |text: &str| Val::List(text.bytes().map(Val::U8).collect());
        for (value, expect) in [
            (text(), masked()),
            (field(text()), field(masked())),
            (
                Val::Option(Some(text().into())),
                Val::Option(Some(masked().into())),
            ),
            (
                Val::Result(Err(Some(text().into()))),
                Val::Result(Err(Some(masked().into()))),
            ),
            (Val::List(vec![text()]), Val::List(vec![masked()])),
            (bytes(&format!("key {secret}")), bytes("key ***")),
            (Val::U32(1), Val::U32(1)),
        ] {
            assert_eq!(secrets.mask_component_value(value), expect);
        }
    }
}
