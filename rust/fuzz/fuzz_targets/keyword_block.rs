//! A block of the keyword index, flipped and cut: wrong answers are allowed, panics are not.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use realmemory_engine::keyword::KeywordIndex;

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut index = KeywordIndex::new();
    for slot in 0..200 {
        let text = format!("deploy the service {} with key {}", slot % 7, slot % 13);
        index.upsert_text(slot, slot % 3, &text);
    }
    index.to_bytes(&Some)
});

fuzz_target!(|edits: Vec<(u16, u8)>| {
    let mut block = GOOD.clone();
    for (at, byte) in &edits {
        let at = usize::from(*at) % block.len();
        block[at] = *byte;
    }
    let length = block.len();
    let Ok(mut index) = KeywordIndex::open(Arc::new(block), 0..length) else { return };
    let query = index.fuzzy_query("deploy servise key 3");
    index.search(&query, 5, Some(&[0, 2]), &|_| true, &i64::from);
    assert_eq!(index.score(&query, None, &[0, 5, 300]).len(), 3);
    index.upsert_text(3, 1, "deploy again");
    index.set_scope(4, 2);
    index.remove(5);
    let written = index.to_bytes(&|slot| slot.checked_sub(2));
    let length = written.len();
    assert!(KeywordIndex::open(Arc::new(written), 0..length).is_ok());
});
