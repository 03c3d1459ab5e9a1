//! Waits for Ctrl-C or SIGTERM, which tell a command to stop, and replaces errors that follow them.

use std::sync::OnceLock;

use tokio::sync::watch;

use crate::terminal::problem::Problem;

/// True once somebody asked to stop. The first use installs the handlers.
static STOP: OnceLock<watch::Receiver<bool>> = OnceLock::new();

/// Waits for Ctrl-C or, as service managers send it, SIGTERM; returns at once when one came
/// since somebody first waited. From then on a signal by itself no longer ends the process.
pub(crate) async fn stop_requested() {
    let mut stop = listen();
    if stop.wait_for(|asked| *asked).await.is_err() {
        // Without a handler the process ends at the first signal, as it would without us.
        std::future::pending::<()>().await;
    }
}

/// Begins to listen, unless that was done, so that no later signal is missed.
pub(crate) fn listen() -> watch::Receiver<bool> {
    STOP.get_or_init(|| {
        let (told, asked) = watch::channel(false);
        if let Ok(signalled) = handlers() {
            tokio::spawn(async move {
                signalled.await;
                let _ = told.send(true);
            });
        }
        asked
    })
    .clone()
}

/// Returns `error`, or in its place the error for the interruption if the user asked to stop.
pub(crate) fn or_interrupted(error: anyhow::Error) -> anyhow::Error {
    if STOP.get().is_some_and(|asked| *asked.borrow()) {
        return Problem::interrupted().into();
    }
    error
}

/// The handlers are there when this returns, not when the future is first polled.
#[cfg(unix)]
fn handlers() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn handlers() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
