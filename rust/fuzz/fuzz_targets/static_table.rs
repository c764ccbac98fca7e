//! Any bytes as the table of the static embedder.

#![no_main]

use libfuzzer_sys::fuzz_target;
use realmemory_engine::embed::static_table::{HEADER, StaticTable, checksum};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if bytes.len() >= HEADER {
        // A right checksum, so that the checks behind it are reached.
        bytes[..8].copy_from_slice(b"RMSTATIC");
        let sum = checksum(&bytes[HEADER..]);
        bytes[32..40].copy_from_slice(&sum.to_le_bytes());
    }
    if let Ok(table) = StaticTable::open(bytes) {
        let row = table.encode(&["Any text, ein Text, текст 東京"]);
        assert!(row.len() == table.dim());
    }
});
