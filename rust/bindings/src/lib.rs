//! `realmemory._native`: a flat module of thin functions over the engine crate.
//!
//! Buffers come in as objects with the buffer protocol (little-endian f32, f64, i64, u32, u8)
//! and go out as `bytes`; numpy is never imported here.

mod buffers;
mod encoders;
mod filter;
mod graph;
mod hops;
mod literals;
mod memory;
mod relevance;
mod tagged;
mod text;
mod voting;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::encoders::{PyHashingEncoder, PyStaticEncoder, hashing_features, static_words};
    #[pymodule_export]
    use crate::graph::{PyPlasticGraph, stdp_pairs};
    #[pymodule_export]
    use crate::hops::hops;
    #[pymodule_export]
    use crate::literals::PyLiterals;
    #[pymodule_export]
    use crate::memory::{MemoryIndex, simd_paths};
    #[pymodule_export]
    use crate::relevance::{
        best, chance, compared, joined, own_logits, scores, shortlist, undropped,
    };
    #[pymodule_export]
    use crate::tagged::tagged;
    #[pymodule_export]
    use crate::text::{
        PyKeywordIndex, analyze, analyze_query, count_beyond, count_query_words, count_words,
        fts_term, fts_terms,
    };
    #[pymodule_export]
    use crate::voting::{PySdrEncoder, PyVotingIndex};

    /// Version of the compiled engine; the package refuses to run beside another one.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("ANALYSIS_VERSION", realmemory_engine::text::ANALYSIS_VERSION)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
