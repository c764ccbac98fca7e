//! The best threshold that any thread of a query has found.

use std::sync::atomic::{AtomicU32, Ordering};

/// A rising f32. Relaxed order is enough: an old value excludes fewer rows, never a wrong one.
pub(super) struct SharedFloor(AtomicU32);

impl SharedFloor {
    pub(super) fn new() -> Self {
        Self(AtomicU32::new(key(f32::NEG_INFINITY)))
    }

    pub(super) fn get(&self) -> f32 {
        value(self.0.load(Ordering::Relaxed))
    }

    pub(super) fn raise(&self, floor: f32) {
        self.0.fetch_max(key(floor), Ordering::Relaxed);
    }
}

/// Bits whose unsigned order is that of the numbers.
fn key(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn value(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::SharedFloor;

    #[test]
    fn it_rises_and_never_falls() {
        let floor = SharedFloor::new();
        assert_eq!(floor.get(), f32::NEG_INFINITY);
        for (raised, expected) in [(-2.5, -2.5), (-7.0, -2.5), (0.0, 0.0), (0.3, 0.3), (0.2, 0.3)] {
            floor.raise(raised);
            assert_eq!(floor.get(), expected);
        }
    }
}
