//! Binding of the second hop.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use realmemory_engine::hops::{Lead, Order, Worth, hops as count};

use crate::buffers::{detached, pack, read};

/// Log-odds of a bridge, of one to a turn and of what is nearby; how far all else stays behind;
/// weight and floor.
type WorthFields = (f64, f64, f64, f64, f64, f64);

/// What becomes of candidates: bridge, nearby, held and the scores that follow.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "candidates, leads and a model")]
pub fn hops<'py>(
    py: Python<'py>,
    confidences: PyBuffer<f64>,
    scores: PyBuffer<f64>,
    undropped: PyBuffer<f64>,
    is_turn: Vec<bool>,
    seeds: Vec<usize>,
    shared: Vec<Lead>,
    near: Vec<Lead>,
    worth: WorthFields,
) -> PyResult<[Bound<'py, PyBytes>; 4]> {
    let (confidences, scores) = (read(py, &confidences)?, read(py, &scores)?);
    let undropped = read(py, &undropped)?;
    let (bridge, bridge_of_turn, nearby, behind, weight, floor) = worth;
    let worth = Worth { bridge, bridge_of_turn, nearby, behind, weight, floor };
    let found = detached(py, || {
        let order = Order {
            confidences: &confidences,
            scores: &scores,
            undropped: &undropped,
            is_turn: &is_turn,
        };
        count(&order, &seeds, [&shared, &near], &worth)
    })?;
    let packed = |values: Vec<f64>| pack(py, values.into_iter().map(f64::to_le_bytes));
    Ok([found.bridge, found.nearby, found.held, found.after].map(packed))
}
