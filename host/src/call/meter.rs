//! The `Meter` of a call: counts all its memories and tables together, and refuses too much growth.
//! The engine's own limiter counts each memory for itself, so a component with many would have many
//! times the limit.

use tool_hub_manifest::Limits;
use wasmtime::ResourceLimiter;

/// The bytes of one table element.
const TABLE_ELEMENT_BYTES: usize = size_of::<usize>();

/// Counts memory and tables, and remembers a refusal.
#[derive(Debug)]
pub(crate) struct Meter {
    bytes: Budget,
    elements: Budget,
    /// The limit that growth was refused for, the latest where there are several.
    pub(crate) refused: Option<RefusedGrowth>,
}

/// The budget that was exhausted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusedGrowth {
    Memory,
    TableElements,
}

#[derive(Debug)]
struct Budget {
    max: usize,
    used: usize,
    /// The amount that the latest growth added, in case the engine cannot carry it out.
    latest: usize,
}

impl Budget {
    fn new(max: u64) -> Self {
        Self {
            max: usize::try_from(max).unwrap_or(usize::MAX),
            used: 0,
            latest: 0,
        }
    }

    fn take(&mut self, amount: usize) -> bool {
        self.latest = 0;
        match self.used.checked_add(amount) {
            Some(used) if used <= self.max => {
                (self.used, self.latest) = (used, amount);
                true
            }
            _ => false,
        }
    }

    fn give_back(&mut self) {
        self.used -= self.latest;
        self.latest = 0;
    }
}

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            bytes: Budget::new(limits.memory_bytes),
            elements: Budget::new(limits.table_elements.into()),
            refused: None,
        }
    }

    /// The bytes of all memories and tables.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.used as u64
    }

    fn refuse(&mut self, refused: RefusedGrowth) -> bool {
        self.refused = Some(refused);
        false
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let Some(added) = growth(current, desired, maximum) else {
            return Ok(false);
        };
        Ok(self.bytes.take(added) || self.refuse(RefusedGrowth::Memory))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.bytes.give_back();
        self.refuse(RefusedGrowth::Memory);
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let Some(added) = growth(current, desired, maximum) else {
            return Ok(false);
        };
        if !self.elements.take(added) {
            return Ok(self.refuse(RefusedGrowth::TableElements));
        }
        if !self.bytes.take(added.saturating_mul(TABLE_ELEMENT_BYTES)) {
            self.elements.give_back();
            return Ok(self.refuse(RefusedGrowth::Memory));
        }
        Ok(true)
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.elements.give_back();
        self.bytes.give_back();
        self.refuse(RefusedGrowth::TableElements);
        Ok(())
    }
}

/// The growth from `current` to `desired`; `None` beyond the memory's or table's own maximum, which
/// is not the host's limit.
fn growth(current: usize, desired: usize, maximum: Option<usize>) -> Option<usize> {
    let is_beyond = maximum.is_some_and(|maximum| desired > maximum);
    (!is_beyond).then(|| desired.saturating_sub(current))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(memory_bytes: u64, table_elements: u32) -> Meter {
        let mut limits = Limits::standard();
        (limits.memory_bytes, limits.table_elements) = (memory_bytes, table_elements);
        Meter::new(&limits)
    }

    #[test]
    fn memories_and_tables_share_one_budget() {
        let mut meter = meter(1_000, 1_000);
        assert!(meter.memory_growing(0, 600, None).unwrap());
        assert!(!meter.memory_growing(0, 600, None).unwrap());
        assert_eq!(meter.refused, Some(RefusedGrowth::Memory));
        assert!(meter.table_growing(0, 50, None).unwrap());
        assert!(!meter.table_growing(50, 51, None).unwrap());
    }

    #[test]
    fn tables_have_a_budget_of_elements_too() {
        let mut meter = meter(1 << 20, 100);
        assert!(meter.table_growing(0, 60, None).unwrap());
        assert!(!meter.table_growing(0, 60, None).unwrap());
        assert_eq!(meter.refused, Some(RefusedGrowth::TableElements));
        assert!(meter.table_growing(0, 40, None).unwrap());
    }

    #[test]
    fn growth_that_failed_is_given_back() {
        let failed = || wasmtime::Error::msg("no");
        let mut meter = meter(1_000, 100);
        assert!(meter.memory_growing(0, 1_000, None).unwrap());
        meter.memory_grow_failed(failed()).unwrap();
        assert!(meter.table_growing(0, 100, None).unwrap());
        meter.table_grow_failed(failed()).unwrap();
        assert!(meter.memory_growing(0, 1_000, None).unwrap());
    }

    #[test]
    fn a_memory_s_own_maximum_is_not_the_host_s_limit() {
        let mut meter = meter(1_000, 100);
        assert!(!meter.memory_growing(0, 600, Some(500)).unwrap());
        assert!(!meter.table_growing(0, 60, Some(50)).unwrap());
        assert_eq!(meter.refused, None);
    }
}
