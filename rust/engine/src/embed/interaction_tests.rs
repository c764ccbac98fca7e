use super::super::static_table::tests::file;
use super::*;

#[test]
fn equal_words_answer_each_other_fully() {
    let table = StaticTable::open(file(4)).expect("valid");
    let found = table.interact("hello world", &["World, hello!", "京", "", "hello"]);
    assert_eq!(found.words, 2);
    assert!((found.mean[0] - 1.0).abs() < 1e-6, "{found:?}");
    assert_eq!((found.mean[2], found.weakest[2]), (0.0, 0.0));
    assert!(found.mean[3] >= found.mean[1]);
    assert!(found.mean.iter().chain(&found.weakest).all(|x| (0.0..=1.0 + 1e-6).contains(x)));
}

#[test]
fn words_without_a_piece_count_for_nothing() {
    let table = StaticTable::open(file(4)).expect("valid");
    let found = table.interact("xyz the of", &["hello"]);
    assert_eq!((found.words, found.letters_per_piece), (0, 0.0));
    assert_eq!((found.mean, found.weakest), (vec![0.0], vec![0.0]));
    // `hello` is one piece of five letters, `world` two of five together.
    assert_eq!(table.interact("hello world", &[""]).letters_per_piece, 3.75);
}

#[test]
fn another_number_is_no_answer() {
    assert_eq!(number_in("1497"), "1497");
    assert_eq!((number_in("07"), number_in("svc7b")), ("7".to_owned(), "7".to_owned()));
    assert_eq!((number_in("00"), number_in("hello")), ("0".to_owned(), String::new()));
}

#[test]
fn each_word_of_a_query_is_told_with_what_comes_nearest_to_it() {
    let table = StaticTable::open(file(4)).expect("valid");
    let found = table.nearest_words("Hello the world", "world");
    let words: Vec<&str> = found.iter().map(|nearest| nearest.word.as_str()).collect();
    assert_eq!(words, ["hello", "world"]);
    assert!((found[1].cosine - 1.0).abs() < 1e-6, "{found:?}");
    let least = found.iter().map(|nearest| nearest.cosine).fold(1.0, f32::min);
    assert_eq!(table.interact("Hello the world", &["world"]).weakest, [least]);
    assert!(table.nearest_words("the of", "a world").is_empty());
}
