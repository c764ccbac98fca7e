use super::*;

fn terms(text: &str) -> Vec<String> {
    analyze(text).into_iter().map(|term| term.text).collect()
}

fn query(text: &str) -> Vec<String> {
    analyze_query(text).iter().map(|term| term.text.clone()).collect()
}

/// Whether some form of every query word is among the document's terms.
fn finds(query: &str, document: &str) -> bool {
    let words = analyze_query(query);
    let terms = terms(document);
    let holds = |word: &Rc<QueryTerm>| {
        terms.contains(&word.text) || word.others.iter().any(|form| terms.contains(form))
    };
    !words.is_empty() && words.iter().all(holds)
}

#[test]
fn spellings_find_each_other() {
    for (query, document) in [
        ("STRASSE", "Die Straße ist gesperrt"),
        ("straße", "STRASSE"),
        ("don't panic", "don’t panic"),
        ("cafe zurich", "Café in Zürich"),
        ("отчет партнерам", "Отчёт партнёрам отправлен"),
        ("email", "send an e-mail"),
        ("user_name", "the userName field"),
        ("ERR4042", "it fails with ERR-4042."),
        ("err-4042", "ERR4042"),
        ("dry-run", "pass --dry-run first"),
        ("--dry-run", "pass --dry-run first"),
        ("1.2.3", "released v1.2.3 today"),
        ("foo/bar.py", "see foo/bar.py:42"),
        ("bar.py", "see src\\foo\\bar.py"),
        ("snake_case.py:42", "at snake_case.py:42"),
        ("C++", "modern C++17 and C++"),
        ("C#", "C# or F#?"),
        (".NET", "runs on .NET 8"),
        ("@user", "ask @user"),
        ("user", "ask @user"),
        ("#tag", "a #tag"),
        ("budget 1000", "a budget of $1,000"),
        ("USA", "the U.S.A. office"),
        ("l'homme", "l’homme"),
        ("node js", "Node.js"),
        ("HTTP server", "class HTTPServer"),
    ] {
        assert!(
            finds(query, document),
            "{query} | {document} | {:?} {:?}",
            self::query(query),
            terms(document)
        );
    }
}

#[test]
fn inflected_forms_find_each_other() {
    for (query, document) in [
        ("running tests", "the test runs"),
        ("переезд команды", "команда обсуждала переезды"),
        ("Haus verkaufen", "Die Häuser am See wurden verkauft und verkaufe nichts mehr"),
        ("maison", "les maisons sont dans la rue"),
        ("casas", "la casa de los abuelos"),
    ] {
        assert!(finds(query, document), "{query} | {document} | {:?}", terms(document));
    }
}

#[test]
fn pairs_make_scripts_without_spaces_findable() {
    for (query, document) in [
        ("東京", "明日は東京タワーに行きます"),
        ("タワー", "明日は東京タワーに行きます"),
        ("数据", "我们的数据库在上海"),
        ("库", "我们的数据库在上海"),
        ("한국어", "한국어를 배웁니다"),
        ("ภาษา", "เรียนภาษาไทยทุกวัน"),
        ("iPhone", "新しいiPhone用ケース"),
    ] {
        assert!(finds(query, document), "{query} | {document}");
    }
}

#[test]
fn function_words_alone_ask_nothing() {
    for text in [
        "the",
        "THE",
        "what is it?",
        "for",
        "для",
        "кто это",
        "der",
        "les",
        "don't",
        "that’s",
        "",
        "?!",
    ] {
        assert_eq!(query(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn content_words_stay_in_queries() {
    for text in
        ["car", "AI", "come", "die casting", "who is in IT", "C", "R", "war", "WHO report", "son"]
    {
        assert!(!query(text).is_empty(), "{text}");
    }
    assert!(query("who works in IT").contains(&"it".to_owned()));
}

#[test]
fn normal_forms_do_not_matter() {
    use unicode_normalization::UnicodeNormalization;
    for text in ["Ångström é й ё ガ 각 Đà Nẵng", "ΐ ǖ ệ", "ﷺ ½ Ⅷ"] {
        let composed: String = text.nfc().collect();
        let decomposed: String = text.nfd().collect();
        assert_eq!(analyze(&composed), analyze(&decomposed));
    }
}

#[test]
fn hostile_texts_cost_little_and_give_bounded_terms() {
    for text in [
        "a++".repeat(20_000),
        "l'".repeat(30_000),
        "a/".repeat(30_000),
        "A".repeat(60_000),
        "aB".repeat(30_000),
        "a1".repeat(30_000),
        "a.".repeat(30_000),
        "_".repeat(60_000),
        "e\u{301}".repeat(20_000),
        "\u{301}".repeat(30_000),
        "東".repeat(20_000),
        "ก\u{E34}".repeat(10_000),
        "\u{FDFA}".repeat(20_000),
        "ъ".repeat(30_000),
    ] {
        for term in analyze(&text) {
            assert!(term.text.chars().count() <= tokens::MAX_TERM_CHARS + 3, "{}", term.text);
            assert!(!term.text.is_empty());
            assert!(!term.text.chars().any(char::is_whitespace));
        }
        assert!(analyze_query(&text).len() <= 256);
    }
}

#[test]
fn full_text_terms_hold_no_separator() {
    let joined = fts_terms("C++ at foo/bar.py:42, हिन्दी");
    assert_eq!(joined.split(' ').count(), analyze("C++ at foo/bar.py:42, हिन्दी").len());
    assert!(
        joined.split(' ').all(|term| term.chars().all(|c| c.is_alphanumeric() || !c.is_ascii()))
    );
}

#[test]
fn a_korean_query_asks_by_the_noun_without_its_particle() {
    let asked = |query: &str| -> Vec<String> {
        analyze_query(query).iter().map(|term| term.text.clone()).collect()
    };
    assert_eq!(asked("백업은"), ["백업"]);
    assert_eq!(asked("목요일에는 서버에서"), ["목요", "요일", "서버"]);
    assert_eq!(asked("예약을"), asked("예약"));
    // Too short to be a noun and a particle; and what no particle ends.
    assert_eq!(asked("나는"), ["나는"]);
    assert_eq!(asked("목요일"), ["목요", "요일"]);
    assert_eq!(asked("東京都"), ["東京", "京都"]);
}

#[test]
fn words_beyond_the_known_ones_are_counted_once_each_and_no_function_words() {
    let known: HashSet<String> = ["dog", "tobi"].map(str::to_owned).into();
    assert_eq!(count_beyond("My dogs and Toby!", &known, 6), 0);
    assert_eq!(count_beyond("He ate the salmon, a whole salmon.", &known, 6), 3);
    assert_eq!(count_beyond("He ate the salmon, a whole salmon.", &known, 2), 2);
    assert_eq!(count_beyond(&"word ".repeat(100_000), &known, 6), 1);
}
