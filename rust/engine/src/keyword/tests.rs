use std::sync::Arc;

use super::*;

/// A tiny generator, so that the tests need no dependency (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ x >> 31) % bound
    }

    /// Words by a skewed law, so that some lists are long and some short.
    fn text(&mut self, words: u64, vocabulary: u64) -> String {
        let count = 1 + self.below(words);
        let word =
            |r: &mut Self| r.below(vocabulary).min(r.below(vocabulary)).min(r.below(vocabulary));
        (0..count).map(|_| format!("w{} ", word(self) * 977 + 100_000)).collect()
    }
}

/// The index as it is after a snapshot: everything in one compact block.
fn packed(index: &KeywordIndex) -> KeywordIndex {
    let block = index.to_bytes(&Some);
    let length = block.len();
    KeywordIndex::open(Arc::new(block), 0..length).expect("what was written opens")
}

fn exhaustive(
    index: &KeywordIndex,
    query: &Query,
    k: usize,
    scopes: Option<&[u32]>,
    accept: &dyn Fn(u32) -> bool,
) -> Vec<Hit> {
    let slots: Vec<u32> = (0..index.slots()).filter(|&slot| accept(slot)).collect();
    let scores = index.score(query, scopes, &slots);
    let mut hits: Vec<Hit> = slots
        .iter()
        .zip(scores)
        .filter(|(_, score)| score.matched > 0)
        .map(|(&slot, score)| Hit { slot, score })
        .collect();
    hits.sort_by(|l, r| {
        r.score.bm25.total_cmp(&l.score.bm25).then(order(l.slot).cmp(&order(r.slot)))
    });
    hits.truncate(k);
    hits
}

fn order(slot: u32) -> i64 {
    -i64::from(slot)
}

#[test]
fn the_cut_loses_nothing() {
    let mut random = Random(1);
    for round in 0..60 {
        let mut index = KeywordIndex::new();
        let rows = [1, 7, 80, 400, 2_000][round % 5];
        for slot in 0..rows {
            let text = random.text(30, 60);
            index.upsert_text(slot, (slot % 3) * 5, &text);
        }
        for _ in 0..rows / 3 {
            let slot = random.below(u64::from(rows)) as u32;
            if random.below(2) == 0 {
                index.remove(slot);
            } else {
                index.upsert_text(slot, 5, &random.text(40, 60));
            }
        }
        for _ in 0..20 {
            let query = index.query(&random.text(6, 60));
            let k = 1 + random.below(25) as usize;
            let scopes: [Option<&[u32]>; 3] = [None, Some(&[0, 5]), Some(&[])];
            let scopes = scopes[random.below(3) as usize];
            let modulus = 1 + random.below(4) as u32;
            let accept = |slot: u32| index.scope_of(slot).is_some() && slot.is_multiple_of(modulus);
            let found = index.search(&query, k, scopes, &accept, &order);
            assert_eq!(found, exhaustive(&index, &query, k, scopes, &accept));
            let Some(known) = found.get(random.below(k as u64) as usize) else { continue };
            let floor = f64::from(known.score.bm25);
            let above = |hits: Vec<Hit>| {
                let reaching = |hit: &Hit| f64::from(hit.score.bm25) >= floor;
                hits.into_iter().filter(reaching).collect::<Vec<_>>()
            };
            let plan = index.plan(&query, scopes);
            assert_eq!(above(plan.search_above(floor, k, &accept, &order)), above(found));
        }
    }
}

#[test]
fn an_index_that_changed_equals_one_built_anew() {
    let mut random = Random(2);
    let texts: Vec<String> = (0..300).map(|_| random.text(20, 40)).collect();
    let mut changed = KeywordIndex::new();
    for step in 0..2_000_u64 {
        let slot = random.below(300) as u32;
        if step % 5 == 0 {
            changed.remove(slot);
        } else {
            changed.upsert_text(slot, slot % 2, &texts[slot as usize]);
        }
        if step % 200 == 7 {
            changed.set_scope(slot, 1 - slot % 2);
            changed.set_scope(slot, slot % 2);
        }
        if step == 1_200 {
            changed = packed(&changed);
        }
        // What was counted for a query must follow the rows that come and go after it.
        changed.search(&changed.query(&random.text(3, 40)), 3, Some(&[1]), &|_| true, &order);
    }
    let mut fresh = KeywordIndex::new();
    for slot in (0..300).filter(|&slot| changed.scope_of(slot).is_some()) {
        fresh.upsert_text(slot, slot % 2, &texts[slot as usize]);
    }
    for _ in 0..100 {
        let text = random.text(5, 40);
        let run = |index: &KeywordIndex| {
            index.search(&index.query(&text), 10, Some(&[1]), &|_| true, &order)
        };
        assert_eq!(run(&changed), run(&fresh));
    }
}

#[test]
fn scopes_that_lie_together_are_walked_alone_and_lose_nothing() {
    let mut random = Random(3);
    for round in 0..12 {
        let mut index = KeywordIndex::new();
        for slot in 0..1_200 {
            index.upsert_text(slot, slot / 400, &random.text(20, 40));
        }
        index = packed(&index);
        assert_eq!(index.regions.of(&[0, 2]), Some(vec![0..400, 800..1_200]));
        for _ in 0..round * 40 {
            let slot = random.below(1_300) as u32;
            match random.below(3) {
                0 => index.remove(slot),
                1 => index.set_scope(slot, random.below(4) as u32),
                _ => index.upsert_text(slot, random.below(4) as u32, &random.text(20, 40)),
            }
        }
        let scopes: &[u32] = [&[1][..], &[0, 2], &[3], &[2, 9]][round as usize % 4];
        let accept = |slot: u32| index.scope_of(slot).is_some_and(|scope| scopes.contains(&scope));
        for _ in 0..10 {
            let query = index.query(&random.text(6, 40));
            let plan = index.plan(&query, Some(scopes)).within(Some(scopes));
            let found = plan.search(7, &accept, &order);
            assert_eq!(found, exhaustive(&index, &query, 7, Some(scopes), &accept));
            let counted = index.counted(&query, Some(scopes)).postings;
            let holds = |form: &Form, slot: &u32| {
                let alone = Query { groups: vec![vec![*form]] };
                accept(*slot) && index.score(&alone, None, &[*slot])[0].matched > 0
            };
            for (form, rows) in query.groups.iter().flatten().zip(counted.iter().flatten()) {
                let held = (0..index.slots()).filter(|slot| holds(form, slot)).count();
                assert_eq!(held as f64, *rows);
            }
        }
    }
}

#[test]
fn coverage_weighs_words_by_rarity() {
    let mut index = KeywordIndex::new();
    for slot in 0..50 {
        index.upsert_text(slot, 0, "deploy the service");
    }
    index.upsert_text(50, 0, "deploy with ERR-4042");
    let query = index.query("deploy ERR-4042");
    let hits = index.search(&query, 5, None, &|_| true, &order);
    assert_eq!(hits[0].slot, 50);
    assert!((hits[0].score.coverage - 1.0).abs() < 1e-6);
    assert!(hits[1].score.coverage < 0.05, "{:?}", hits[1]);
    let unknown = index.query("deploy zanzibar");
    let hits = index.search(&unknown, 1, None, &|_| true, &order);
    assert!(hits[0].score.coverage < 0.1);
}

#[test]
fn function_words_and_unseen_words_match_nothing() {
    let mut index = KeywordIndex::new();
    index.upsert_text(3, 0, "the deploy of the API");
    for text in ["the", "of the", "zanzibar", ""] {
        assert!(index.search(&index.query(text), 5, None, &|_| true, &order).is_empty());
    }
    assert!(index.search(&index.query("api"), 0, None, &|_| true, &order).is_empty());
}

#[test]
fn statistics_are_those_of_the_visible_scopes() {
    let mut index = KeywordIndex::new();
    index.upsert_text(0, 1, "rotate the signing key");
    let alone = index.score(&index.query("signing key"), Some(&[1]), &[0]);
    for slot in 1..200 {
        index.upsert_text(slot, 2, "signing key of another project, with many more words in it");
    }
    assert_eq!(index.score(&index.query("signing key"), Some(&[1]), &[0]), alone);
    assert_ne!(index.score(&index.query("signing key"), None, &[0]), alone);
}

/// Write, renumber and open an index.
fn reopened(index: &KeywordIndex, renumber: &dyn Fn(u32) -> Option<u32>) -> KeywordIndex {
    let bytes = index.to_bytes(renumber);
    let length = bytes.len();
    KeywordIndex::open(std::sync::Arc::new(bytes), 0..length).expect("just written")
}

#[test]
fn an_index_in_a_file_goes_on_like_one_in_memory() {
    let mut random = Random(3);
    let mut memory = KeywordIndex::new();
    let mut file = reopened(&memory, &Some);
    for step in 0..1_500_u64 {
        let (slot, scope) = (random.below(400) as u32, random.below(3) as u32);
        let text = random.text(30, 60);
        for index in [&mut memory, &mut file] {
            match step % 7 {
                0 | 1 => index.remove(slot),
                2 => index.set_scope(slot, scope),
                _ => index.upsert_text(slot, scope, &text),
            }
        }
        if step % 400 == 399 {
            file = reopened(&file, &Some);
        }
        if step % 10 == 0 {
            let text = random.text(5, 60);
            let run = |index: &KeywordIndex| {
                let query = index.query(&text);
                let accept = |slot: u32| index.scope_of(slot).is_some();
                let found = index.search(&query, 8, Some(&[0, 2]), &accept, &order);
                assert_eq!(found, exhaustive(index, &query, 8, Some(&[0, 2]), &accept));
                (found, index.search(&query, 8, None, &accept, &order))
            };
            assert_eq!(run(&memory), run(&file));
            assert_eq!(memory.len(), file.len());
        }
    }
}

#[test]
fn rows_can_move_and_go_when_an_index_is_written() {
    let mut random = Random(4);
    let texts: Vec<String> = (0..90).map(|_| random.text(20, 30)).collect();
    let mut index = KeywordIndex::new();
    for (slot, text) in texts.iter().enumerate() {
        index.upsert_text(slot as u32, 0, text);
    }
    // Every third row goes, the others change places.
    let renumber = |slot: u32| (!slot.is_multiple_of(3)).then(|| 89 - slot);
    let moved = reopened(&index, &renumber);
    let mut fresh = KeywordIndex::new();
    for (slot, text) in (0_u32..).zip(&texts) {
        if let Some(new) = renumber(slot) {
            fresh.upsert_text(new, 0, text);
        }
    }
    for text in &texts {
        let run = |i: &KeywordIndex| i.search(&i.query(text), 10, None, &|_| true, &order);
        assert_eq!(run(&moved), run(&fresh));
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let mut index = KeywordIndex::new();
    for (slot, text) in ["deploy the service", "rotate keys", "deploy keys"].iter().enumerate() {
        index.upsert_text(slot as u32, 0, text);
    }
    let good = index.to_bytes(&Some);
    for at in 0..good.len() {
        for flip in [1, 0x80, 0xFF] {
            let mut bytes = good.clone();
            bytes[at] ^= flip;
            let length = bytes.len();
            let Ok(mut opened) = KeywordIndex::open(std::sync::Arc::new(bytes), 0..length) else {
                continue;
            };
            let query = opened.fuzzy_query("deploy keyz");
            opened.search(&query, 5, Some(&[0]), &|_| true, &order);
            opened.upsert_text(1, 0, "rotate service");
            opened.remove(0);
            assert!(!opened.to_bytes(&Some).is_empty());
        }
        let cut: Vec<u8> = good[..at.saturating_sub(8)].into();
        let length = cut.len();
        assert!(KeywordIndex::open(std::sync::Arc::new(cut), 0..length).is_err());
    }
}

#[test]
fn resembling_words_are_a_signal_of_their_own() {
    let mut index = KeywordIndex::new();
    for (slot, text) in [
        "the database migration failed",
        "переезжаем на новый склад",
        "kubernetes upgrade",
        "database backups",
        "something else",
    ]
    .iter()
    .enumerate()
    {
        index.upsert_text(slot as u32, 0, text);
    }
    for index in [&index, &reopened(&index, &Some)] {
        for (text, slot) in [("databse migraton", 0), ("переезд склада", 1), ("kubrnetes", 2)]
        {
            let query = index.fuzzy_query(text);
            let hits = index.search(&query, 3, None, &|_| true, &order);
            assert_eq!(hits[0].slot, slot, "{text}");
            assert!(hits[0].score.coverage > 0.4 && hits[0].score.coverage < 1.0, "{hits:?}");
        }
        assert!(index.search(&index.query("databse"), 3, None, &|_| true, &order).is_empty());
        assert_eq!(index.fuzzy_query("ERR-4042").groups, index.query("ERR-4042").groups);
    }
}
