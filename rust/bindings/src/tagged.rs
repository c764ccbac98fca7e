//! The fields of a row as the bytes that its hash covers.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyString, PyTuple};

/// The values one after the other, each behind a byte that tells its type.
#[pyfunction]
#[pyo3(signature = (*values))]
pub fn tagged<'py>(py: Python<'py>, values: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyBytes>> {
    let mut fields = Vec::with_capacity(values.len() * 16);
    for value in values.iter() {
        if value.is_none() {
            fields.push(b'N');
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            push_bytes(&mut fields, bytes.as_bytes());
        } else if value.is_instance_of::<PyInt>() {
            fields.push(b'I');
            fields.extend(value.extract::<i64>()?.to_le_bytes());
        } else if let Ok(number) = value.cast::<PyFloat>() {
            fields.push(b'F');
            fields.extend(number.value().to_le_bytes());
        } else {
            push_bytes(&mut fields, value.cast::<PyString>()?.to_cow()?.as_bytes());
        }
    }
    Ok(PyBytes::new(py, &fields))
}

fn push_bytes(fields: &mut Vec<u8>, bytes: &[u8]) {
    fields.push(b'B');
    fields.extend((bytes.len() as i64).to_le_bytes());
    fields.extend(bytes);
}
