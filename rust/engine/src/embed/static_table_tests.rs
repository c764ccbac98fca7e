use super::*;

const PIECES: [&str; 7] = ["hel", "hello", "##lo", "wor", "##ld", "京", "##1"];

/// A file of dimension 2 whose row i is (i - 7.5, 7.5 - i).
pub(crate) fn file(bits: u32) -> Vec<u8> {
    let mut body = Vec::from(b"tiny-1".as_slice());
    let mut end = 0;
    for piece in PIECES {
        end += piece.len() as u32;
        body.extend(end.to_le_bytes());
    }
    body.extend(PIECES.concat().as_bytes());
    body.extend([1.0_f32; 7].map(f32::to_le_bytes).concat());
    body.extend([1.0_f32; 7].map(f32::to_le_bytes).concat());
    for row in 0..7_u8 {
        if bits == 4 {
            body.push(row | (15 - row) << 4);
        } else {
            body.extend([row + 120, 135 - row]);
        }
    }
    let mut data = Vec::from(MAGIC.as_slice());
    for field in [VERSION, bits, 7, 2, 6, PIECES.concat().len() as u32] {
        data.extend(field.to_le_bytes());
    }
    data.extend(checksum(&body).to_le_bytes());
    data.extend(body);
    data
}

#[test]
fn the_longest_piece_wins_and_strangers_are_skipped() {
    let table = StaticTable::open(file(4)).expect("valid");
    assert_eq!((table.name(), table.dim(), table.pieces()), ("tiny-1", 2, 7));
    assert_eq!(table.tokenize("Hello, WORLD!"), [1, 3, 4]);
    assert_eq!(table.tokenize("hello1 helld"), [1, 6, 0, 4]);
    assert_eq!(table.tokenize("héllo 東京"), [1, 5]);
    assert_eq!(table.tokenize("xhello ?"), [2]);
    assert_eq!(table.tokenize("?! xyz"), [] as [u32; 0]);
    assert_eq!(table.tokenize(&"hello".repeat(30)).len(), MAX_WORD_CHARS / 5);
    assert_eq!(table.tokenize(&format!("{} wor 京", "x".repeat(80))), [3, 5]);
}

#[test]
fn vectors_are_the_weighted_mean_of_rows() {
    for bits in [4, 8] {
        let table = StaticTable::open(file(bits)).expect("valid");
        let rows = table.encode(&["hello", "?", "hello world"]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(rows[..4], [-half, half, 0.0, 0.0]);
        assert_eq!(rows[4..], [-half, half]);
        assert_eq!(table.token_rows(&[1, 99]), [-half, half, 0.0, 0.0]);
    }
}

#[test]
fn damaged_files_are_refused() {
    let good = file(4);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        assert!(StaticTable::open(bad).is_err(), "byte {at}");
        assert!(StaticTable::open(&good[..at]).is_err(), "{at} bytes");
    }
}
