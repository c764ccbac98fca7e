//! Writing a snapshot file, section by section, in one pass.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use super::column::Plain;
use super::format::{ALIGN, BLOCK_BYTES, HEADER_BYTES, Header, Section, checksum, refused};
use crate::error::EngineError;

/// A file being written. It has no valid header until [`SnapshotWriter::finish`].
pub(super) struct SnapshotWriter {
    file: File,
    header: Header,
    /// Bytes of the block that is not full yet.
    block: Vec<u8>,
    at: usize,
    checks: Vec<u8>,
}

impl SnapshotWriter {
    /// Create a file that must not exist.
    pub(super) fn create(path: &Path, header: Header) -> Result<Self, EngineError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed)?;
        file.write_all(&[0; HEADER_BYTES]).map_err(failed)?;
        let block = Vec::with_capacity(BLOCK_BYTES);
        Ok(Self { file, header, block, at: HEADER_BYTES, checks: Vec::new() })
    }

    /// Write a section from pieces.
    pub(super) fn section<'a, T: Plain>(
        &mut self,
        section: Section,
        pieces: impl Iterator<Item = &'a [T]>,
    ) -> Result<(), EngineError> {
        self.pad(ALIGN)?;
        let start = self.at;
        for piece in pieces {
            // SAFETY: plain numbers have no padding, and any bytes may be read as `u8`.
            let bytes = unsafe {
                std::slice::from_raw_parts(piece.as_ptr().cast::<u8>(), size_of_val(piece))
            };
            self.push(bytes)?;
        }
        self.header.place(section, start..self.at);
        Ok(())
    }

    /// Write the table of checksums and, last of all, the header.
    pub(super) fn finish(mut self) -> Result<(), EngineError> {
        self.pad(ALIGN)?;
        self.flush()?;
        let table = self.at..self.at + self.checks.len();
        self.header.close(table, checksum(&self.checks));
        self.file.write_all(&self.checks).map_err(failed)?;
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.file.write_all(&self.header.to_bytes()).map_err(failed)
    }

    fn pad(&mut self, align: usize) -> Result<(), EngineError> {
        let missing = self.at.next_multiple_of(align) - self.at;
        self.push(&vec![0; missing])
    }

    fn push(&mut self, mut bytes: &[u8]) -> Result<(), EngineError> {
        self.at += bytes.len();
        while !bytes.is_empty() {
            let taken = bytes.len().min(BLOCK_BYTES - self.block.len());
            self.block.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if self.block.len() == BLOCK_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        if !self.block.is_empty() {
            self.checks.extend_from_slice(&checksum(&self.block).to_le_bytes());
            self.file.write_all(&self.block).map_err(failed)?;
            self.block.clear();
        }
        Ok(())
    }
}

fn failed(error: std::io::Error) -> EngineError {
    refused(&error.to_string())
}
