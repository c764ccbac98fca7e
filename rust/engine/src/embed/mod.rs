//! Embedders that need no model server: feature hashing and a static token table.

pub mod about;
pub mod hashing;
pub mod interaction;
pub mod static_table;
