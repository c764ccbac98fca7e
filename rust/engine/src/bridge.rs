//! The second hop: rows that share rare words with rows that were found.

use crate::error::EngineError;
use crate::filter::Filter;
use crate::keyword::{RareWords, asked};
use crate::memory::MemoryIndex;

impl MemoryIndex {
    /// For each text the `k` rows that hold the most of its rare words, and those of the ids that
    /// hold some, by ascending id, each with what the words that it holds are worth; see
    /// [`crate::keyword::KeywordIndex::rare_words`].
    ///
    /// # Errors
    /// `NotFinite` or `Parameter` for a filter that cannot be used.
    pub fn bridged<T: AsRef<str>>(
        &self,
        texts: &[T],
        without: &str,
        k: usize,
        ids: &[i64],
        filter: &Filter,
    ) -> Result<Vec<Vec<(i64, f32)>>, EngineError> {
        filter.validate()?;
        let known = asked(without);
        let given = ids.iter().filter_map(|id| self.rows().slot_of(*id));
        let given: Vec<u32> = given.map(|slot| slot as u32).collect();
        let shared = texts.iter().map(|text| {
            let words = self.keywords().rare_words(text.as_ref(), &known, filter.scopes.as_deref());
            self.sharing(&words, k, &given, filter)
        });
        Ok(shared.collect())
    }

    /// What rows share of rare words: the best `k`, and those of the given ones that hold some.
    fn sharing(
        &self,
        words: &RareWords,
        k: usize,
        given: &[u32],
        filter: &Filter,
    ) -> Vec<(i64, f32)> {
        if words.is_empty() {
            return Vec::new();
        }
        let plan = self.keywords().plan_rare(words).within(filter.scopes.as_deref());
        let accept = |slot: u32| filter.accepts(self.rows(), slot as usize);
        let order = |slot: u32| self.rows().id[slot as usize];
        let worth = |coverage: f32| coverage * words.worth;
        let held = given.iter().map(|&slot| (slot, worth(plan.coverage(slot))));
        // Few hold any of the words, so that the filter comes last.
        let held = held.filter(|(slot, value)| *value > 0.0 && accept(*slot));
        let mut shared: Vec<(i64, f32)> = held.map(|(slot, value)| (order(slot), value)).collect();
        let best = plan.search(k, &accept, &order).into_iter();
        shared.extend(best.map(|hit| (order(hit.slot), worth(hit.score.coverage))));
        shared.retain(|(_, value)| *value > 0.0);
        shared.sort_unstable_by_key(|(id, _)| *id);
        shared.dedup_by_key(|(id, _)| *id);
        shared
    }
}
