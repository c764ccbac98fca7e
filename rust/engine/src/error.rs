//! The one error type of the crate.

/// What a kernel refuses. Every variant is a fault of the input; no kernel changes its state
/// before its whole input has been checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// A vector, weight or time is NaN or infinite where only finite numbers make sense.
    #[error("{what} holds a NaN or infinite value at position {position}")]
    NotFinite {
        /// Name of the offending argument.
        what: &'static str,
        /// Index of the first offending element.
        position: usize,
    },
    /// A buffer has not the length that the other arguments imply.
    #[error("{what} has {got} elements, expected {expected}")]
    Length {
        /// Name of the offending argument.
        what: &'static str,
        /// Number of elements that the other arguments imply.
        expected: usize,
        /// Number of elements given.
        got: usize,
    },
    /// A parameter lies outside its documented range.
    #[error("{what}")]
    Parameter {
        /// A sentence that names the parameter, its value and its range.
        what: String,
    },
    /// A snapshot file is torn, foreign or of another version; the caller rebuilds it.
    #[error("snapshot refused: {reason}")]
    Snapshot {
        /// What is wrong with the file.
        reason: String,
    },
}
