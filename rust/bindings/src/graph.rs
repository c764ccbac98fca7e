//! The plastic graph.

use std::sync::RwLock;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use realmemory_engine::EngineError;
use realmemory_engine::graph::{Bind, Edge, PlasticGraph, Plasticity, Spread, Stdp};

use crate::buffers::{detached, pack, read, read_locked, write_locked};

type Packed<'py> = Bound<'py, PyBytes>;
type Quads<'py> = (Packed<'py>, Packed<'py>, Packed<'py>, Packed<'py>);

/// Directed, weighted edges between traces.
#[pyclass(name = "PlasticGraph", module = "realmemory._native", frozen)]
pub struct PyPlasticGraph(RwLock<PlasticGraph>);

#[pymethods]
impl PyPlasticGraph {
    #[new]
    fn new(
        py: Python<'_>,
        tau_eligibility: f64,
        tau_stable: f64,
        min_weight: f64,
        max_out_degree: usize,
        max_out_weight: f64,
    ) -> PyResult<Self> {
        let constants =
            Plasticity { tau_eligibility, tau_stable, min_weight, max_out_degree, max_out_weight };
        detached(py, || PlasticGraph::new(constants)).map(|graph| Self(RwLock::new(graph)))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.0)?.len()))
    }

    fn put(
        &self,
        py: Python<'_>,
        src: PyBuffer<i64>,
        dst: PyBuffer<i64>,
        weight: PyBuffer<f64>,
        at: PyBuffer<f64>,
    ) -> PyResult<()> {
        let (src, dst) = (read(py, &src)?, read(py, &dst)?);
        let (weight, at) = (read(py, &weight)?, read(py, &at)?);
        detached(py, || {
            let edges = quads(&src, &dst, &weight, &at)?;
            let edges: Vec<Edge> =
                edges.map(|(src, dst, weight, at)| Edge { src, dst, weight, at }).collect();
            write_locked(&self.0)?.put(&edges)
        })
    }

    fn commit<'py>(
        &self,
        py: Python<'py>,
        src: PyBuffer<i64>,
        dst: PyBuffer<i64>,
        strength: PyBuffer<f64>,
        at: PyBuffer<f64>,
        now: f64,
    ) -> PyResult<Quads<'py>> {
        let (src, dst) = (read(py, &src)?, read(py, &dst)?);
        let (strength, at) = (read(py, &strength)?, read(py, &at)?);
        let changes = detached(py, || {
            let binds = binds(&src, &dst, &strength, &at)?;
            write_locked(&self.0)?.commit(&binds, now)
        })?;
        Ok(packed_edges(py, &changes))
    }

    fn prune<'py>(&self, py: Python<'py>, now: f64) -> PyResult<(Packed<'py>, Packed<'py>)> {
        let gone = detached(py, || write_locked(&self.0)?.prune(now))?;
        let src = pack(py, gone.iter().map(|ends| ends.0.to_le_bytes()));
        Ok((src, pack(py, gone.iter().map(|ends| ends.1.to_le_bytes()))))
    }

    fn hide(&self, py: Python<'_>, ids: PyBuffer<i64>) -> PyResult<()> {
        let ids = read(py, &ids)?;
        detached(py, || {
            write_locked(&self.0)?.hide(&ids);
            Ok(())
        })
    }

    fn show(&self, py: Python<'_>, ids: PyBuffer<i64>) -> PyResult<()> {
        let ids = read(py, &ids)?;
        detached(py, || {
            write_locked(&self.0)?.show(&ids);
            Ok(())
        })
    }

    fn weight(&self, py: Python<'_>, src: i64, dst: i64, now: f64) -> PyResult<f64> {
        detached(py, || Ok(read_locked(&self.0)?.weight(src, dst, now)))
    }

    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Quads<'py>> {
        let edges = detached(py, || Ok(read_locked(&self.0)?.edges()))?;
        Ok(packed_edges(py, &edges))
    }

    #[allow(clippy::too_many_arguments, reason = "the Python signature is keyword-only above it")]
    fn spread<'py>(
        &self,
        py: Python<'py>,
        seeds: PyBuffer<i64>,
        activations: PyBuffer<f64>,
        now: f64,
        hops: usize,
        alpha: f64,
        top_m: usize,
        eps: f64,
    ) -> PyResult<(Packed<'py>, Packed<'py>)> {
        let (seeds, activations) = (read(py, &seeds)?, read(py, &activations)?);
        let reach = Spread { hops, alpha, top_m, eps };
        let reached =
            detached(py, || read_locked(&self.0)?.spread(&seeds, &activations, now, reach))?;
        let ids = pack(py, reached.iter().map(|node| node.0.to_le_bytes()));
        Ok((ids, pack(py, reached.iter().map(|node| node.1.to_le_bytes()))))
    }
}

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the Python signature is keyword-only above it")]
pub fn stdp_pairs<'py>(
    py: Python<'py>,
    ids: PyBuffer<i64>,
    times: PyBuffer<f64>,
    strength: f64,
    a_plus: f64,
    a_minus: f64,
    tau_plus: f64,
    tau_minus: f64,
) -> PyResult<Quads<'py>> {
    let (ids, times) = (read(py, &ids)?, read(py, &times)?);
    let binds = detached(py, || {
        Stdp::new(a_plus, a_minus, tau_plus, tau_minus)?.pair(&ids, &times, strength)
    })?;
    Ok(packed_binds(py, &binds))
}

type Quad = (i64, i64, f64, f64);

fn quads<'a>(
    src: &'a [i64],
    dst: &'a [i64],
    value: &'a [f64],
    at: &'a [f64],
) -> Result<impl Iterator<Item = Quad> + 'a, EngineError> {
    let expected = src.len();
    for (what, got) in [("dst", dst.len()), ("weight or strength", value.len()), ("at", at.len())] {
        if got != expected {
            return Err(EngineError::Length { what, expected, got });
        }
    }
    let ends = src.iter().copied().zip(dst.iter().copied());
    let values = value.iter().copied().zip(at.iter().copied());
    Ok(ends.zip(values).map(|((src, dst), (value, at))| (src, dst, value, at)))
}

fn binds(src: &[i64], dst: &[i64], strength: &[f64], at: &[f64]) -> Result<Vec<Bind>, EngineError> {
    let quads = quads(src, dst, strength, at)?;
    Ok(quads.map(|(src, dst, strength, at)| Bind { src, dst, strength, at }).collect())
}

fn packed_edges<'py>(py: Python<'py>, edges: &[Edge]) -> Quads<'py> {
    (
        pack(py, edges.iter().map(|edge| edge.src.to_le_bytes())),
        pack(py, edges.iter().map(|edge| edge.dst.to_le_bytes())),
        pack(py, edges.iter().map(|edge| edge.weight.to_le_bytes())),
        pack(py, edges.iter().map(|edge| edge.at.to_le_bytes())),
    )
}

fn packed_binds<'py>(py: Python<'py>, binds: &[Bind]) -> Quads<'py> {
    (
        pack(py, binds.iter().map(|bind| bind.src.to_le_bytes())),
        pack(py, binds.iter().map(|bind| bind.dst.to_le_bytes())),
        pack(py, binds.iter().map(|bind| bind.strength.to_le_bytes())),
        pack(py, binds.iter().map(|bind| bind.at.to_le_bytes())),
    )
}
