//! Limits on the memory, time and bytes of one call, and what authors and callers lower them to.

use serde::{Deserialize, Serialize};

/// The limits that an author asks for in the manifest. The user's own caps win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitRequest {
    /// Memory of one call, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,
    /// Wall time of one call, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_seconds: Option<u32>,
}

impl LimitRequest {
    /// True if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Lower limits that a caller asks for, by the names of [`Limits`]. What is absent stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "each field is one of `Limits`, which says what it is"
)]
pub struct CallLimits {
    pub call_ms: Option<u64>,
    pub cpu_ms: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub input_bytes: Option<u64>,
    pub outcome_bytes: Option<u64>,
    pub output_stream_bytes: Option<u64>,
    pub storage_bytes: Option<u64>,
    pub http_in_flight: Option<u32>,
    pub http_response_bytes: Option<u64>,
    pub questions: Option<u32>,
}

impl CallLimits {
    /// The lower of the two for each limit.
    #[must_use]
    pub fn lowered_by(self, other: &Self) -> Self {
        let mut limits = self;
        lower(&mut limits.call_ms, other.call_ms);
        lower(&mut limits.cpu_ms, other.cpu_ms);
        lower(&mut limits.memory_bytes, other.memory_bytes);
        lower(&mut limits.input_bytes, other.input_bytes);
        lower(&mut limits.outcome_bytes, other.outcome_bytes);
        lower(&mut limits.output_stream_bytes, other.output_stream_bytes);
        lower(&mut limits.storage_bytes, other.storage_bytes);
        lower(&mut limits.http_in_flight, other.http_in_flight);
        lower(&mut limits.http_response_bytes, other.http_response_bytes);
        lower(&mut limits.questions, other.questions);
        limits
    }
}

/// Lowers a limit to `to`, where that is given and lower.
fn lower<T: Ord + Copy>(limit: &mut Option<T>, to: Option<T>) {
    *limit = match (*limit, to) {
        (Some(limit), Some(to)) => Some(limit.min(to)),
        (limit, to) => limit.or(to),
    };
}

/// The most of the machine that one call may use. One value holds every limit, so that a
/// refusal can name the limit and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Wall time of one call, waiting for answers included. A call waits as long for its
    /// turn before that.
    pub call_ms: u64,
    /// Time that the guest's own code may run in one call.
    pub cpu_ms: u64,
    /// All linear memories and tables of one call together.
    pub memory_bytes: u64,
    /// The elements of all tables of one call together.
    pub table_elements: u32,
    /// The core module instances in one component. An instance itself costs little: its memories
    /// and tables have their own limits. A Python runtime has 38 instances, and two or three
    /// memories.
    pub instances: u32,
    /// The linear memories in one component.
    pub memories: u32,
    /// The tables in one component.
    pub tables: u32,
    /// The JSON text of the arguments.
    pub input_bytes: u64,
    /// The JSON text of the outcome.
    pub outcome_bytes: u64,
    /// The most bytes that the guest may write to each of standard output, standard error and its
    /// log.
    pub output_stream_bytes: u64,
    /// The keys and values that a tool may keep in its storage, with
    /// 64 bytes more for each of them.
    pub storage_bytes: u64,
    /// The most bytes that the guest may ask from the random source in one request.
    pub random_bytes: u64,
    /// The headers of one HTTP request, as the host holds them.
    pub http_header_bytes: u64,
    /// HTTP requests under way at once.
    pub http_in_flight: u32,
    /// The body of one HTTP response.
    pub http_response_bytes: u64,
    /// Time to connect to an HTTP server.
    pub http_connect_ms: u64,
    /// Time from the request to the first byte of the answer.
    pub http_first_byte_ms: u64,
    /// Handles that the guest may hold at once.
    pub handles: u32,
    /// Questions to the person in one call; the time in which they are answered does not
    /// count as wall time.
    pub questions: u32,
    /// The most bytes that the guest may hand to the host in one go, a result or the arguments of
    /// one host call, counted as the host holds it: a string by its bytes, an element of a list by
    /// 40 bytes.
    pub transfer_bytes: u64,
}

impl Limits {
    /// The limits of a call where neither the author nor the user sets any.
    pub const fn standard() -> Self {
        Self {
            call_ms: 30_000,
            cpu_ms: 10_000,
            memory_bytes: 256 << 20,
            table_elements: 20_000,
            instances: 64,
            memories: 4,
            tables: 16,
            input_bytes: 16 << 20,
            outcome_bytes: 16 << 20,
            output_stream_bytes: 1 << 20,
            storage_bytes: 16 << 20,
            random_bytes: 1 << 20,
            http_header_bytes: 128 << 10,
            http_in_flight: 16,
            http_response_bytes: 16 << 20,
            http_connect_ms: 5_000,
            http_first_byte_ms: 15_000,
            handles: 10_000,
            questions: 16,
            transfer_bytes: 120 << 20,
        }
    }

    /// These limits, lowered to what the author asks for. An author cannot raise a limit:
    /// whoever runs the tool gives `self`.
    pub fn lowered_to(mut self, request: &LimitRequest) -> Self {
        if let Some(mib) = request.memory_mib {
            self.memory_bytes = self.memory_bytes.min(u64::from(mib) << 20);
        }
        if let Some(seconds) = request.call_seconds {
            self.call_ms = self.call_ms.min(u64::from(seconds) * 1_000);
            self.cpu_ms = self.cpu_ms.min(self.call_ms);
        }
        self
    }

    /// These limits, lowered to what a caller asks for. A caller cannot raise a limit.
    #[must_use]
    pub fn lowered_by(self, asked: &CallLimits) -> Self {
        let lowered = CallLimits::from(self).lowered_by(asked);
        Self {
            call_ms: lowered.call_ms.unwrap_or(self.call_ms),
            cpu_ms: lowered.cpu_ms.unwrap_or(self.cpu_ms),
            memory_bytes: lowered.memory_bytes.unwrap_or(self.memory_bytes),
            input_bytes: lowered.input_bytes.unwrap_or(self.input_bytes),
            outcome_bytes: lowered.outcome_bytes.unwrap_or(self.outcome_bytes),
            output_stream_bytes: lowered
                .output_stream_bytes
                .unwrap_or(self.output_stream_bytes),
            storage_bytes: lowered.storage_bytes.unwrap_or(self.storage_bytes),
            http_in_flight: lowered.http_in_flight.unwrap_or(self.http_in_flight),
            http_response_bytes: lowered
                .http_response_bytes
                .unwrap_or(self.http_response_bytes),
            questions: lowered.questions.unwrap_or(self.questions),
            ..self
        }
    }
}

/// All that a caller may lower.
impl From<Limits> for CallLimits {
    fn from(limits: Limits) -> Self {
        Self {
            call_ms: Some(limits.call_ms),
            cpu_ms: Some(limits.cpu_ms),
            memory_bytes: Some(limits.memory_bytes),
            input_bytes: Some(limits.input_bytes),
            outcome_bytes: Some(limits.outcome_bytes),
            output_stream_bytes: Some(limits.output_stream_bytes),
            storage_bytes: Some(limits.storage_bytes),
            http_in_flight: Some(limits.http_in_flight),
            http_response_bytes: Some(limits.http_response_bytes),
            questions: Some(limits.questions),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_lowers_and_never_raises() {
        let asked = LimitRequest {
            memory_mib: Some(64),
            call_seconds: Some(3_600),
        };
        let limits = Limits::standard().lowered_to(&asked);
        assert_eq!(limits.memory_bytes, 64 << 20);
        assert_eq!(limits.call_ms, Limits::standard().call_ms);
        let short = LimitRequest {
            memory_mib: None,
            call_seconds: Some(2),
        };
        let limits = Limits::standard().lowered_to(&short);
        assert_eq!((limits.call_ms, limits.cpu_ms), (2_000, 2_000));
    }

    #[test]
    fn a_caller_lowers_and_never_raises() {
        let asked = CallLimits {
            cpu_ms: Some(100),
            memory_bytes: Some(u64::MAX),
            questions: Some(0),
            ..CallLimits::default()
        };
        let limits = Limits::standard().lowered_by(&asked);
        let expected = Limits {
            cpu_ms: 100,
            questions: 0,
            ..Limits::standard()
        };
        assert_eq!(limits, expected);
        let again = asked.lowered_by(&CallLimits {
            cpu_ms: Some(200),
            call_ms: Some(500),
            ..CallLimits::default()
        });
        assert_eq!((again.cpu_ms, again.call_ms), (Some(100), Some(500)));
    }
}
