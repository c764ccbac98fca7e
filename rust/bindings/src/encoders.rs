//! Embedders without a model server, and the sparse code.

use std::path::PathBuf;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyBytes;
use realmemory_engine::embed::{hashing, static_table};
use realmemory_engine::snapshot::FileBytes;

use crate::buffers::{detached, pack, read};

/// Feature hashing of words and character 3-grams.
#[pyclass(name = "HashingEncoder", module = "realmemory._native", frozen)]
pub struct PyHashingEncoder(hashing::HashingEncoder);

#[pymethods]
impl PyHashingEncoder {
    #[new]
    fn new(py: Python<'_>, dim: usize, seed: u64) -> PyResult<Self> {
        detached(py, || hashing::HashingEncoder::new(dim, seed)).map(Self)
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let rows = detached(py, || Ok(self.0.encode(&texts)))?;
        Ok(pack(py, rows.iter().map(|x| x.to_le_bytes())))
    }
}

#[pyfunction]
pub fn hashing_features(py: Python<'_>, text: PyBackedStr) -> Vec<(u8, u64, f64)> {
    py.detach(|| {
        let mut features = Vec::new();
        hashing::for_each_feature(&text, |kind, key, weight| {
            features.push((kind as u8, key, weight));
        });
        features
    })
}

/// The bytes of a table.
enum TableBytes {
    Given(PyBackedBytes),
    Mapped(FileBytes),
}

impl AsRef<[u8]> for TableBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Given(bytes) => bytes,
            Self::Mapped(file) => file.as_ref(),
        }
    }
}

/// A static token table over the bytes of its file.
#[pyclass(name = "StaticEncoder", module = "realmemory._native", frozen)]
pub struct PyStaticEncoder(static_table::StaticTable<TableBytes>);

#[pymethods]
impl PyStaticEncoder {
    #[new]
    fn new(py: Python<'_>, data: PyBackedBytes) -> PyResult<Self> {
        detached(py, || static_table::StaticTable::open(TableBytes::Given(data))).map(Self)
    }

    #[staticmethod]
    fn map(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let open = || static_table::StaticTable::open(TableBytes::Mapped(FileBytes::map(&path)?));
        detached(py, open).map(Self)
    }

    #[getter]
    fn dim(&self) -> usize {
        self.0.dim()
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn pieces(&self) -> usize {
        self.0.pieces()
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let rows = detached(py, || Ok(self.0.encode(&texts)))?;
        Ok(pack(py, rows.iter().map(|x| x.to_le_bytes())))
    }

    fn tokenize<'py>(&self, py: Python<'py>, text: PyBackedStr) -> Bound<'py, PyBytes> {
        let tokens = py.detach(|| self.0.tokenize(&text));
        pack(py, tokens.iter().map(|token| token.to_le_bytes()))
    }

    fn token_rows<'py>(&self, py: Python<'py>, tokens: Vec<u32>) -> Bound<'py, PyBytes> {
        let rows = py.detach(|| self.0.token_rows(&tokens));
        pack(py, rows.iter().map(|x| x.to_le_bytes()))
    }

    /// Number of query words, letters per piece, and for each text mean and weakest cosine.
    fn interact<'py>(
        &self,
        py: Python<'py>,
        query: PyBackedStr,
        texts: Vec<PyBackedStr>,
    ) -> PyResult<(usize, f32, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let found = detached(py, || Ok(self.0.interact(&query, &texts)))?;
        Ok((
            found.words,
            found.letters_per_piece,
            pack(py, found.mean.iter().map(|x| x.to_le_bytes())),
            pack(py, found.weakest.iter().map(|x| x.to_le_bytes())),
        ))
    }

    /// Each content word of a query with its weight and its largest cosine with a word of a text.
    fn nearest_words(
        &self,
        py: Python<'_>,
        query: PyBackedStr,
        text: PyBackedStr,
    ) -> Vec<(String, f32, f32)> {
        let found = py.detach(|| self.0.nearest_words(&query, &text));
        found.into_iter().map(|nearest| (nearest.word, nearest.weight, nearest.cosine)).collect()
    }

    /// Coherence, and largest, mean and deviation of the cosines with the directions of the world.
    fn about(
        &self,
        py: Python<'_>,
        text: PyBackedStr,
        world: PyBuffer<f32>,
    ) -> PyResult<(f64, f64, f64, f64)> {
        let world = read(py, &world)?;
        let found = detached(py, || self.0.about(&text, &world))?;
        Ok((found.coherence, found.largest, found.mean, found.deviation))
    }

    fn weights<'py>(&self, py: Python<'py>, tokens: Vec<u32>) -> Bound<'py, PyBytes> {
        pack(py, tokens.iter().map(|&token| self.0.weight(token).to_le_bytes()))
    }
}

#[pyfunction]
pub fn static_words(py: Python<'_>, text: PyBackedStr) -> Vec<String> {
    py.detach(|| {
        let mut words = Vec::new();
        static_table::for_each_word(&text, |word| words.push(word.to_owned()));
        words
    })
}
