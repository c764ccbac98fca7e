//! Writing an index as one block of bytes.

use super::KeywordIndex;
use super::flat::{FlatWriter, Section};
use super::fuzzy::{self, Vocabulary};
use super::hash::term_hash;
use super::postings::{Impact, bound_of};

use std::collections::BTreeMap;

impl KeywordIndex {
    /// The index as a block of bytes for [`KeywordIndex::open`].
    ///
    /// `renumber` tells the slot that a row gets in it; rows for which it has none are left out, and
    /// so are terms without rows. No two rows may get the same slot.
    #[must_use]
    pub fn to_bytes(&self, renumber: &dyn Fn(u32) -> Option<u32>) -> Vec<u8> {
        let slots: Vec<Option<u32>> =
            (0..self.slots()).map(|slot| self.row(slot).and_then(|_| renumber(slot))).collect();
        let mut writer = FlatWriter::default();
        let rows = slots.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut row_terms: Vec<Vec<u32>> = vec![Vec::new(); rows];
        let mut names: Vec<&str> = Vec::new();
        for term in 0..self.terms() as u32 {
            let list = self.living(term, &slots);
            if !list.is_empty() {
                write_list(&mut writer, &list);
                for &(slot, _) in &list {
                    row_terms[slot as usize].push(names.len() as u32);
                }
                names.push(std::str::from_utf8(self.spelling(term)).unwrap_or_default());
            }
        }
        close_starts(&mut writer);
        write_names(&mut writer, &names);
        write_grams(&mut writer, &names);
        self.write_rows(&mut writer, &slots, &row_terms);
        writer.finish()
    }

    /// The postings of a term whose rows live, under their new slots.
    fn living(&self, term: u32, slots: &[Option<u32>]) -> Vec<(u32, Impact)> {
        let mut list = Vec::new();
        if let Some(base) = self.base_list(term) {
            let postings = base.iter_slots().zip(base.impacts);
            list.extend(postings.filter(|(slot, _)| self.lives(*slot)));
        }
        if let Some(own) = self.list(term) {
            list.extend(own.view().iter_slots().zip(own.view().impacts));
        }
        let renumbered = |(slot, &impact)| Some(((*slots.get(slot as usize)?)?, impact));
        let mut list: Vec<(u32, Impact)> = list.into_iter().filter_map(renumbered).collect();
        list.sort_unstable();
        list
    }

    fn write_rows(&self, writer: &mut FlatWriter, slots: &[Option<u32>], terms: &[Vec<u32>]) {
        let mut old: Vec<Option<u32>> = vec![None; terms.len()];
        for (slot, new) in slots.iter().enumerate() {
            if let Some(new) = new {
                old[*new as usize] = Some(slot as u32);
            }
        }
        for (slot, terms) in old.iter().zip(terms) {
            let (scope, length) = slot.and_then(|slot| self.row(slot)).unwrap_or((0, 0));
            writer.push_word(Section::Scopes, scope as usize);
            writer.push(Section::Lengths, &[length]);
            writer.push_word(Section::RowStarts, writer.size(Section::RowTerms) / 4);
            terms.iter().for_each(|&term| writer.push_word(Section::RowTerms, term as usize));
        }
        writer.push_word(Section::RowStarts, writer.size(Section::RowTerms) / 4);
    }
}

fn write_list(writer: &mut FlatWriter, list: &[(u32, Impact)]) {
    close_starts(writer);
    let impacts: Vec<Impact> = list.iter().map(|&(_, impact)| impact).collect();
    list.iter().for_each(|&(slot, _)| writer.push_word(Section::Slots, slot as usize));
    writer.push(Section::Impacts, impacts.as_flattened());
    writer.push(Section::Wholes, &bound_of(&impacts));
}

/// Note where the next list begins, which is where the last one ends.
fn close_starts(writer: &mut FlatWriter) {
    writer.push_word(Section::ListStarts, writer.size(Section::Slots) / 4);
}

fn write_names(writer: &mut FlatWriter, names: &[&str]) {
    let buckets = (names.len() * 2).next_power_of_two().max(2);
    let mut table = vec![0_u32; buckets];
    for (term, name) in names.iter().enumerate() {
        writer.push(Section::Names, name.as_bytes());
        writer.push_word(Section::NameEnds, writer.size(Section::Names));
        let mut at = term_hash(name) as usize & (buckets - 1);
        while table[at] != 0 {
            at = (at + 1) & (buckets - 1);
        }
        table[at] = term as u32 + 1;
    }
    table.iter().for_each(|&entry| writer.push_word(Section::Table, entry as usize));
}

fn write_grams(writer: &mut FlatWriter, names: &[&str]) {
    let mut grams: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (term, name) in names.iter().enumerate().filter(|(_, name)| fuzzy::takes_part(name)) {
        for gram in fuzzy::grams_of(name) {
            grams.entry(gram).or_default().push(term as u32);
        }
    }
    for (gram, terms) in &grams {
        writer.push(Section::Grams, &gram.to_le_bytes());
        writer.push_word(Section::GramStarts, writer.size(Section::GramTerms) / 4);
        terms.iter().for_each(|&term| writer.push_word(Section::GramTerms, term as usize));
    }
    writer.push_word(Section::GramStarts, writer.size(Section::GramTerms) / 4);
}
