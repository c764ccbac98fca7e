//! The performance-critical kernels of realMemory.
//!
//! This crate knows neither Python nor SQLite nor the network: every kernel takes slices and
//! returns values, is deterministic, and breaks ties by id. Each has a pure-numpy twin in the
//! Python package (`realmemory.core.reference`) that property tests compare it with.

pub mod beside;
pub mod bridge;
pub mod embed;
pub mod error;
pub mod exp;
pub mod filter;
pub mod gather;
pub mod graph;
pub mod hops;
pub mod keyword;
pub mod literals;
pub mod memory;
pub mod refit;
pub mod relevance;
pub mod rows;
pub mod scan;
pub mod sdr;
pub mod simd;
pub mod snapshot;
pub mod text;
pub mod voting;
pub mod words;

pub use error::EngineError;
