//! Pointer voting over sparse codes: each unit keeps the rows that switched it on, a query counts
//! how often a row turns up in the lists of its own units.
//!
//! The lists are first-in-first-out with a cap, so the cost of a query is bounded whatever the
//! number of rows; with votes weighted by rarity a unit counts `1 + floor(log2(rows / length))`.
//! As long as none of its pointers was pushed out, a row answers its own code with every vote, and
//! no row gets more. The index is approximate by design: past the size at which exact scans are
//! affordable it brings candidates, and it completes patterns.

use std::collections::{HashMap, VecDeque};

use crate::EngineError;
use crate::sdr::NO_UNIT;

/// A row and its votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote {
    /// Trace id.
    pub id: i64,
    /// Units that the row shares with the query, weighted where asked for.
    pub votes: u32,
}

/// The index.
#[derive(Debug, Clone)]
pub struct VotingIndex {
    buckets: Vec<VecDeque<u32>>,
    cap: usize,
    /// Row numbers in order of writing; removed rows leave a hole until the next packing.
    rows: Vec<Option<Row>>,
    by_id: HashMap<i64, u32>,
}

#[derive(Debug, Clone)]
struct Row {
    id: i64,
    code: Box<[u32]>,
}

impl VotingIndex {
    /// An empty index over `units` units, each keeping the `cap` rows that came last.
    ///
    /// # Errors
    /// `Parameter` unless `1 <= units <= 2^20` and `cap >= 1`.
    pub fn new(units: usize, cap: usize) -> Result<Self, EngineError> {
        if !(1..=1 << 20).contains(&units) || cap == 0 {
            let what = format!("units or cap is out of range: {units}, {cap}");
            return Err(EngineError::Parameter { what });
        }
        let buckets = vec![VecDeque::new(); units];
        Ok(Self { buckets, cap, rows: Vec::new(), by_id: HashMap::new() })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Write rows with codes of `active` units each, in place of those with the same ids.
    ///
    /// # Errors
    /// `Length` if there is not one code a row, `Parameter` for a unit that does not exist.
    pub fn upsert(&mut self, ids: &[i64], codes: &[u32], active: usize) -> Result<(), EngineError> {
        let expected = ids.len() * active;
        if codes.len() != expected {
            return Err(EngineError::Length { what: "codes", expected, got: codes.len() });
        }
        self.check(codes)?;
        for (row, &id) in ids.iter().enumerate() {
            self.remove(&[id]);
            let mut code: Vec<u32> = codes[row * active..(row + 1) * active].to_vec();
            code.retain(|&unit| unit != NO_UNIT);
            code.sort_unstable();
            code.dedup();
            let number = self.rows.len() as u32;
            for &unit in &code {
                let bucket = &mut self.buckets[unit as usize];
                if bucket.len() == self.cap {
                    bucket.pop_front();
                }
                bucket.push_back(number);
            }
            self.rows.push(Some(Row { id, code: code.into() }));
            self.by_id.insert(id, number);
        }
        Ok(())
    }

    /// Take rows out and return how many there were; their pointers go at once.
    pub fn remove(&mut self, ids: &[i64]) -> usize {
        let mut removed = 0;
        for id in ids {
            let Some(number) = self.by_id.remove(id) else { continue };
            if let Some(row) = self.rows[number as usize].take() {
                for &unit in &row.code {
                    let bucket = &mut self.buckets[unit as usize];
                    // Numbers ascend in a bucket; a pointer that was pushed out is not there.
                    if let Ok(at) = bucket.binary_search(&number) {
                        bucket.remove(at);
                    }
                }
            }
            removed += 1;
        }
        if self.rows.len() > 1_024 + 2 * self.by_id.len() {
            self.pack();
        }
        removed
    }

    /// Give the rows consecutive numbers again, in the same order.
    fn pack(&mut self) {
        let mut numbers = vec![0_u32; self.rows.len()];
        let mut next = 0;
        for (number, row) in self.rows.iter().enumerate() {
            if let Some(row) = row {
                numbers[number] = next;
                self.by_id.insert(row.id, next);
                next += 1;
            }
        }
        self.rows.retain(Option::is_some);
        for number in self.buckets.iter_mut().flatten() {
            *number = numbers[*number as usize];
        }
    }

    /// The `k` rows with most votes, ties by id; rows without a vote are not among them.
    ///
    /// # Errors
    /// `Parameter` for a unit that does not exist.
    pub fn query(&self, code: &[u32], k: usize, weighted: bool) -> Result<Vec<Vote>, EngineError> {
        self.check(code)?;
        let mut units: Vec<u32> = code.iter().copied().filter(|&unit| unit != NO_UNIT).collect();
        units.sort_unstable();
        units.dedup();
        let mut counts = vec![0_u32; self.rows.len()];
        let mut touched = Vec::new();
        for unit in units {
            let bucket = &self.buckets[unit as usize];
            let weight = if weighted { self.weight(bucket.len()) } else { 1 };
            for &number in bucket {
                let count = &mut counts[number as usize];
                if *count == 0 {
                    touched.push(number);
                }
                *count += weight;
            }
        }
        let vote = |number: u32| {
            let row = self.rows[number as usize].as_ref()?;
            Some(Vote { id: row.id, votes: counts[number as usize] })
        };
        let mut votes: Vec<Vote> = touched.into_iter().filter_map(vote).collect();
        let better = |a: &Vote, b: &Vote| b.votes.cmp(&a.votes).then(a.id.cmp(&b.id));
        if k < votes.len() {
            votes.select_nth_unstable_by(k, better);
            votes.truncate(k);
        }
        votes.sort_unstable_by(better);
        Ok(votes)
    }

    fn weight(&self, length: usize) -> u32 {
        1 + (self.len() / length.max(1)).max(1).ilog2()
    }

    /// Bytes on the heap, about.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let pointers: usize = self.buckets.iter().map(|bucket| bucket.capacity() * 4).sum();
        let codes: usize = self.rows.iter().flatten().map(|row| row.code.len() * 4).sum();
        pointers
            + codes
            + self.buckets.capacity() * size_of::<VecDeque<u32>>()
            + self.rows.capacity() * size_of::<Option<Row>>()
            + self.by_id.capacity() * 17
    }

    fn check(&self, units: &[u32]) -> Result<(), EngineError> {
        let known = |unit: &u32| (*unit as usize) < self.buckets.len() || *unit == NO_UNIT;
        match units.iter().find(|unit| !known(unit)) {
            Some(unit) => {
                let what = format!("unit {unit} is not below {}", self.buckets.len());
                Err(EngineError::Parameter { what })
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_answers_its_own_code_with_every_vote() {
        let mut index = VotingIndex::new(16, 100).expect("valid");
        index.upsert(&[7, 3, 9], &[1, 2, 3, 1, 2, 4, 5, 6, 7], 3).expect("known units");
        let votes = index.query(&[1, 2, 3], 5, false).expect("known units");
        assert_eq!(votes, [Vote { id: 7, votes: 3 }, Vote { id: 3, votes: 2 }]);
        assert_eq!(index.query(&[2], 1, false).expect("known units"), [Vote { id: 3, votes: 1 }]);
        assert_eq!(index.remove(&[7, 8]), 1);
        assert_eq!(index.query(&[1, 2, 3], 5, false).expect("known units").len(), 1);
    }

    #[test]
    fn the_oldest_pointer_gives_way() {
        let mut index = VotingIndex::new(4, 2).expect("valid");
        index.upsert(&[1, 2, 3], &[0, 0, 0], 1).expect("known units");
        let ids: Vec<i64> =
            index.query(&[0], 9, false).expect("known").iter().map(|v| v.id).collect();
        assert_eq!(ids, [2, 3]);
    }

    #[test]
    fn packing_changes_no_answer() {
        let mut index = VotingIndex::new(8, 3_000).expect("valid");
        for step in 0..6_000_i64 {
            index
                .upsert(&[step % 50], &[(step % 8) as u32, ((step + 3) % 8) as u32], 2)
                .expect("known");
        }
        assert!(index.rows.len() < 2_000);
        assert_eq!(index.query(&[0, 1, 2, 3, 4, 5, 6, 7], 99, false).expect("known").len(), 50);
    }

    #[test]
    fn rare_units_weigh_more() {
        let mut index = VotingIndex::new(4, 100).expect("valid");
        for id in 0..15 {
            index.upsert(&[id], &[0], 1).expect("known");
        }
        index.upsert(&[15], &[1], 1).expect("known");
        let votes = index.query(&[0, 1], 2, true).expect("known");
        assert_eq!(votes, [Vote { id: 15, votes: 5 }, Vote { id: 0, votes: 1 }]);
        assert!(index.query(&[4], 1, true).is_err() && index.upsert(&[1], &[9], 1).is_err());
    }
}
