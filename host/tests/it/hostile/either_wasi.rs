//! Runs tests twice: with a guest for WASI 0.2, and with one for WASI 0.3.

use std::cell::Cell;

thread_local! {
    static IS_WASI_3: Cell<bool> = const { Cell::new(false) };
}

/// Has this test's guests be for WASI 0.3.
pub(crate) fn use_wasi_3() {
    IS_WASI_3.set(true);
}

pub(crate) fn is_wasi_3() -> bool {
    IS_WASI_3.get()
}

/// Runs each of these tests with a guest for WASI 0.2 and with one for WASI 0.3.
macro_rules! with_either_wasi {
    ($($name:ident)*) => {
        mod wasi_2 {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name().await;
            })*
        }

        mod wasi_3 {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                crate::hostile::either_wasi::use_wasi_3();
                super::$name().await;
            })*
        }
    };
}
pub(crate) use with_either_wasi;
