//! The `Case` type, an attack and its required outcome, and the `cases!` macro that lists them.

use std::future::Future;
use std::pin::Pin;

use libtest_mimic::Trial;

use crate::fixture::Fixture;
use crate::process;

type Attack = for<'a> fn(&'a mut Fixture) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// An attack, and its required outcome.
pub(crate) struct Case {
    /// The number of the case, as SECURITY.md lists it.
    pub(crate) number: &'static str,
    pub(crate) name: &'static str,
    /// The required outcome, in the words of SECURITY.md.
    pub(crate) outcome: &'static str,
    pub(crate) attack: Attack,
}

impl Case {
    /// The name by which it is run.
    pub(crate) fn test_name(&self) -> String {
        format!("case_{}_{}", self.number, self.name)
    }

    /// The case as a test, which runs it in a process of its own.
    pub(crate) fn trial(self) -> Trial {
        let name = self.test_name();
        Trial::test(name.clone(), move || process::run(&name))
    }
}

/// `number name => outcome`, each the name of an async function over a [`Fixture`].
macro_rules! cases {
    ($($number:literal $name:ident => $outcome:literal;)*) => {
        pub(crate) fn cases() -> Vec<crate::case::Case> {
            vec![$(crate::case::Case {
                number: $number,
                name: stringify!($name),
                outcome: $outcome,
                attack: |fixture| Box::pin($name(fixture)),
            }),*]
        }
    };
}
pub(crate) use cases;
