//! Text analysis and the keyword index.

use std::collections::HashSet;
use std::sync::{Arc, RwLock};

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use realmemory_engine::EngineError;
use realmemory_engine::keyword::{KeywordIndex, Match};
use realmemory_engine::text;

use crate::buffers::{detached, pack, read_locked, write_locked};

#[pyfunction]
pub fn analyze(py: Python<'_>, text: PyBackedStr) -> Vec<String> {
    py.detach(|| text::analyze(&text).into_iter().map(|term| term.text).collect())
}

#[pyfunction]
pub fn analyze_query(py: Python<'_>, text: PyBackedStr) -> Vec<Vec<String>> {
    py.detach(|| {
        text::query_words(&text).iter().map(|word| word.forms().cloned().collect()).collect()
    })
}

#[pyfunction]
pub fn count_query_words(py: Python<'_>, text: PyBackedStr) -> usize {
    py.detach(|| text::query_words(&text).len())
}

#[pyfunction]
pub fn count_beyond(
    py: Python<'_>,
    texts: Vec<PyBackedStr>,
    known: HashSet<String>,
    most: usize,
) -> Vec<usize> {
    py.detach(|| texts.iter().map(|one| text::count_beyond(one, &known, most)).collect())
}

#[pyfunction]
pub fn count_words(py: Python<'_>, text: PyBackedStr) -> usize {
    py.detach(|| text::count_words(&text))
}

#[pyfunction]
pub fn fts_terms(py: Python<'_>, text: PyBackedStr) -> String {
    py.detach(|| text::fts_terms(&text))
}

#[pyfunction]
pub fn fts_term(term: &str) -> String {
    text::fts_term(term)
}

/// A keyword index of its own, without row attributes.
#[pyclass(name = "KeywordIndex", module = "realmemory._native", frozen)]
#[derive(Default)]
pub struct PyKeywordIndex(RwLock<KeywordIndex>);

#[pymethods]
impl PyKeywordIndex {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.0)?.len()))
    }

    fn upsert(
        &self,
        py: Python<'_>,
        slots: Vec<u32>,
        scopes: Vec<u32>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<()> {
        detached(py, || {
            check_length("scopes", slots.len(), scopes.len())?;
            check_length("texts", slots.len(), texts.len())?;
            let mut index = write_locked(&self.0)?;
            for ((&slot, &scope), text) in slots.iter().zip(&scopes).zip(&texts) {
                index.upsert_text(slot, scope, text);
            }
            Ok(())
        })
    }

    fn remove(&self, py: Python<'_>, slots: Vec<u32>) -> PyResult<()> {
        detached(py, || {
            let mut index = write_locked(&self.0)?;
            slots.iter().for_each(|&slot| index.remove(slot));
            Ok(())
        })
    }

    #[staticmethod]
    fn open(py: Python<'_>, data: PyBackedBytes) -> PyResult<Self> {
        let length = data.len();
        detached(py, || KeywordIndex::open(Arc::new(data), 0..length))
            .map(|index| Self(RwLock::new(index)))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let block = detached(py, || Ok(read_locked(&self.0)?.to_bytes(&Some)))?;
        Ok(PyBytes::new(py, &block))
    }

    #[pyo3(signature = (query, k, scopes=None, *, fuzzy=false))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: PyBackedStr,
        k: usize,
        scopes: Option<Vec<u32>>,
        fuzzy: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let hits = detached(py, || {
            let index = read_locked(&self.0)?;
            let visible = |slot| index.scope_of(slot).is_some_and(|scope| within(&scopes, scope));
            let query = if fuzzy { index.fuzzy_query(&query) } else { index.query(&query) };
            Ok(index.search(&query, k, scopes.as_deref(), &visible, &i64::from))
        })?;
        let slots = pack(py, hits.iter().map(|hit| hit.slot.to_le_bytes()));
        Ok((slots, packed_matches(py, hits.iter().map(|hit| hit.score))))
    }

    #[pyo3(signature = (query, slots, scopes=None))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        query: PyBackedStr,
        slots: Vec<u32>,
        scopes: Option<Vec<u32>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let scores = detached(py, || {
            let index = read_locked(&self.0)?;
            Ok(index.score(&index.query(&query), scopes.as_deref(), &slots))
        })?;
        Ok(packed_matches(py, scores.into_iter()))
    }
}

/// Three f32 a row: bm25, coverage and number of matched words.
pub fn packed_matches<'py>(
    py: Python<'py>,
    scores: impl Iterator<Item = Match>,
) -> Bound<'py, PyBytes> {
    let values = scores.flat_map(|m| [m.bm25, m.coverage, m.matched as f32]);
    pack(py, values.map(f32::to_le_bytes))
}

fn within(scopes: &Option<Vec<u32>>, scope: u32) -> bool {
    scopes.as_ref().is_none_or(|set| set.binary_search(&scope).is_ok())
}

fn check_length(what: &'static str, expected: usize, got: usize) -> Result<(), EngineError> {
    if expected == got { Ok(()) } else { Err(EngineError::Length { what, expected, got }) }
}
