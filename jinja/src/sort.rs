//! Sorting by an order that may fail, and need not be one: numbers may be none.

use std::cmp::Ordering;

use crate::error::Outcome;
use crate::render::Renderer;
use crate::value::Value;

impl<'a> Renderer<'a> {
    /// Sorts by the first of each pair. Those that are equal stay as they are.
    pub(crate) fn sorted<T: Copy>(
        &mut self,
        keyed: Vec<(Value<'a>, T)>,
        is_reversed: bool,
    ) -> Outcome<Vec<(Value<'a>, T)>> {
        let mut from = keyed;
        let mut width = 1;
        while width < from.len() {
            let mut merged = Vec::with_capacity(from.len());
            for pair in from.chunks(width * 2) {
                let (left, right) = pair.split_at(width.min(pair.len()));
                self.merge(left, right, is_reversed, &mut merged)?;
            }
            from = merged;
            width *= 2;
        }
        Ok(from)
    }

    fn merge<T: Copy>(
        &mut self,
        mut left: &[(Value<'a>, T)],
        mut right: &[(Value<'a>, T)],
        is_reversed: bool,
        merged: &mut Vec<(Value<'a>, T)>,
    ) -> Outcome<()> {
        while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
            self.charge(1)?;
            let order = match is_reversed {
                true => self.order(first.0, second.0)?,
                false => self.order(second.0, first.0)?,
            };
            if order == Ordering::Less {
                merged.push(*second);
                right = right_rest;
            } else {
                merged.push(*first);
                left = left_rest;
            }
        }
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
        Ok(())
    }
}
