//! Any text: terms are bounded, hold no white space, and a text answers itself.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use realmemory_engine::embed::hashing::HashingEncoder;
use realmemory_engine::text::{analyze, analyze_query, fts_terms, tokens::MAX_TERM_CHARS};

fuzz_target!(|text: &str| {
    let terms: HashSet<String> = analyze(text).into_iter().map(|term| term.text).collect();
    for term in &terms {
        assert!(!term.is_empty() && !term.contains(char::is_whitespace));
        assert!(term.chars().count() <= MAX_TERM_CHARS + 3);
    }
    for word in analyze_query(text) {
        assert!(terms.contains(&word.text) || word.others.iter().any(|form| terms.contains(form)));
    }
    assert_eq!(fts_terms(text).is_empty(), terms.is_empty());
    let row = HashingEncoder::new(64, 7).expect("valid").encode(&[text]);
    assert!(row.iter().all(|x| x.is_finite()));
});
