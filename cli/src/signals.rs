//! How a long-running command is told to stop.

/// Waits for Ctrl-C or, as service managers send it, SIGTERM.
pub(crate) async fn stop_requested() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    // Without a handler the process ends at the first signal, as it would without us.
    let _ = interrupted.await;
}
