//! One budget for all memories and tables of a call together. The engine's own limiter
//! counts each memory for itself, so a component with many would have many times the limit.

use wasmtime::ResourceLimiter;

/// What one table element costs.
const TABLE_ELEMENT_BYTES: usize = size_of::<usize>();

/// Counts memory and tables, and remembers a refusal.
#[derive(Debug)]
pub(crate) struct Meter {
    bytes_max: usize,
    bytes: usize,
    /// What the latest growth added, in case the engine cannot carry it out.
    latest: usize,
    /// Whether growth was ever refused.
    pub(crate) refused: bool,
}

impl Meter {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            bytes: 0,
            latest: 0,
            refused: false,
        }
    }

    fn grow(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> bool {
        let added = desired.saturating_sub(current);
        let total = self.bytes.saturating_add(added);
        if maximum.is_some_and(|maximum| desired > maximum) {
            return false;
        }
        if total > self.bytes_max {
            self.refused = true;
            return false;
        }
        self.bytes = total;
        self.latest = added;
        true
    }

    fn undo(&mut self) {
        self.bytes -= self.latest;
        self.latest = 0;
        self.refused = true;
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.grow(current, desired, maximum))
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo();
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let bytes = |elements: usize| elements.saturating_mul(TABLE_ELEMENT_BYTES);
        Ok(self.grow(bytes(current), bytes(desired), maximum.map(bytes)))
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.undo();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_tables_share_one_budget() {
        let mut meter = Meter::new(1_000);
        assert!(meter.memory_growing(0, 600, None).unwrap());
        assert!(!meter.memory_growing(0, 600, None).unwrap());
        assert!(meter.refused);
        assert!(meter.table_growing(0, 50, None).unwrap());
        assert!(!meter.table_growing(50, 51, None).unwrap());
    }

    #[test]
    fn growth_that_failed_is_given_back() {
        let mut meter = Meter::new(1_000);
        assert!(meter.memory_growing(0, 1_000, None).unwrap());
        meter
            .memory_grow_failed(wasmtime::Error::msg("no"))
            .unwrap();
        assert!(meter.memory_growing(0, 1_000, None).unwrap());
    }

    #[test]
    fn a_memory_s_own_maximum_is_not_the_host_s_limit() {
        let mut meter = Meter::new(1_000);
        assert!(!meter.memory_growing(0, 600, Some(500)).unwrap());
        assert!(!meter.refused);
    }
}
