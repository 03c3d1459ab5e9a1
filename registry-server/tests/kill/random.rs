//! Pseudorandom numbers from a seed, so that a test run can be repeated.

/// A generator of pseudorandom numbers, SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another generator, seeded by this one.
    pub(crate) fn split(&mut self) -> Self {
        Self(self.roll())
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = (0..count.div_ceil(8)).flat_map(|_| self.roll().to_le_bytes());
        let mut bytes: Vec<u8> = words.collect();
        bytes.truncate(count);
        bytes
    }
}
