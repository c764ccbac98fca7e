//! Finding the best rows of a plan: totals are summed word by word until no new row can enter.
//!
//! The words are taken from the most to the least telling. The sums are f32 and may be off by
//! [`SLACK`]; they only choose which rows are scored in full, so what comes out is what scoring
//! every row would give. Before a word whose lists are longer than what was seen so far, the rows
//! that are best by then are scored in full: when the words that are left cannot reach the k-th
//! best of them together, rows that hold none of the words before are out of the running, and the
//! long lists are never walked (MaxScore, Turtle and Flood 1995, by words instead of lists: of a
//! word's forms only the best counts).

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::postings::Impact;
use super::search::{Hit, Leg, Match, Plan};

/// More than the f32 sums are off by, relatively: a few roundings for each of at most some
/// hundred lists.
const SLACK: f64 = 1.0 + 1e-4;
/// Sums that are looked at for the k best that may be found, as a multiple of k.
const LOOKED_AT: usize = 4;
/// Postings that are walked in the time that scoring one row in full takes, about.
const DEAR: usize = 128;

thread_local! {
    /// Zeros but for what a search puts there and takes away.
    static SUMS: RefCell<Sums> = RefCell::default();
}

/// What the words so far give, by slot.
#[derive(Default)]
struct Sums {
    total: Vec<f32>,
    /// Best form of the present word.
    word: Vec<f32>,
    /// Slots with a total.
    touched: Vec<u32>,
    /// Slots that the present word touched.
    fresh: Vec<u32>,
}

/// What the words that were not summed up can add, and a bm25 that the k best reach.
#[derive(Clone, Copy)]
struct Reach {
    rest: f64,
    floor: f64,
}

impl Reach {
    /// The most that a row may come to, given its sum.
    fn of(self, sum: f32) -> f64 {
        (f64::from(sum) + self.rest) * SLACK
    }
}

/// A word of the plan: its lists, the most that it gives a row, and the postings to walk.
struct Word<'a> {
    legs: Vec<&'a Leg<'a>>,
    bound: f64,
    postings: usize,
}

impl Plan<'_> {
    /// The best `k` rows by bm25, ties by `order` (ascending), among those that `accept` takes.
    pub fn search(
        &self,
        k: usize,
        accept: &dyn Fn(u32) -> bool,
        order: &dyn Fn(u32) -> i64,
    ) -> Vec<Hit> {
        self.search_above(f64::NEG_INFINITY, k, accept, order)
    }

    /// As [`Plan::search`], where rows below a bm25 of `floor` may be left out.
    pub fn search_above(
        &self,
        floor: f64,
        k: usize,
        accept: &dyn Fn(u32) -> bool,
        order: &dyn Fn(u32) -> i64,
    ) -> Vec<Hit> {
        if k == 0 || self.legs().is_empty() {
            return Vec::new();
        }
        SUMS.with_borrow_mut(|sums| {
            sums.prepare(self.slots());
            let reach = self.sum_up(sums, floor, k, accept);
            let hits = self.settle(sums, reach, k, accept, order);
            sums.clear();
            hits
        })
    }

    /// Sum words up until the rest cannot lift an untouched row among the best.
    fn sum_up(&self, sums: &mut Sums, floor: f64, k: usize, accept: &dyn Fn(u32) -> bool) -> Reach {
        let words = self.words();
        // Most words stand once in a row.
        let once: [f32; 256] = std::array::from_fn(|length| self.saturated([1, length as u8]));
        let mut reach = Reach { rest: words.iter().map(|word| word.bound).sum(), floor };
        let mut ahead: usize = words.iter().map(|word| word.postings).sum();
        for word in &words {
            let worth_a_look = sums.touched.len() >= k && word.postings > sums.touched.len();
            if worth_a_look && !sums.suffice(reach, ahead) {
                reach.floor = reach.floor.max(self.kth_best(sums, reach, k, ahead, accept));
            }
            if sums.suffice(reach, ahead) {
                return reach;
            }
            sums.add(self, word, &once);
            reach.rest -= word.bound;
            ahead -= word.postings;
        }
        Reach { rest: 0.0, ..reach }
    }

    /// A bm25 that k rows which may be found reach: by their sums so far or, where many postings
    /// lie ahead, in full.
    fn kth_best(
        &self,
        sums: &Sums,
        reach: Reach,
        k: usize,
        ahead: usize,
        accept: &dyn Fn(u32) -> bool,
    ) -> f64 {
        let mut front = sums.front(reach, k, accept);
        if ahead > k * DEAR {
            for (score, slot) in &mut front {
                *score = self.score(*slot).bm25;
            }
        }
        let least = front.iter().map(|(score, _)| f64::from(*score)).min_by(f64::total_cmp);
        least.filter(|_| front.len() == k).unwrap_or(f64::NEG_INFINITY)
    }

    fn words(&self) -> Vec<Word<'_>> {
        let word = |legs: &'_ [Leg<'_>]| {
            let bound = legs.iter().map(|leg| leg.bound).fold(0.0, f64::max);
            let postings = legs.iter().flat_map(Leg::parts).map(|part| part.len()).sum();
            (bound, postings)
        };
        let groups = self.legs().chunk_by(|left, right| left.group == right.group);
        let mut words: Vec<Word<'_>> = groups
            .map(|legs| {
                let (bound, postings) = word(legs);
                Word { legs: legs.iter().collect(), bound, postings }
            })
            .collect();
        words.sort_by(|left, right| right.bound.total_cmp(&left.bound));
        words
    }

    /// Score the rows that may be among the best, the most promising ones first.
    fn settle(
        &self,
        sums: &Sums,
        reach: Reach,
        k: usize,
        accept: &dyn Fn(u32) -> bool,
        order: &dyn Fn(u32) -> i64,
    ) -> Vec<Hit> {
        let mut open: Vec<(f32, u32)> = sums.open(reach).collect();
        let first = open.len().min(k * 2);
        if first < open.len() {
            open.select_nth_unstable_by(first, |left, right| right.0.total_cmp(&left.0));
        }
        let mut best = Best { k, order, heap: BinaryHeap::new() };
        for (sum, slot) in open {
            if !best.rejects(reach.of(sum)) && accept(slot) {
                best.offer(slot, self.score(slot));
            }
        }
        best.into_hits()
    }
}

impl Sums {
    fn prepare(&mut self, slots: usize) {
        if self.total.len() < slots {
            self.total.resize(slots, 0.0);
            self.word.resize(slots, 0.0);
        }
    }

    fn clear(&mut self) {
        for slot in self.touched.drain(..) {
            self.total[slot as usize] = 0.0;
        }
    }

    /// Add what a word gives to each row: its best form.
    fn add(&mut self, plan: &Plan<'_>, word: &Word<'_>, once: &[f32; 256]) {
        let single = word.legs.iter().all(|leg| leg.term == word.legs[0].term);
        for leg in &word.legs {
            let weight = (leg.weight * leg.idf) as f32;
            let part = |impact: Impact| match impact {
                [1, length] => weight * once[usize::from(length)],
                _ => weight * plan.saturated(impact),
            };
            for positions in leg.parts() {
                let living = plan.living(leg, positions);
                let postings = living.map(|(slot, impact)| (slot, part(impact)));
                if single { self.add_all(postings) } else { self.add_best(postings) }
            }
        }
        for slot in self.fresh.drain(..) {
            self.word[slot as usize] = 0.0;
        }
    }

    /// Add the parts of rows none of which comes twice.
    fn add_all(&mut self, parts: impl Iterator<Item = (u32, f32)>) {
        for (slot, part) in parts {
            if let Some(total) = self.total.get_mut(slot as usize).filter(|_| part > 0.0) {
                if *total == 0.0 {
                    self.touched.push(slot);
                }
                *total += part;
            }
        }
    }

    /// Add what parts give beyond the best that the present word gave a row before.
    fn add_best(&mut self, parts: impl Iterator<Item = (u32, f32)>) {
        for (slot, part) in parts {
            let at = slot as usize;
            let (Some(best), Some(total)) = (self.word.get_mut(at), self.total.get_mut(at)) else {
                continue;
            };
            if part > *best {
                if *best == 0.0 {
                    self.fresh.push(slot);
                }
                if *total == 0.0 {
                    self.touched.push(slot);
                }
                *total += part - *best;
                *best = part;
            }
        }
    }

    /// Rows that may still be among the best, with their sums.
    fn open(&self, reach: Reach) -> impl Iterator<Item = (f32, u32)> {
        let known = self.touched.iter().map(|&slot| (self.total[slot as usize], slot));
        known.filter(move |(sum, _)| reach.of(*sum) >= reach.floor)
    }

    /// Whether no untouched row can enter, and scoring the others costs less than going on.
    fn suffice(&self, reach: Reach, ahead: usize) -> bool {
        reach.rest * SLACK < reach.floor && self.open(reach).count() * DEAR <= ahead
    }

    /// Up to k rows that may be found, with the best sums so far.
    fn front(&self, reach: Reach, k: usize, accept: &dyn Fn(u32) -> bool) -> Vec<(f32, u32)> {
        let mut sums: Vec<(f32, u32)> = self.open(reach).collect();
        let looked_at = sums.len().min(k * LOOKED_AT);
        if looked_at < sums.len() {
            sums.select_nth_unstable_by(looked_at, |left, right| right.0.total_cmp(&left.0));
            sums.truncate(looked_at);
        }
        sums.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        sums.retain(|(_, slot)| accept(*slot));
        sums.truncate(k);
        sums
    }
}

/// A candidate, ordered from the best to the worst.
struct Entry {
    score: Match,
    order: i64,
    slot: u32,
}

impl Entry {
    fn rank(&self) -> (Reverse<u32>, i64, u32) {
        // Positive floats compare as their bits do.
        (Reverse(self.score.bm25.to_bits()), self.order, self.slot)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The best k rows so far; the worst of them is at the top.
struct Best<'a> {
    k: usize,
    order: &'a dyn Fn(u32) -> i64,
    heap: BinaryHeap<Entry>,
}

impl Best<'_> {
    /// Whether a row whose score is at most `bound` cannot enter; a tie may, by its order.
    fn rejects(&self, bound: f64) -> bool {
        self.heap.len() == self.k
            && self.heap.peek().is_some_and(|worst| bound < f64::from(worst.score.bm25))
    }

    fn offer(&mut self, slot: u32, score: Match) {
        let entry = Entry { score, order: (self.order)(slot), slot };
        if self.heap.len() < self.k {
            self.heap.push(entry);
        } else if self.heap.peek().is_some_and(|worst| entry < *worst) {
            self.heap.pop();
            self.heap.push(entry);
        }
    }

    fn into_hits(self) -> Vec<Hit> {
        let mut ranked = self.heap.into_vec();
        ranked.sort_unstable();
        ranked.iter().map(|entry| Hit { slot: entry.slot, score: entry.score }).collect()
    }
}
