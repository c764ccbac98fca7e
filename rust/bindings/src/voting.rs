//! Sparse codes and the voting index.

use std::sync::RwLock;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use realmemory_engine::sdr::SdrEncoder;
use realmemory_engine::voting::VotingIndex;

use crate::buffers::{detached, pack, read, read_locked, write_locked};

/// The strongest units of a seeded projection.
#[pyclass(name = "SdrEncoder", module = "realmemory._native", frozen)]
pub struct PySdrEncoder(SdrEncoder);

#[pymethods]
impl PySdrEncoder {
    #[new]
    fn new(py: Python<'_>, dim: usize, units: usize, k: usize, seed: u64) -> PyResult<Self> {
        detached(py, || SdrEncoder::new(dim, units, k, seed)).map(Self)
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        vectors: PyBuffer<f32>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let vectors = read(py, &vectors)?;
        let codes = detached(py, || self.0.encode(&vectors))?;
        Ok(pack(py, codes.iter().map(|unit| unit.to_le_bytes())))
    }
}

/// Rows found by the units they share with a query.
#[pyclass(name = "VotingIndex", module = "realmemory._native", frozen)]
pub struct PyVotingIndex(RwLock<VotingIndex>);

#[pymethods]
impl PyVotingIndex {
    #[new]
    fn new(py: Python<'_>, units: usize, cap: usize) -> PyResult<Self> {
        detached(py, || VotingIndex::new(units, cap)).map(|index| Self(RwLock::new(index)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.0)?.len()))
    }

    fn upsert(
        &self,
        py: Python<'_>,
        ids: PyBuffer<i64>,
        codes: PyBuffer<u32>,
        k: usize,
    ) -> PyResult<()> {
        let (ids, codes) = (read(py, &ids)?, read(py, &codes)?);
        detached(py, || write_locked(&self.0)?.upsert(&ids, &codes, k))
    }

    fn remove(&self, py: Python<'_>, ids: PyBuffer<i64>) -> PyResult<usize> {
        let ids = read(py, &ids)?;
        detached(py, || Ok(write_locked(&self.0)?.remove(&ids)))
    }

    #[pyo3(signature = (code, k, *, weighted=false))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        code: PyBuffer<u32>,
        k: usize,
        weighted: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let code = read(py, &code)?;
        let votes = detached(py, || read_locked(&self.0)?.query(&code, k, weighted))?;
        let ids = pack(py, votes.iter().map(|vote| vote.id.to_le_bytes()));
        Ok((ids, pack(py, votes.iter().map(|vote| vote.votes.to_le_bytes()))))
    }

    fn heap_bytes(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.0)?.heap_bytes()))
    }
}
