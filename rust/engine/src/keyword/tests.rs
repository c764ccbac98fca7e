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

fn exhaustive(
    index: &KeywordIndex,
    query: &Query,
    k: usize,
    scopes: Option<&[u32]>,
    accept: &dyn Fn(u32) -> bool,
) -> Vec<Hit> {
    let slots: Vec<u32> = (0..index.documents.len() as u32).filter(|&slot| accept(slot)).collect();
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
            let accept = |slot: u32| {
                index.documents[slot as usize].is_some() && slot.is_multiple_of(modulus)
            };
            let found = index.search(&query, k, scopes, &accept, &order);
            assert_eq!(found, exhaustive(&index, &query, k, scopes, &accept));
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
    }
    let mut fresh = KeywordIndex::new();
    for (slot, document) in changed.documents.iter().enumerate() {
        if document.is_some() {
            fresh.upsert_text(slot as u32, slot as u32 % 2, &texts[slot]);
        }
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
