//! Relevance and answerability of candidates: the kernels of `policies/relevance.py` and
//! `policies/answerability.py`, which hold the formulas with their meaning and which property tests
//! compare these with.
//!
//! A table describes the candidates of one question, column by column, see [`Column`].

use crate::error::EngineError;
use crate::exp::exp_nonpositive;
use crate::rows::length;

/// What a table says of a candidate, in the order of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Cosine with the question, not below zero; zero without a vector.
    Cosine,
    /// Retention at the moment of the question.
    Retention,
    /// bm25.
    Bm25,
    /// Share of the question's idf that its words hold.
    Coverage,
    /// The same when words that resemble those of the question count as well.
    Alike,
    /// Number of the question's words that it holds.
    Matched,
    /// Late interaction: weighted mean over the question's words.
    Maxsim,
    /// Late interaction: the least answered word.
    Weakest,
}

/// Columns of a table.
pub const COLUMNS: usize = 8;
/// Weights of the model of relevance.
pub const FEATURES: usize = 12;
/// Weights of the model of answerability.
pub const QUESTION_FEATURES: usize = 20;

const Z_SCALE: f64 = 6.0;
const BM25_SCALE: f64 = 8.0;
const ROWS_SCALE: f64 = 10.0;
const SUREST: f64 = 0.99;
const SURE: f64 = 1e-6;
/// Score of a new trace that certainly answers, by its confidence.
const NEW: f64 = 0.65;
/// Factor on the odds of a trace that has faded entirely. One as strong as a new one keeps its odds;
/// the strongest gains what this one loses. Among equal answers the more alive comes first, and one
/// that is clearly better comes first whatever its age.
const FADED: f64 = 0.6;
const TYPICAL_LETTERS: f64 = 5.0;
const BEST: usize = 5;

/// Cosines of a question with unrelated rows.
#[derive(Debug, Clone, Copy)]
pub struct Null {
    /// Rows behind the estimate.
    pub count: f64,
    /// Mean cosine.
    pub mean: f64,
    /// Standard deviation.
    pub std: f64,
}

impl Null {
    /// The estimate pulled towards `prior` by as many rows as that counts.
    #[must_use]
    pub fn shrunk(self, prior: Self) -> Self {
        let total = self.count + prior.count;
        let mean = (self.count * self.mean + prior.count * prior.mean) / total;
        let part = |part: Self| part.count * (part.std.powi(2) + (part.mean - mean).powi(2));
        let square = part(self) + part(prior);
        Self { count: total, mean, std: (square / total).sqrt().max(1e-6) }
    }
}

/// What is known of a question beside its candidates.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Its content words.
    pub words: f64,
    /// Letters per piece of its words; zero where that is unknown.
    pub letters: f64,
    /// Rows that it could see.
    pub rows: f64,
    /// Cosines with unrelated rows, pulled towards the prior of the space.
    pub null: Null,
}

/// The candidates of one question, column by column.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a> {
    values: &'a [f64],
    rows: usize,
}

impl<'a> Table<'a> {
    /// A table over its values.
    ///
    /// # Errors
    /// `Length` unless all columns are equally long.
    pub fn over(values: &'a [f64]) -> Result<Self, EngineError> {
        let rows = values.len() / COLUMNS;
        length("evidence", values.len(), rows * COLUMNS)?;
        Ok(Self { values, rows })
    }

    /// Number of candidates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no candidate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The values of a column.
    #[must_use]
    pub fn column(&self, column: Column) -> &'a [f64] {
        let first = column as usize * self.rows;
        &self.values[first..first + self.rows]
    }

    /// Positions of the `size` candidates that meaning and words together put first.
    #[must_use]
    pub fn shortlist(&self, size: usize) -> Vec<usize> {
        let (cosine, alike) = (self.column(Column::Cosine), self.column(Column::Alike));
        let value: Vec<f64> = cosine.iter().zip(alike).map(|(x, y)| x + y).collect();
        first(&value, size)
    }

    /// The log-odds of relevance by each candidate's own words and meaning.
    #[must_use]
    pub fn own_logits(&self, asked: &Asked, weights: &[f64; FEATURES], bias: f64) -> Vec<f64> {
        let Asked { null, words, .. } = asked;
        let cosine = self.column(Column::Cosine);
        let (alike, maxsim) = (self.column(Column::Alike), self.column(Column::Maxsim));
        let z: Vec<f64> = cosine
            .iter()
            .map(|cosine| ((cosine - null.mean) / null.std / Z_SCALE).clamp(-1.0, 3.0))
            .collect();
        let above: Vec<f64> = z.iter().map(|z| z.max(0.0)).collect();
        let leads = [Lead::of(&above), Lead::of(alike), Lead::of(maxsim)];
        let rows = asked.rows.ln_1p() / ROWS_SCALE;
        let logit = |at: usize| {
            let bm25 = self.column(Column::Bm25)[at];
            let complete = *words > 0.0 && self.column(Column::Matched)[at] >= *words;
            let features: [f64; FEATURES] = [
                cosine[at],
                z[at],
                self.column(Column::Coverage)[at],
                alike[at],
                bm25 / (bm25 + BM25_SCALE),
                f64::from(u8::from(complete)),
                leads[0].of_value(above[at]),
                leads[1].of_value(alike[at]),
                rows,
                maxsim[at],
                leads[2].of_value(maxsim[at]),
                self.column(Column::Weakest)[at],
            ];
            dot(&features, weights) + bias
        };
        (0..self.rows).map(logit).collect()
    }

    /// The probability that the memory holds an answer; `None` without candidates. `about` is what
    /// the question alone says: the fields of [`crate::embed::about::About`] in their order.
    ///
    /// # Errors
    /// `Length` unless every candidate has a confidence.
    pub fn chance(
        &self,
        asked: &Asked,
        about: &[f64; 4],
        confidences: &[f64],
        weights: &[f64; QUESTION_FEATURES],
        bias: f64,
    ) -> Result<Option<f64>, EngineError> {
        length("confidences", confidences.len(), self.rows)?;
        let order = first(confidences, BEST);
        let Some(&best) = order.first() else {
            return Ok(None);
        };
        let logit = |at: &usize| {
            let sure = confidences[*at].clamp(SURE, 1.0 - SURE);
            (sure / (1.0 - sure)).ln()
        };
        let logits: Vec<f64> = order.iter().map(logit).collect();
        // The largest of n unrelated cosines lies about sqrt(2 ln n) deviations above their mean.
        let expected = (2.0 * asked.rows.ln_1p()).sqrt();
        let z = |cosine: f64| (cosine - asked.null.mean) / asked.null.std - expected;
        let largest = |column| self.column(column).iter().copied().fold(f64::MIN, f64::max);
        let of_best = |column: Column| self.column(column)[best];
        let features: [f64; QUESTION_FEATURES] = [
            logits[0],
            logits[1.min(logits.len() - 1)],
            logits.iter().sum::<f64>() / logits.len() as f64,
            z(largest(Column::Cosine)),
            z(of_best(Column::Cosine)),
            largest(Column::Coverage),
            largest(Column::Alike),
            of_best(Column::Coverage),
            asked.words.ln_1p(),
            largest(Column::Cosine),
            asked.null.mean,
            asked.rows.ln_1p() / ROWS_SCALE,
            largest(Column::Maxsim),
            of_best(Column::Maxsim),
            of_best(Column::Weakest),
            if asked.letters > 0.0 { asked.letters } else { TYPICAL_LETTERS },
            about[0],
            about[1],
            about[2],
            about[3],
        ];
        Ok(Some(logistic(dot(&features, weights) + bias)))
    }

    /// Score of each candidate by its confidence; zero below the floor of a hit.
    ///
    /// # Errors
    /// `Length` unless every candidate has a confidence.
    pub fn scores(&self, confidences: &[f64], floor: f64) -> Result<Vec<f64>, EngineError> {
        length("confidences", confidences.len(), self.rows)?;
        let retention = self.column(Column::Retention);
        let score = |(confidence, retention): (&f64, &f64)| {
            let weight = FADED + 2.0 * (1.0 - FADED) * retention;
            let sure = (confidence / SUREST).min(1.0);
            let weighed = SUREST * sure * weight / (1.0 - sure + sure * weight);
            if *confidence >= floor { NEW * weighed } else { 0.0 }
        };
        Ok(confidences.iter().zip(retention).map(score).collect())
    }
}

/// Scores, and for candidates that were dropped what theirs would be.
///
/// # Errors
/// `Length` unless every candidate has a confidence and a score.
pub fn undropped(
    table: &Table<'_>,
    confidences: &[f64],
    scores: &[f64],
) -> Result<Vec<f64>, EngineError> {
    length("scores", scores.len(), table.len())?;
    let whole = table.scores(confidences, f64::NEG_INFINITY)?;
    let kept = scores.iter().zip(whole);
    Ok(kept.map(|(score, whole)| if *score > 0.0 { *score } else { whole }).collect())
}

/// Write the late interaction of the candidates at some positions into the values of a table.
///
/// A misspelt word resembles letter by letter what its pieces do not mean, so that counts at least.
///
/// # Errors
/// `Length` for a table that is none, or unless every position has its values; `Parameter` for a
/// position outside the table.
pub fn compare(
    values: &mut [f64],
    chosen: &[usize],
    mean: &[f32],
    weakest: &[f32],
) -> Result<(), EngineError> {
    length("mean", mean.len(), chosen.len())?;
    length("weakest", weakest.len(), chosen.len())?;
    let rows = Table::over(values)?.len();
    if let Some(row) = chosen.iter().find(|row| **row >= rows) {
        return Err(EngineError::Parameter { what: format!("no candidate at {row}") });
    }
    let at = |column: Column, row: usize| column as usize * rows + row;
    for ((&row, &mean), &weakest) in chosen.iter().zip(mean).zip(weakest) {
        let alike = values[at(Column::Alike, row)];
        values[at(Column::Maxsim, row)] = f64::from(mean).max(alike);
        values[at(Column::Weakest, row)] = f64::from(weakest);
    }
    Ok(())
}

/// The candidates of two tables, those of the first before the others, put in a given order.
///
/// # Errors
/// `Length` for a table that is none; `Parameter` for a position outside of both.
pub fn joined(first: &[f64], second: &[f64], order: &[usize]) -> Result<Vec<f64>, EngineError> {
    let (ours, theirs) = (Table::over(first)?.len(), Table::over(second)?.len());
    if let Some(row) = order.iter().find(|row| **row >= ours + theirs) {
        return Err(EngineError::Parameter { what: format!("no candidate at {row}") });
    }
    let value = |column: usize, row: usize| match row.checked_sub(ours) {
        Some(behind) => second[column * theirs + behind],
        None => first[column * ours + row],
    };
    let column = |at: usize| order.iter().map(move |&row| value(at, row));
    Ok((0..COLUMNS).flat_map(column).collect())
}

/// The probability of relevance behind log-odds.
#[must_use]
pub fn confidence(logit: f64) -> f64 {
    SUREST * logistic(logit)
}

/// Positions of the best `size` values, ties by position; none that is not positive.
#[must_use]
pub fn best(values: &[f64], size: usize) -> Vec<usize> {
    let mut order = first(values, size);
    order.retain(|&at| values[at] > 0.0);
    order
}

/// Positions of the largest `size` values, largest first, ties by position.
fn first(values: &[f64], size: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[right].total_cmp(&values[left]));
    order.truncate(size);
    order
}

fn logistic(logit: f64) -> f64 {
    let logit = logit.clamp(-40.0, 40.0);
    let small = exp_nonpositive(-logit.abs());
    if logit >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

/// How far a value lies above the best of the others.
struct Lead {
    best: f64,
    second: f64,
}

impl Lead {
    /// The two largest of the values; without another value a lead is the value itself.
    fn of(values: &[f64]) -> Self {
        if values.len() < 2 {
            return Self { best: 0.0, second: 0.0 };
        }
        let (mut best, mut second) = (f64::MIN, f64::MIN);
        for &value in values {
            if value > best {
                (best, second) = (value, best);
            } else if value > second {
                second = value;
            }
        }
        Self { best, second }
    }

    fn of_value(&self, value: f64) -> f64 {
        value - if value >= self.best { self.second } else { self.best }
    }
}
