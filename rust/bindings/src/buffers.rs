//! The one place where Python buffers become slices, errors become exceptions and the GIL is
//! released.

use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use realmemory_engine::EngineError;

/// Copy a C-contiguous buffer of `T` into a vector.
///
/// A copy, because another thread may write to the buffer while the GIL is released.
pub fn read<T: Element>(py: Python<'_>, buffer: &PyBuffer<T>) -> PyResult<Vec<T>> {
    buffer.to_vec(py)
}

/// Run a kernel without the GIL and turn its error into a `ValueError`, or into an `OSError` where
/// a snapshot is at fault and not the caller.
pub fn detached<T, F>(py: Python<'_>, kernel: F) -> PyResult<T>
where
    T: Send,
    F: Send + FnOnce() -> Result<T, EngineError>,
{
    py.detach(kernel).map_err(|error| match error {
        EngineError::Snapshot { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    })
}

/// Concatenate little-endian elements into one `bytes` object.
pub fn pack<'py, const N: usize>(
    py: Python<'py>,
    elements: impl Iterator<Item = [u8; N]>,
) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &elements.flatten().collect::<Vec<u8>>())
}

/// Lock for reading; a kernel that panicked under the lock has poisoned its state.
pub fn read_locked<T>(lock: &RwLock<T>) -> Result<RwLockReadGuard<'_, T>, EngineError> {
    lock.read().map_err(|_| poisoned())
}

/// Lock for writing; see [`read_locked`].
pub fn write_locked<T>(lock: &RwLock<T>) -> Result<RwLockWriteGuard<'_, T>, EngineError> {
    lock.write().map_err(|_| poisoned())
}

fn poisoned() -> EngineError {
    EngineError::Parameter { what: "an earlier call failed half-way; rebuild the index".into() }
}
