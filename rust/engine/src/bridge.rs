//! The second hop: rows that share rare words with a row that was found.

use crate::error::EngineError;
use crate::filter::Filter;
use crate::memory::MemoryIndex;

impl MemoryIndex {
    /// The `k` rows that hold the most of the rare words of a text, and those of the ids that
    /// hold some, by ascending id, each with what the words that it holds are worth; see
    /// [`crate::keyword::KeywordIndex::rare_words`].
    ///
    /// # Errors
    /// `NotFinite` or `Parameter` for a filter that cannot be used.
    pub fn bridged(
        &self,
        text: &str,
        without: &str,
        k: usize,
        ids: &[i64],
        filter: &Filter,
    ) -> Result<Vec<(i64, f32)>, EngineError> {
        filter.validate()?;
        let scopes = filter.scopes.as_deref();
        let (query, worth) = self.keywords().rare_words(text, without, scopes);
        if query.is_empty() {
            return Ok(Vec::new());
        }
        let plan = self.keywords().plan(&query, scopes);
        let accept = |slot: u32| filter.accepts(self.rows(), slot as usize);
        let order = |slot: u32| self.rows().id[slot as usize];
        let given = ids.iter().filter_map(|id| self.rows().slot_of(*id)).map(|slot| slot as u32);
        let mut slots: Vec<u32> = given.filter(|&slot| accept(slot)).collect();
        slots.extend(plan.search(k, &accept, &order).iter().map(|hit| hit.slot));
        slots.sort_unstable_by_key(|&slot| order(slot));
        slots.dedup();
        let shared = slots.iter().map(|&slot| (order(slot), plan.score(slot).coverage * worth));
        Ok(shared.filter(|(_, value)| *value > 0.0).collect())
    }
}
