//! Binding of the judgement of candidates.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use realmemory_engine::EngineError;
use realmemory_engine::relevance::{
    self, Asked, FEATURES, Null, QUESTION_FEATURES, Table, confidence,
};

use crate::buffers::{detached, pack, read};

/// Content words, letters per piece, rows.
type AskedFields = (f64, f64, f64);
/// Rows behind it, mean, standard deviation.
type NullFields = (f64, f64, f64);

fn packed<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyBytes> {
    pack(py, values.iter().map(|value| value.to_le_bytes()))
}

fn asked_of(asked: AskedFields, null: NullFields, prior: NullFields) -> Asked {
    let null_of = |(count, mean, std): NullFields| Null { count, mean, std };
    let (words, letters, rows) = asked;
    Asked { words, letters, rows, null: null_of(null).shrunk(null_of(prior)) }
}

/// Positions of the candidates that meaning and words together put first.
#[pyfunction]
pub fn shortlist(py: Python<'_>, table: PyBuffer<f64>, size: usize) -> PyResult<Vec<usize>> {
    let values = read(py, &table)?;
    detached(py, || Ok(Table::over(&values)?.shortlist(size)))
}

/// The table with the late interaction of some candidates.
#[pyfunction]
pub fn compared<'py>(
    py: Python<'py>,
    table: PyBuffer<f64>,
    chosen: Vec<usize>,
    mean: PyBuffer<f32>,
    weakest: PyBuffer<f32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut values = read(py, &table)?;
    let (mean, weakest) = (read(py, &mean)?, read(py, &weakest)?);
    detached(py, || relevance::compare(&mut values, &chosen, &mean, &weakest))?;
    Ok(packed(py, &values))
}

/// The candidates of two tables in a given order.
#[pyfunction]
pub fn joined<'py>(
    py: Python<'py>,
    first: PyBuffer<f64>,
    second: PyBuffer<f64>,
    order: Vec<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (first, second) = (read(py, &first)?, read(py, &second)?);
    Ok(packed(py, &detached(py, || relevance::joined(&first, &second, &order))?))
}

/// Log-odds of relevance.
#[pyfunction]
pub fn own_logits<'py>(
    py: Python<'py>,
    table: PyBuffer<f64>,
    asked: AskedFields,
    null: NullFields,
    prior: NullFields,
    weights: [f64; FEATURES],
    bias: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    let values = read(py, &table)?;
    let asked = asked_of(asked, null, prior);
    let logits = detached(py, || Ok(Table::over(&values)?.own_logits(&asked, &weights, bias)))?;
    Ok(packed(py, &logits))
}

/// Confidences and scores behind log-odds.
#[pyfunction]
pub fn scores<'py>(
    py: Python<'py>,
    table: PyBuffer<f64>,
    logits: PyBuffer<f64>,
    floor: f64,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (values, logits) = (read(py, &table)?, read(py, &logits)?);
    let (confidences, scores) = detached(py, || {
        let confidences: Vec<f64> = logits.iter().copied().map(confidence).collect();
        let scores = Table::over(&values)?.scores(&confidences, floor)?;
        Ok((confidences, scores))
    })?;
    Ok((packed(py, &confidences), packed(py, &scores)))
}

/// Scores, and what those of dropped candidates would be.
#[pyfunction]
pub fn undropped<'py>(
    py: Python<'py>,
    table: PyBuffer<f64>,
    confidences: PyBuffer<f64>,
    scores: PyBuffer<f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let values = read(py, &table)?;
    let (confidences, scores) = (read(py, &confidences)?, read(py, &scores)?);
    let found =
        detached(py, || relevance::undropped(&Table::over(&values)?, &confidences, &scores))?;
    Ok(packed(py, &found))
}

/// Positions of the best positive values.
#[pyfunction]
pub fn best(py: Python<'_>, values: PyBuffer<f64>, size: usize) -> PyResult<Vec<usize>> {
    Ok(relevance::best(&read(py, &values)?, size))
}

/// The probability that the memory holds an answer.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "a question, its candidates and a model")]
pub fn chance(
    py: Python<'_>,
    table: PyBuffer<f64>,
    confidences: PyBuffer<f64>,
    asked: AskedFields,
    about: [f64; 4],
    null: NullFields,
    prior: NullFields,
    weights: [f64; QUESTION_FEATURES],
    bias: f64,
) -> PyResult<f64> {
    let (values, confidences) = (read(py, &table)?, read(py, &confidences)?);
    let asked = asked_of(asked, null, prior);
    detached(py, || {
        let table = Table::over(&values)?;
        let chance = table.chance(&asked, &about, &confidences, &weights, bias)?;
        chance.ok_or_else(|| EngineError::Parameter { what: "there is no candidate".into() })
    })
}
