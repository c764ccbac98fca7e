use super::super::static_table::tests::file;
use super::*;

const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

#[test]
fn pieces_that_point_one_way_are_coherent() {
    let table = StaticTable::open(file(4)).expect("valid");
    let world = [-HALF, HALF, HALF, -HALF];
    let alone = table.about("hello", &world).expect("whole rows");
    assert_eq!(table.about("hello hello", &world).expect("whole rows"), alone);
    assert!((alone.largest - 1.0).abs() < 1e-6 && alone.mean.abs() < 1e-6, "{alone:?}");
    assert!((alone.deviation - 1.0).abs() < 1e-6, "{alone:?}");
}

#[test]
fn a_text_without_a_piece_is_about_nothing() {
    let table = StaticTable::open(file(4)).expect("valid");
    assert_eq!(table.about("xyz", &[1.0, 0.0]).expect("whole rows"), About::default());
    assert_eq!(table.about("hello", &[]).expect("whole rows"), About::default());
    assert!(table.about("hello", &[1.0]).is_err());
}
