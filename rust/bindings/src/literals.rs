//! Literals that many texts are searched for.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use realmemory_engine::literals::Literals;

#[pyclass(name = "Literals", module = "realmemory._native", frozen)]
pub struct PyLiterals(Literals);

#[pymethods]
impl PyLiterals {
    #[new]
    fn new(words: Vec<PyBackedStr>) -> Self {
        Self(Literals::new(words.iter().map(|word| Box::from(&**word)).collect()))
    }

    fn any_in(&self, text: &str) -> bool {
        self.0.any_in(text)
    }

    fn found_in(&self, text: &str) -> Vec<u32> {
        self.0.found_in(text)
    }
}
