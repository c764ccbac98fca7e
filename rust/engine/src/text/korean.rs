//! Korean particles: written onto the noun that they follow, like an ending.

/// Particles, longer ones before those that they end with.
const PARTICLES: [&str; 25] = [
    "이라는",
    "에서",
    "에게",
    "한테",
    "으로",
    "까지",
    "부터",
    "처럼",
    "보다",
    "마다",
    "하고",
    "이나",
    "이랑",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "의",
    "도",
    "로",
    "와",
    "과",
];

/// Particles that follow each other, as in "at the server, at least".
const MOST: usize = 2;

/// Characters of a noun that a particle leaves.
const NOUN: usize = 2;

/// A run of Hangul without the particles at its end, as far as a noun is left.
///
/// Queries ask by the noun; a document keeps the run as it is. A noun that itself ends like a
/// particle loses a pair of characters, and its others still find it.
pub fn without_particle(run: &str) -> &str {
    let mut noun = run;
    for _ in 0..MOST {
        let rest = PARTICLES.iter().find_map(|particle| noun.strip_suffix(particle));
        match rest.filter(|rest| rest.chars().count() >= NOUN) {
            Some(rest) => noun = rest,
            None => break,
        }
    }
    noun
}
