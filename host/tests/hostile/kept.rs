//! Saves attacking components and their outcomes to a directory, for tests in other languages.
//!
//! `TOOL_HUB_HOSTILE_KEPT` names the directory. Components are kept there as packages. Beside each
//! package is `calls.jsonl`: a line for each call that was made here, with its arguments and what
//! it came to. A component that is called in another way has no line, one that is refused has one
//! without arguments.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::json;
use tool_hub_host::Outcome;
use tool_hub_manifest::{Digest, LimitRequest, Limits, Pin, Verified, package_file};

use crate::process;

/// The directory that components are kept in.
const PLACE: &str = "TOOL_HUB_HOSTILE_KEPT";
/// The outcome of a call that ran with higher limits than a user's: it says nothing about those.
const ANYTHING: &str = "anything";

/// The components of one case.
pub(crate) struct Kept {
    case: PathBuf,
    /// The limits of the host that the case has now.
    pub(crate) limits: Limits,
    places: Mutex<Vec<(Digest, PathBuf)>>,
}

impl Kept {
    /// A place for the components of this process's case, if somebody wants them.
    pub(crate) fn wanted() -> Option<Self> {
        let place = PathBuf::from(std::env::var_os(PLACE)?);
        Some(Self {
            case: place.join(process::chosen()?),
            limits: Limits::standard(),
            places: Mutex::default(),
        })
    }

    /// Keeps a component. What the case limits in its host is a limit of the manifest here.
    pub(crate) fn component(&self, verified: &Verified) {
        let mut places = self.places.lock().unwrap();
        let place = self.case.join(places.len().to_string());
        let mut manifest = verified.manifest().clone();
        manifest.limits = self.limit_request();
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(package_file::MANIFEST), manifest.to_toml()).unwrap();
        fs::write(place.join(package_file::COMPONENT), verified.component()).unwrap();
        places.push((verified.pin().digest(), place));
    }

    /// Notes what a call came to.
    pub(crate) fn call(&self, pin: &Pin, arguments: &str, outcome: &Outcome) {
        let ends = match outcome {
            _ if self.limits.cpu_ms > Limits::standard().cpu_ms => ANYTHING,
            Outcome::Reply(_) => "reply",
            Outcome::Failure(failure) => failure.kind.as_str(),
        };
        self.line(pin, &json!({ "arguments": arguments, "ends": ends }));
    }

    /// Notes that the host does not load a component.
    pub(crate) fn refusal(&self, pin: &Pin) {
        self.line(pin, &json!({ "ends": "refused" }));
    }

    fn line(&self, pin: &Pin, line: &serde_json::Value) {
        let places = self.places.lock().unwrap();
        let found = places.iter().rev().find(|(kept, _)| *kept == pin.digest());
        // Tools with grants are not kept: what they are granted is gone with the case.
        let Some((_, place)) = found else { return };
        let mut options = fs::OpenOptions::new();
        let file = options.create(true).append(true);
        let mut file = file.open(place.join("calls.jsonl")).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    fn limit_request(&self) -> LimitRequest {
        let standard = Limits::standard();
        let is_short = self.limits.call_ms.min(self.limits.cpu_ms * 3) < standard.call_ms;
        let memory_mib = u32::try_from(self.limits.memory_bytes >> 20).unwrap();
        LimitRequest {
            call_seconds: is_short.then_some(1),
            memory_mib: (self.limits.memory_bytes < standard.memory_bytes).then_some(memory_mib),
        }
    }
}
