//! Embedders without a model server, and the sparse code.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;
use realmemory_engine::embed::hashing;

use crate::buffers::{detached, pack};

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
