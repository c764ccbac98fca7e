//! What a row must satisfy, as it comes from Python.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use realmemory_engine::filter::Filter;

use crate::buffers::read;

/// The fields of a filter in their order.
pub type FilterFields = (
    Option<PyBuffer<u32>>,
    u8,
    u8,
    f64,
    f64,
    (f64, f64, f64),
    f64,
    Option<f64>,
    Option<f64>,
    Option<f64>,
    Option<PyBuffer<i64>>,
);

/// Read a filter; the engine checks it.
pub fn filter_of(py: Python<'_>, fields: &FilterFields) -> PyResult<Filter> {
    let (scopes, kinds, statuses, min_retention, min_strength, taus, now, as_of, since, until, ids) =
        fields;
    Ok(Filter {
        scopes: scopes.as_ref().map(|buffer| read(py, buffer)).transpose()?,
        kinds: *kinds,
        statuses: *statuses,
        min_retention: *min_retention,
        min_strength: *min_strength,
        taus: [taus.0, taus.1, taus.2],
        now: *now,
        as_of: *as_of,
        since: *since,
        until: *until,
        ids: ids.as_ref().map(|buffer| read(py, buffer)).transpose()?,
    })
}
