//! Ranges of numbers, and the items that a slice takes.

use crate::error::{Outcome, failed};

/// What `range` gives.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) start: i128,
    pub(crate) stop: i128,
    pub(crate) step: i128,
    pub(crate) length: usize,
}

/// How far numbers go from which ranges are made. Python's go on.
const BOUND_MAX: i128 = 1 << 64;

impl Range {
    pub(crate) fn new(start: i128, stop: i128, step: i128) -> Outcome<Self> {
        if step == 0 {
            return failed("range() arg 3 must not be zero");
        }
        if [start, stop, step].iter().any(|it| it.abs() > BOUND_MAX) {
            return failed("a range is too large");
        }
        let distance = if step > 0 { stop - start } else { start - stop };
        let length = match distance > 0 {
            true => (distance - 1) / step.abs() + 1,
            false => 0,
        };
        Ok(Self {
            start,
            stop,
            step,
            length: usize::try_from(length).unwrap_or(usize::MAX),
        })
    }

    pub(crate) fn get(&self, index: usize) -> i128 {
        self.start + self.step * index as i128
    }

    pub(crate) fn cut(&self, cut: &Cut) -> Self {
        let at = |index: i128| self.start + self.step * index;
        Self {
            start: at(cut.start),
            stop: at(cut.stop),
            step: self.step.saturating_mul(cut.step),
            length: cut.length,
        }
    }
}

/// Which items a slice takes.
pub(crate) struct Cut {
    pub(crate) start: i128,
    pub(crate) stop: i128,
    pub(crate) step: i128,
    pub(crate) length: usize,
}

impl Cut {
    /// What `[start:stop:step]` takes of `length` items.
    pub(crate) fn new([start, stop, step]: [Option<i128>; 3], length: usize) -> Outcome<Self> {
        let step = step.unwrap_or(1);
        let length = length as i128;
        let (low, high) = match step {
            0 => return failed("slice step cannot be zero"),
            forward if forward > 0 => (0, length),
            _ => (-1, length - 1),
        };
        let clamp = |bound: Option<i128>, default: i128| match bound {
            None => default,
            Some(bound) if bound < 0 => bound.saturating_add(length).clamp(low, high),
            Some(bound) => bound.clamp(low, high),
        };
        let (start, stop) = match step > 0 {
            true => (clamp(start, low), clamp(stop, high)),
            false => (clamp(start, high), clamp(stop, low)),
        };
        let distance = if step > 0 { stop - start } else { start - stop };
        let taken = match distance > 0 {
            true => (distance - 1) / step.saturating_abs() + 1,
            false => 0,
        };
        Ok(Self {
            start,
            stop,
            step,
            length: taken as usize,
        })
    }

    pub(crate) fn indices(&self) -> impl Iterator<Item = usize> {
        let (start, step) = (self.start, self.step);
        // Of one item the step does not matter, and may be as large as it likes.
        (0..self.length).map(move |at| match at {
            0 => start as usize,
            at => (start + step * at as i128) as usize,
        })
    }
}
