//! Classes of characters that decide how a run of text is cut into terms.

/// How the characters of a run are turned into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Words are separated in writing; the letters are stemmed when their language is known.
    Latin,
    /// As `Latin`, with Russian stems.
    Cyrillic,
    /// Words are separated in writing, but no stemmer is at hand.
    Other,
    /// Han, kana and Hangul: overlapping pairs of characters.
    Cjk,
    /// Thai, Lao, Khmer and Burmese: overlapping pairs of grapheme clusters.
    Unspaced,
    /// Decimal digits and other numbers.
    Digit,
}

/// The class of a character of a word, or `None` for what separates words.
pub fn script_of(c: char) -> Option<Script> {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Some(Script::Latin),
            '0'..='9' => Some(Script::Digit),
            _ => None,
        };
    }
    match c as u32 {
        0x00AA | 0x00BA | 0x00C0..=0x00D6 | 0x00D8..=0x00F6 | 0x00F8..=0x024F => {
            Some(Script::Latin)
        }
        0x1E00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF => Some(Script::Latin),
        0x0400..=0x052F | 0x1C80..=0x1C8F | 0x2DE0..=0x2DFF | 0xA640..=0xA69F => {
            Some(Script::Cyrillic).filter(|_| c.is_alphanumeric() || is_combining(c))
        }
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0xA9E0..=0xA9FF | 0xAA60..=0xAA7F => {
            Some(Script::Unspaced).filter(|_| c.is_alphanumeric() || is_combining(c))
        }
        0x1100..=0x11FF | 0xA960..=0xA97F | 0xAC00..=0xD7FF => Some(Script::Cjk),
        0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x3041..=0x30FA => Some(Script::Cjk),
        0x30FC..=0x30FF | 0x3105..=0x318E | 0x31A0..=0x31BF | 0x31F0..=0x31FF => Some(Script::Cjk),
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => {
            Some(Script::Cjk)
        }
        _ if c.is_numeric() => Some(Script::Digit),
        _ if c.is_alphabetic() || is_combining(c) => Some(Script::Other),
        _ => None,
    }
}

/// Marks that survive folding because they are vowels or change the letter (Indic and
/// South-East Asian signs, kana voicing); they never start a word of their own.
fn is_combining(c: char) -> bool {
    matches!(c as u32,
        0x0300..=0x036F
        | 0x0483..=0x0487
        | 0x0900..=0x0903 | 0x093A..=0x094F | 0x0951..=0x0957 | 0x0962..=0x0963
        | 0x0981..=0x0983 | 0x09BC..=0x09CD | 0x09D7 | 0x09E2..=0x09E3
        | 0x0A01..=0x0A03 | 0x0A3C..=0x0A51 | 0x0A70..=0x0A71 | 0x0A75
        | 0x0A81..=0x0A83 | 0x0ABC..=0x0ACD | 0x0AE2..=0x0AE3
        | 0x0B01..=0x0B03 | 0x0B3C..=0x0B57 | 0x0B82 | 0x0BBE..=0x0BCD | 0x0BD7
        | 0x0C00..=0x0C04 | 0x0C3C..=0x0C56 | 0x0C81..=0x0C83 | 0x0CBC..=0x0CD6
        | 0x0D00..=0x0D03 | 0x0D3B..=0x0D4D | 0x0D57 | 0x0D81..=0x0D83 | 0x0DCA..=0x0DDF
        | 0x0E31 | 0x0E34..=0x0E3A | 0x0E47..=0x0E4E
        | 0x0EB1 | 0x0EB4..=0x0EBC | 0x0EC8..=0x0ECE
        | 0x0F71..=0x0F84 | 0x0F8D..=0x0FBC
        | 0x102B..=0x103E | 0x1056..=0x1059 | 0x105E..=0x1060 | 0x1062..=0x1064
        | 0x1067..=0x106D | 0x1071..=0x1074 | 0x1082..=0x108D | 0x109A..=0x109D
        | 0x17B4..=0x17D3 | 0x17DD | 0x3099..=0x309A)
}
