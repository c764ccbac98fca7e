//! What a question is about, by the table's vectors alone: whether its words point one way, and how
//! it lies to the rest of the world, of which a few dozen directions stand for all.

use super::static_table::{StaticTable, normalise};
use crate::EngineError;
use crate::rows::length;
use crate::simd::Path;

/// What is known of a question before any memory was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct About {
    /// Length of the sum of its weighted pieces, as a share of what it were if all pointed one way.
    /// 0 without a vector.
    pub coherence: f64,
    /// The largest cosine with a direction of the world.
    pub largest: f64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl<Data: AsRef<[u8]>> StaticTable<Data> {
    /// Compare a text with the directions of the world: unit rows, one after the other.
    ///
    /// # Errors
    /// `Length` unless `world` consists of whole rows.
    pub fn about(&self, text: &str, world: &[f32]) -> Result<About, EngineError> {
        let dim = self.dim();
        let rows = world.len() / dim;
        length("world", world.len(), rows * dim)?;
        let mut row = vec![0.0; dim];
        let mut weights = 0.0;
        for token in self.tokenize(text) {
            let weight = self.weight(token);
            self.add(token, weight, &mut row);
            weights += f64::from(weight);
        }
        let reach = f64::from(normalise(&mut row));
        if reach == 0.0 || rows == 0 {
            return Ok(About::default());
        }
        let simd = Path::detect();
        let cosines: Vec<f64> =
            world.chunks_exact(dim).map(|other| simd.dot_canonical(other, &row)).collect();
        let count = rows as f64;
        let mean = cosines.iter().sum::<f64>() / count;
        let square = cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count;
        Ok(About {
            coherence: reach / weights,
            largest: cosines.iter().copied().fold(f64::MIN, f64::max),
            mean,
            deviation: square.sqrt(),
        })
    }
}

#[cfg(test)]
#[path = "about_tests.rs"]
mod tests;
