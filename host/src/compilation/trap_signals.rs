//! Keeps the engine's signal handlers in force where other parts of the program set their own.
//!
//! On Linux a guest traps by SIGILL, SIGFPE or SIGSEGV, which the engine's handlers make a failure
//! of the call. The other parts know nothing of guests: with Python's `faulthandler` enabled after
//! the engine was built, any tool that traps would end the process. So at the beginning of each
//! call and at each tick of the clock a handler that is not the engine's is put behind `forward`,
//! which leaves guests' signals to the engine and hands on all others. Who sets a handler while a
//! guest runs can still take the trap of that guest, until the next tick.

/// Who sets handlers for the signals by which guests trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignalHandlers {
    /// In this process the engine alone, or others before the host is made.
    Engine,
    /// Others as well, at any time. On Linux the host then looks after the engine's handlers, which
    /// costs a call three system calls; elsewhere it does nothing.
    Shared,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{keep, note, turn};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{keep, note, turn};

/// The systems whose engine takes traps in another way, or whose handlers are in a list.
#[cfg(not(target_os = "linux"))]
mod other {
    pub(crate) fn note() {}

    pub(crate) fn keep() {}

    pub(crate) fn turn<R>(run: impl FnOnce() -> R) -> R {
        run()
    }
}

#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "handlers of signals are set and called by pointers, and nothing safe hands a fault on"
)]
mod linux {
    use std::cell::Cell;
    use std::mem::{transmute, zeroed};
    use std::ptr::{null, null_mut};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};

    use libc::{c_int, c_void, sigaction, siginfo_t};

    /// The signals that the engine takes.
    const SIGNALS: &[c_int] = match cfg!(target_arch = "x86_64") {
        true => &[libc::SIGILL, libc::SIGSEGV, libc::SIGFPE],
        false => &[libc::SIGILL, libc::SIGSEGV],
    };

    /// The engine's handlers, in the order of [`SIGNALS`].
    static ENGINE: OnceLock<Vec<sigaction>> = OnceLock::new();
    /// The handlers that stood in their places when they were last looked at. What was once put
    /// here is never freed, because a signal may come at any time.
    static DISPLACED: [AtomicPtr<sigaction>; 3] = [const { AtomicPtr::new(null_mut()) }; 3];

    thread_local! {
        /// True while this thread gives a guest a turn.
        static IN_TURN: Cell<bool> = const { Cell::new(false) };
        /// True while a displaced handler runs. Where it ends with the same signal, it must not be
        /// called again.
        static IN_DISPLACED: Cell<bool> = const { Cell::new(false) };
    }

    /// Takes note of the engine's handlers, once an engine is built.
    pub(crate) fn note() {
        ENGINE.get_or_init(|| SIGNALS.iter().map(|signal| present(*signal)).collect());
    }

    /// Looks after the engine's handlers.
    pub(crate) fn keep() {
        let engine = ENGINE.get().into_iter().flatten();
        for ((signal, engine), displaced) in SIGNALS.iter().zip(engine).zip(&DISPLACED) {
            let found = present(*signal);
            let is_in_force = found.sa_sigaction == engine.sa_sigaction;
            if !is_in_force && found.sa_sigaction != forward_address() {
                put_behind(found, displaced);
                set(
                    *signal,
                    &sigaction {
                        sa_sigaction: forward_address(),
                        ..*engine
                    },
                );
            }
        }
    }

    /// Gives a guest a turn on this thread.
    pub(crate) fn turn<R>(run: impl FnOnce() -> R) -> R {
        let before = IN_TURN.replace(true);
        let done = run();
        IN_TURN.set(before);
        done
    }

    fn put_behind(found: sigaction, displaced: &AtomicPtr<sigaction>) {
        // SAFETY: what is there was leaked below.
        let last = unsafe { displaced.load(SeqCst).as_ref() };
        let is_known = last.is_some_and(|last| {
            (last.sa_sigaction, last.sa_flags) == (found.sa_sigaction, found.sa_flags)
        });
        if !is_known {
            displaced.store(Box::leak(Box::new(found)), SeqCst);
        }
    }

    fn forward_address() -> usize {
        forward as *const () as usize
    }

    /// The handler of `signal`.
    fn present(signal: c_int) -> sigaction {
        // SAFETY: the structure is plain data, which the call fills in.
        unsafe {
            let mut found = zeroed();
            sigaction(signal, null(), &mut found);
            found
        }
    }

    fn set(signal: c_int, action: &sigaction) {
        // SAFETY: the handler is a function of this form that never goes away.
        unsafe { sigaction(signal, action, null_mut()) };
    }

    /// The handler in force where another one was set after the engine's: a guest's signal is for
    /// the engine, every other one for whoever set that handler. A signal may interrupt anything,
    /// so this takes no lock and allocates nothing.
    extern "C" fn forward(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let slot = SIGNALS.iter().position(|it| *it == signal).unwrap_or(0);
        let is_again = IN_DISPLACED.get();
        // SAFETY: what is there was leaked.
        let displaced = unsafe { DISPLACED[slot].load(SeqCst).as_ref() };
        match displaced {
            Some(displaced) if !IN_TURN.get() && !is_again => {
                IN_DISPLACED.set(true);
                deliver(displaced, signal, info, context);
                IN_DISPLACED.set(false);
            }
            // The engine's handler passes signals that are not a guest's to the handler installed
            // before it.
            _ => {
                if let Some(engine) = ENGINE.get().and_then(|engine| engine.get(slot)) {
                    deliver(engine, signal, info, context);
                }
            }
        }
    }

    fn deliver(action: &sigaction, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        if [libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction) {
            // Whoever faulted faults once more, and then the system does what it was told.
            set(signal, action);
            // SAFETY: it takes a number. A signal that was sent is sent again; one that is ignored
            // is not missed.
            unsafe { libc::raise(signal) };
            return;
        }
        // SAFETY: whoever set the handler said by this flag which of the two forms it has.
        unsafe {
            if action.sa_flags & libc::SA_SIGINFO == 0 {
                let handler: extern "C" fn(c_int) = transmute(action.sa_sigaction);
                handler(signal);
            } else {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    transmute(action.sa_sigaction);
                handler(signal, info, context);
            }
        }
    }
}
