//! Cutting folded text into words and identifiers.
//!
//! A *chunk* is a run of word characters and connectors (`foo/bar_baz.py:42`, `--dry-run`,
//! `don't`). It is cut in four levels: `/ \ : @`, then `.`, then `- _ & + '`, then camelCase and
//! letter-digit borders. Every level that cuts something also keeps the uncut form. The work is
//! linear in the text: a form is kept once a level, and long ones are not kept at all.

use unicode_segmentation::UnicodeSegmentation;

use super::fold::lower_into;
use super::korean::without_particle;
use super::script::{Script, script_of};

/// Longest term in characters; longer words are cut there, longer identifiers only split.
pub const MAX_TERM_CHARS: usize = 64;

/// A word of the text.
pub struct Word<'a> {
    /// Its folded, lower-case spelling.
    pub lower: &'a str,
    /// Its script; mixed words count as digits.
    pub script: Script,
    /// Written in capitals, at least two.
    pub shouted: bool,
    /// A place of its own in the text, not another form of a neighbouring one.
    pub primary: bool,
}

/// What the cutting is done for.
pub trait Sink {
    /// A word, to be stemmed or dropped.
    fn word(&mut self, word: &Word<'_>);
    /// A term that is taken as it is: an identifier as written, or a pair of characters.
    fn exact(&mut self, term: &str, primary: bool);
    /// Whether single characters of scripts without spaces are wanted beside the pairs.
    fn wants_single_characters(&self) -> bool;
}

/// Cut a folded text (see [`super::fold::fold`]) and hand every word and term to `sink`.
pub fn cut(folded: &str, sink: &mut impl Sink) {
    let mut cutter = Cutter { sink, lower: String::new(), joined: String::new() };
    let mut start = None;
    let mut previous = None;
    for (at, c) in folded.char_indices() {
        let class = class_of(c, previous, &folded[at..]);
        if let Some(begin) = start
            && class != previous
        {
            cutter.run(&folded[begin..at], previous);
            start = None;
        }
        if class.is_some() && start.is_none() {
            start = Some(at);
        }
        previous = class;
    }
    if let Some(begin) = start {
        cutter.run(&folded[begin..], previous);
    }
}

/// What a character may stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Words with spaces between them, and the connectors of identifiers.
    Spaced,
    Cjk,
    Unspaced,
}

fn class_of(c: char, previous: Option<Class>, rest: &str) -> Option<Class> {
    match script_of(c) {
        Some(Script::Cjk) => Some(Class::Cjk),
        Some(Script::Unspaced) => Some(Class::Unspaced),
        Some(_) => Some(Class::Spaced),
        None if matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '#' | '+' | '\'' | '&') => {
            Some(Class::Spaced)
        }
        None if c == ',' && previous == Some(Class::Spaced) => {
            groups_digits(rest).then_some(Class::Spaced)
        }
        None => None,
    }
}

/// Whether a comma is followed by exactly three digits, as in 1,000.
fn groups_digits(rest: &str) -> bool {
    let digits = rest.bytes().skip(1).take(4).take_while(u8::is_ascii_digit).count();
    digits == 3
}

struct Cutter<'s, S> {
    sink: &'s mut S,
    lower: String,
    joined: String,
}

impl<S: Sink> Cutter<'_, S> {
    fn run(&mut self, run: &str, class: Option<Class>) {
        match class {
            Some(Class::Cjk) => {
                let documents = self.sink.wants_single_characters();
                let run = if documents { run } else { without_particle(run) };
                self.pairs(run.char_indices().map(|(at, c)| (at, c.len_utf8())), run)
            }
            Some(Class::Unspaced) => {
                self.pairs(
                    run.grapheme_indices(true).map(|(at, cluster)| (at, cluster.len())),
                    run,
                );
            }
            _ if run.bytes().all(|b| b.is_ascii_lowercase()) => self.word(run, true),
            _ => self.chunk(run),
        }
    }

    /// Overlapping pairs of units; a lone unit stands for itself.
    fn pairs(&mut self, units: impl Iterator<Item = (usize, usize)>, run: &str) {
        let mut previous: Option<usize> = None;
        let mut count = 0;
        for (at, length) in units {
            if self.sink.wants_single_characters() {
                self.exact_lower(&run[at..at + length], false);
            }
            if let Some(begin) = previous {
                self.exact_lower(&run[begin..at + length], true);
            }
            previous = Some(at);
            count += 1;
        }
        if count == 1 {
            self.exact_lower(run, true);
        }
    }

    /// A run of words and connectors.
    fn chunk(&mut self, chunk: &str) {
        let is_word = |c: char| script_of(c).is_some();
        let (Some(begin), Some(last)) = (chunk.find(is_word), chunk.rfind(is_word)) else {
            return;
        };
        let end = last + chunk[last..].chars().next().map_or(0, char::len_utf8);
        let core = &chunk[begin..end];
        let is_path = |c: char| matches!(c, '/' | '\\' | ':' | '@');
        if core.contains(is_path) {
            self.whole_path(core);
            for piece in chunk.split(is_path) {
                self.piece(piece, false);
            }
        } else {
            self.piece(chunk, true);
        }
    }

    /// A path, address or qualified name as written, with and without a line number.
    fn whole_path(&mut self, core: &str) {
        let path = core.replace('\\', "/").replace(',', "");
        self.exact_lower(&path, false);
        if let Some((file, line)) = path.rsplit_once(':')
            && line.bytes().all(|b| b.is_ascii_digit())
            && file.contains(['/', '.'])
        {
            self.exact_lower(file, false);
        }
    }

    /// A piece without path separators, with what may stand before and behind its core.
    fn piece(&mut self, piece: &str, alone: bool) {
        let is_word = |c: char| script_of(c).is_some();
        let (Some(begin), Some(last)) = (piece.find(is_word), piece.rfind(is_word)) else {
            return;
        };
        let end = last + piece[last..].chars().next().map_or(0, char::len_utf8);
        let core = &piece[begin..end];
        let single = core.chars().nth(1).is_none();
        let sigil = match &piece[..begin] {
            "@" | "#" | "." | "--" => begin,
            "-" if single => begin,
            _ => 0,
        };
        if sigil > 0 {
            self.exact_lower(&piece[..end], false);
        }
        let letter_before = core.ends_with(|c: char| c.is_alphabetic());
        let plus = piece[end..].starts_with("++") && letter_before;
        let sharp = piece[end..].starts_with('#') && letter_before && single;
        if plus || sharp {
            let suffix = if plus { 2 } else { 1 };
            self.exact_lower(&piece[begin..end + suffix], true);
            if single {
                return;
            }
        }
        self.dotted(core, alone && sigil == 0);
    }

    /// Names with dots: files, hosts, versions.
    fn dotted(&mut self, core: &str, alone: bool) {
        if !core.contains('.') {
            return self.compound(core, alone);
        }
        self.exact_lower(core, false);
        let version = core
            .strip_prefix(['v', 'V'])
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(version) = version {
            self.exact_lower(version, false);
        }
        let letters =
            |part: &str| part.chars().nth(1).is_none() && part.chars().all(char::is_alphabetic);
        if core.split('.').all(letters) {
            // U.S. and its like.
            self.plain(&core.replace('.', ""), true);
        }
        for part in core.split('.') {
            self.compound(part, false);
        }
    }

    /// Words joined by hyphens, underscores and their like: joined without them, and each alone.
    fn compound(&mut self, core: &str, alone: bool) {
        if core.contains(',') {
            return self.exact_lower(&core.replace(',', ""), true);
        }
        if let Some((name, _)) = core.split_once("++") {
            // Names such as c++17.
            self.exact_lower(&core[..name.len() + 2], true);
        }
        let is_joint = |c: char| matches!(c, '-' | '_' | '&' | '+' | '#');
        if !core.contains(is_joint) {
            return self.apostrophes(core, alone);
        }
        let joined: String = core.chars().filter(|&c| !is_joint(c) && c != '\'').collect();
        self.plain(&joined, false);
        for part in core.split(is_joint) {
            self.apostrophes(part, false);
        }
    }

    /// Contractions lose their ending, elided articles are cut off, other apostrophes vanish.
    fn apostrophes(&mut self, word: &str, alone: bool) {
        const ENDINGS: [&str; 6] = ["s", "ll", "re", "ve", "d", "m"];
        const ARTICLES: [&str; 17] = [
            "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "dell", "all", "nell",
            "sull", "dall", "un",
        ];
        let Some((mut head, mut tail)) = word.split_once('\'') else {
            return self.atoms(word, alone);
        };
        let matches = |list: &[&str], part: &str| list.iter().any(|x| part.eq_ignore_ascii_case(x));
        if matches(&ARTICLES, head) && tail.chars().nth(1).is_some() {
            (head, tail) = tail.split_once('\'').unwrap_or((tail, ""));
        }
        if tail.is_empty() || matches(&ENDINGS, tail) {
            self.atoms(head, alone);
        } else {
            let joined: String = head.chars().chain(tail.chars().filter(|&c| c != '\'')).collect();
            self.atoms(&joined, alone);
        }
    }

    /// camelCase and letter-digit borders.
    fn atoms(&mut self, word: &str, alone: bool) {
        if !alone && word.chars().nth(1).is_none() {
            return;
        }
        let cuts = borders(word);
        self.plain(word, cuts.is_empty());
        let mut begin = 0;
        for &end in cuts.iter().chain(&[word.len()]) {
            let atom = &word[begin..end];
            if !cuts.is_empty() && atom.chars().nth(1).is_some() {
                self.plain(atom, true);
            }
            begin = end;
        }
    }

    /// Hand over one word in lower case.
    fn plain(&mut self, word: &str, primary: bool) {
        if word.is_empty() {
            return;
        }
        let mut lower = std::mem::take(&mut self.lower);
        lower.clear();
        lower_into(word, &mut lower);
        truncate(&mut lower);
        let shouted = word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase());
        self.sink.word(&Word { lower: &lower, script: script_of_word(&lower), shouted, primary });
        self.lower = lower;
    }

    /// A word that is in lower case already.
    fn word(&mut self, word: &str, primary: bool) {
        let cut = word.len().min(MAX_TERM_CHARS);
        let word = Word { lower: &word[..cut], script: Script::Latin, shouted: false, primary };
        self.sink.word(&word);
    }

    /// Hand over an exact term in lower case, unless it is too long to be worth a term.
    fn exact_lower(&mut self, term: &str, primary: bool) {
        self.joined.clear();
        lower_into(term, &mut self.joined);
        if self.joined.chars().nth(MAX_TERM_CHARS).is_none() {
            self.sink.exact(&self.joined, primary);
        }
    }
}

fn truncate(word: &mut String) {
    if word.len() > MAX_TERM_CHARS
        && let Some((end, _)) = word.char_indices().nth(MAX_TERM_CHARS)
    {
        word.truncate(end);
    }
}

fn script_of_word(word: &str) -> Script {
    let mut scripts = word.chars().filter_map(script_of);
    let Some(first) = scripts.next() else { return Script::Other };
    if scripts.all(|script| script == first) { first } else { Script::Digit }
}

/// Byte offsets at which a word of an identifier is cut; none for words that mix letters and
/// digits many times, such as hashes.
fn borders(word: &str) -> Vec<usize> {
    const MOST_DIGIT_BORDERS: usize = 2;
    const MOST_BORDERS: usize = 8;
    let mut cuts = Vec::new();
    let mut digit_borders = 0;
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    let mut run_of_capitals = 0;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        if let Some(previous) = before {
            let digit_border = previous.is_numeric() != c.is_numeric();
            let camel = previous.is_lowercase() && c.is_uppercase();
            let plural = next == Some('s') && chars.clone().nth(1).is_none();
            let acronym_ends = run_of_capitals > 0
                && c.is_uppercase()
                && next.is_some_and(char::is_lowercase)
                && !plural;
            if digit_border || camel || acronym_ends {
                cuts.push(at);
                digit_borders += usize::from(digit_border);
            }
        }
        run_of_capitals = if c.is_uppercase() { run_of_capitals + 1 } else { 0 };
        before = Some(c);
        if digit_borders > MOST_DIGIT_BORDERS || cuts.len() > MOST_BORDERS {
            return Vec::new();
        }
    }
    cuts
}
