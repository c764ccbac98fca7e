//! Opening and searching a damaged snapshot must refuse or answer, never panic.
//!
//! The input is a list of edits to a valid file: position and byte. After the edits the checksums
//! are made good again, so that the fuzzer gets behind them.
//!
//!     cargo +nightly fuzz run snapshot

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use realmemory_engine::filter::Filter;
use realmemory_engine::memory::{Batch, MemoryIndex, analyze_all};
use realmemory_engine::rows::Attributes;
use realmemory_engine::scan::{Query, Rank};
use realmemory_engine::snapshot::Stamp;

const DIM: usize = 64;
const ROWS: usize = 40;
const HEADER: usize = 4_096;
const BLOCK: usize = 65_536;
/// Where the header keeps the range of the table of checksums, and its checksum.
const TABLE: usize = 8 + 8 + 32 + 8 + 24 + 21 * 16;

fuzz_target!(|edits: &[u8]| {
    let mut file = valid().clone();
    for edit in edits.chunks_exact(4) {
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize % file.len();
        file[at] = edit[3];
    }
    reseal(&mut file);
    let path = std::env::temp_dir().join(format!("realmemory-fuzz-{}", std::process::id()));
    std::fs::write(&path, &file).expect("the temporary folder can be written");
    if let Ok((mut index, _)) = MemoryIndex::open(&path, [7; 32], DIM) {
        use_it(&mut index);
    }
});

fn use_it(index: &mut MemoryIndex) {
    let filter = Filter::everything(1.0);
    let vector = vec![0.125; DIM];
    let query =
        Query { vector: &vector, k: 5, rank: Rank::Score, min_cosine: -2.0, filter: &filter };
    let _ = index.topk(&query);
    let _ = index.search_terms("red fox", 5, &filter, true);
    let ids: Vec<i64> = (0..ROWS as i64).collect();
    index.lexical("red fox", &ids, None, false);
    index.remove(&ids[..3]);
    insert(index, &ids[2..9]);
    let _ = index.topk(&query);
}

fn insert(index: &mut MemoryIndex, ids: &[i64]) {
    let count = ids.len();
    let vectors: Vec<f32> = (0..count * DIM).map(|at| ((at * 37 % 101) as f32) - 50.0).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("red fox number {id}")).collect();
    let (zeros, ones) = (vec![0.0; count], vec![1.0; count]);
    let bytes = vec![0; count];
    let attributes = Attributes {
        scope: &vec![0; count],
        kind: &bytes,
        status: &bytes,
        flags: &bytes,
        base: &ones,
        last: &zeros,
        valid_from: &zeros,
        valid_until: &vec![f64::INFINITY; count],
        observed_at: &zeros,
    };
    let _ = index.upsert(&Batch {
        ids,
        has_vector: &vec![1; count],
        vectors: &vectors,
        terms: &analyze_all(&texts),
        attributes,
    });
}

/// A snapshot with codes.
fn valid() -> &'static Vec<u8> {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let mut index = MemoryIndex::new(DIM).expect("the dimension is in range");
        insert(&mut index, &(0..ROWS as i64).collect::<Vec<i64>>());
        index.optimize();
        let path = std::env::temp_dir().join(format!("realmemory-seed-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        index.save(&path, Stamp { identity: [7; 32], rev: 1 }).expect("it can be written");
        std::fs::read(&path).expect("it was just written")
    })
}

/// Make every checksum good again, as far as the header still makes sense.
fn reseal(file: &mut [u8]) {
    let field = |file: &[u8], at: usize| {
        u64::from_ne_bytes(std::array::from_fn(|byte| file[at + byte])) as usize
    };
    let (start, end) = (field(file, TABLE), field(file, TABLE + 8));
    if HEADER <= start && start <= end && end <= file.len() {
        for (number, block) in (HEADER..start).step_by(BLOCK).enumerate() {
            let sum = checksum(&file[block..start.min(block + BLOCK)]).to_le_bytes();
            if let Some(place) = file.get_mut(start + number * 8..start + number * 8 + 8) {
                place.copy_from_slice(&sum);
            }
        }
        let sum = checksum(&file[start..end]).to_ne_bytes();
        file[TABLE + 16..TABLE + 24].copy_from_slice(&sum);
    }
    let sum = checksum(&file[..HEADER - 8]).to_ne_bytes();
    file[HEADER - 8..HEADER].copy_from_slice(&sum);
}

/// The engine's checksum.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTORS: [u64; 4] = [
        0x9e37_79b1_85eb_ca87,
        0xc2b2_ae3d_27d4_eb4f,
        0x1656_67b1_9e37_79f9,
        0x85eb_ca77_c2b2_ae63,
    ];
    let mut lanes = FACTORS;
    let (words, rest) = bytes.as_chunks::<32>();
    for word in words {
        let (parts, _) = word.as_chunks::<8>();
        for (lane, part) in lanes.iter_mut().zip(parts) {
            *lane = (*lane ^ u64::from_le_bytes(*part)).wrapping_mul(FACTORS[0]).rotate_left(31);
        }
    }
    for &byte in rest {
        lanes[0] = (lanes[0] ^ u64::from(byte)).wrapping_mul(FACTORS[1]).rotate_left(11);
    }
    let mut sum = bytes.len() as u64;
    for (lane, factor) in lanes.into_iter().zip(FACTORS) {
        sum = (sum ^ lane).wrapping_mul(factor).rotate_left(27);
    }
    sum ^ (sum >> 32)
}
