//! Folding: spellings that a reader takes for the same become the same characters.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Fold a text: compatibility forms (NFKC), diacritics, invisible characters, digits of other
/// scripts and typographic apostrophes and hyphens. Case is kept, because camelCase is cut by it.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    if text.chars().all(is_simple) {
        let mut folded = String::with_capacity(text.len());
        text.chars().for_each(|c| push_simple(&mut folded, c));
        return Cow::Owned(folded);
    }
    let mut base = '\0';
    let stripped = text.chars().filter(|&c| !is_ignorable(c)).nfkd().filter(move |&c| {
        if is_ignorable(c) {
            return false;
        }
        if !is_diacritic(c) {
            base = c;
            return true;
        }
        changes_letter(base, c)
    });
    let mut folded = String::with_capacity(text.len());
    for c in stripped.nfc() {
        push_folded(&mut folded, c);
    }
    Cow::Owned(folded)
}

/// Append the lower case of a folded word to `out`.
pub fn lower_into(word: &str, out: &mut String) {
    if word.is_ascii() {
        out.extend(word.bytes().map(|b| char::from(b.to_ascii_lowercase())));
        return;
    }
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'ς' => out.push('σ'),
            _ => out.push(c),
        }
    }
}

/// What the letters U+00C0 to U+00FF fold to.
const LATIN_1: [&str; 64] = [
    "A", "A", "A", "A", "A", "A", "AE", "C", "E", "E", "E", "E", "I", "I", "I", "I", "D", "N", "O",
    "O", "O", "O", "O", "×", "O", "U", "U", "U", "U", "Y", "TH", "ss", "a", "a", "a", "a", "a",
    "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i", "d", "n", "o", "o", "o", "o", "o", "÷",
    "o", "u", "u", "u", "u", "y", "th", "y",
];

/// Characters of Western and Russian text, which need no normalisation: most texts are made of
/// these alone, and this path is several times faster.
fn is_simple(c: char) -> bool {
    c.is_ascii()
        || matches!(c, 'À'..='ÿ' | 'А'..='я' | 'Ё' | 'ё' | '–' | '—' | '‘'..='‟' | '«' | '»')
}

fn push_simple(out: &mut String, c: char) {
    match c {
        'À'..='ÿ' => out.push_str(LATIN_1[c as usize - 0xC0]),
        'Ё' => out.push('Е'),
        'ё' => out.push('е'),
        _ => push_folded(out, c),
    }
}

fn push_folded(out: &mut String, c: char) {
    match c {
        'ß' => out.push_str("ss"),
        'ẞ' => out.push_str("SS"),
        'æ' => out.push_str("ae"),
        'Æ' => out.push_str("AE"),
        'œ' => out.push_str("oe"),
        'Œ' => out.push_str("OE"),
        'ø' => out.push('o'),
        'Ø' => out.push('O'),
        'đ' | 'ð' => out.push('d'),
        'Đ' | 'Ð' => out.push('D'),
        'þ' => out.push_str("th"),
        'Þ' => out.push_str("TH"),
        'ł' => out.push('l'),
        'Ł' => out.push('L'),
        'ħ' => out.push('h'),
        'Ħ' => out.push('H'),
        'ı' => out.push('i'),
        'ς' => out.push('σ'),
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '\u{02B9}' | '\u{2032}'
        | '\u{00B4}' => out.push('\''),
        '\u{2010}'..='\u{2012}' | '\u{2212}' | '\u{FE63}' => out.push('-'),
        _ => out.push(ascii_digit(c).unwrap_or(c)),
    }
}

/// Decimal digits of the Arabic, Indic and South-East Asian scripts.
fn ascii_digit(c: char) -> Option<char> {
    const ZEROS: [u32; 17] = [
        0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
        0x0D66, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0,
    ];
    let code = c as u32;
    if !(0x0660..=0x17E9).contains(&code) {
        return None;
    }
    let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

/// Accents, points and vowel marks that readers leave out at will.
fn is_diacritic(c: char) -> bool {
    matches!(c as u32,
        0x0300..=0x036F | 0x0483..=0x0487 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF
        | 0x20D0..=0x20FF | 0xFE20..=0xFE2F
        | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x064B..=0x065F | 0x0670 | 0x06D6..=0x06DC | 0x06DF..=0x06E4
        | 0x06E7..=0x06E8 | 0x06EA..=0x06ED)
}

/// The breve of й and ў and the dots of ї make another letter; those of ё are optional.
fn changes_letter(base: char, mark: char) -> bool {
    matches!((base, mark), ('и' | 'И' | 'у' | 'У', '\u{306}') | ('і' | 'І', '\u{308}'))
}

/// Default-ignorable code points (Unicode `DerivedCoreProperties`): soft hyphens, zero-width
/// characters, directional marks, variation selectors, tags.
fn is_ignorable(c: char) -> bool {
    matches!(c as u32,
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        lower_into(&fold(text), &mut out);
        out
    }

    #[test]
    fn spellings_of_one_word_meet() {
        for (left, right) in [
            ("STRASSE", "Straße"),
            ("cafe\u{301}", "café"),
            ("Zürich", "zurich"),
            ("отчёт", "отчет"),
            ("ﬁle", "file"),
            ("pass\u{200B}word", "password"),
            ("İstanbul", "istanbul"),
            ("don’t", "don't"),
            ("ＥＲＲ－４０４２", "err-4042"),
            ("ΟΔΟΣ", "οδος"),
            ("٤٢", "42"),
            ("й", "и\u{306}"),
        ] {
            assert_eq!(folded(left), folded(right), "{left} {right}");
        }
    }

    #[test]
    fn both_paths_fold_alike() {
        for c in (0..0x3000).filter_map(char::from_u32).filter(|&c| is_simple(c)) {
            // A character of another script makes the whole text take the long way.
            let long = fold(&format!("{c}한")).replace('한', "");
            assert_eq!(fold(&c.to_string()), long, "{c:?}");
        }
    }

    #[test]
    fn letters_that_only_look_alike_stay_apart() {
        for (left, right) in [("й", "и"), ("ї", "і"), ("が", "か")] {
            assert_ne!(folded(left), folded(right), "{left} {right}");
        }
    }
}
