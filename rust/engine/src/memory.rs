//! The index of one memory: rows, vectors and keywords, by slot.

use std::path::Path as FilePath;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::EngineError;
use crate::filter::Filter;
use crate::keyword::KeywordIndex;
use crate::refit::{FIRST_FIT, Refit};
use crate::rows::{Attributes, RowTable, length};
use crate::scan::check_vectors;
use crate::scan::{self, Codes, Matrix, NullSamples, Query, ScanResult, Weights};
use crate::simd::Path;
use crate::snapshot::format::Section;
use crate::snapshot::mapped::MappedFile;
use crate::snapshot::{self, Parts, Stamp};
use crate::text::Analyzed;
pub use crate::text::analyze_all;
use crate::words::Asked;

/// Largest dimension of a vector.
pub const MAX_DIM: usize = 65_536;

/// A batch of rows to insert or replace.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Trace ids; of an id that occurs twice the later row counts.
    pub ids: &'a [i64],
    /// One byte per row: whether it has a vector.
    pub has_vector: &'a [u8],
    /// The vectors of the rows that have one, in order, `dim` values each.
    pub vectors: &'a [f32],
    /// Analysed text of each row, see [`analyze_all`].
    pub terms: &'a Analyzed,
    /// Attributes of each row.
    pub attributes: Attributes<'a>,
}

/// Everything that recall searches in memory.
#[derive(Debug)]
pub struct MemoryIndex {
    pub(crate) path: Path,
    threads: usize,
    rows: RowTable,
    pub(crate) matrix: Matrix,
    samples: NullSamples,
    keywords: KeywordIndex,
    pub(crate) codes: Option<Codes>,
    /// Codes along new directions that do not cover all slots yet.
    pub(crate) refit: Option<Refit>,
    /// Number of slots at which the directions of the codes are worth fitting again.
    pub(crate) next_fit: usize,
    /// Bounds of the weights for the time constants of the last queries, newest first.
    weights: Mutex<Vec<Arc<Weights>>>,
    /// What the last question asked for, until a row changes.
    pub(crate) last_asked: Mutex<Option<Arc<Asked>>>,
    /// The snapshot that the columns begin with.
    file: Option<Arc<MappedFile>>,
}

/// Sets of time constants whose bounds are kept.
const CACHED_WEIGHTS: usize = 3;
impl MemoryIndex {
    /// An empty index of vectors of `dim` values.
    ///
    /// # Errors
    /// `Parameter` if `dim` is zero or above [`MAX_DIM`].
    pub fn new(dim: usize) -> Result<Self, EngineError> {
        if !(1..=MAX_DIM).contains(&dim) {
            return Err(EngineError::Parameter {
                what: format!("the dimension must lie in 1..={MAX_DIM}, got {dim}"),
            });
        }
        Ok(Self {
            path: Path::detect(),
            threads: scan::parallel::available(),
            rows: RowTable::default(),
            matrix: Matrix::new(dim),
            samples: NullSamples::default(),
            keywords: KeywordIndex::new(),
            codes: None,
            refit: None,
            next_fit: FIRST_FIT,
            weights: Mutex::default(),
            last_asked: Mutex::default(),
            file: None,
        })
    }

    /// Map a snapshot and return the index with the revision that it stands for.
    ///
    /// # Errors
    /// `Snapshot` for a file that is missing, damaged, or of another identity or dimension.
    pub fn open(
        file: &FilePath,
        identity: [u8; 32],
        dim: usize,
    ) -> Result<(Self, i64), EngineError> {
        let file = Arc::new(MappedFile::open(file)?);
        let header = file.header();
        let refuse = |reason: &str| Err(EngineError::Snapshot { reason: reason.to_owned() });
        if header.identity != identity {
            return refuse("it belongs to another store or another space");
        }
        if header.dim != dim {
            return refuse("its vectors have another dimension");
        }
        snapshot::verify_small(&file)?;
        let mut index = Self::new(dim)?;
        index.rows = RowTable::open(&file)?;
        index.matrix = Matrix::open(&file)?;
        index.codes = Codes::open(&file)?;
        let words = header.range(Section::Words).len();
        index.keywords = KeywordIndex::open(file.shared(Section::Words)?, 0..words)?;
        for (scope, id) in snapshot::samples(&file)? {
            index.samples.add(scope, id);
        }
        if index.codes.is_some() {
            index.next_fit = FIRST_FIT.max(index.rows.slots() * 4);
        }
        let rev = header.rev;
        index.file = Some(file);
        Ok((index, rev))
    }

    /// Write a snapshot to a file that must not exist yet.
    ///
    /// # Errors
    /// `Snapshot` if it cannot be written, or if the index itself lies in a damaged one.
    pub fn save(&self, file: &FilePath, stamp: Stamp) -> Result<(), EngineError> {
        let parts = Parts {
            rows: &self.rows,
            matrix: &self.matrix,
            samples: &self.samples,
            keywords: &self.keywords,
            codes: self.codes.as_ref(),
        };
        snapshot::save(&parts, file, stamp)?;
        self.whole(())
    }

    /// Pass a result on, unless it was read from a damaged block.
    pub(crate) fn whole<T>(&self, result: T) -> Result<T, EngineError> {
        match &self.file {
            Some(file) if file.is_damaged() => {
                Err(EngineError::Snapshot { reason: "a block is damaged".into() })
            }
            _ => Ok(result),
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Values per vector.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.matrix.dim()
    }

    /// The SIMD path in use.
    #[must_use]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Use another SIMD path; no result changes.
    pub fn set_path(&mut self, path: Path) {
        self.path = path;
    }

    /// Most threads of a scan.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Use at most this many threads for a scan, at least one; no result changes.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Whether a row of this id is in the index.
    #[must_use]
    pub fn contains(&self, id: i64) -> bool {
        self.rows.slot_of(id).is_some()
    }

    /// Insert rows, replacing those whose ids are present.
    ///
    /// # Errors
    /// `Length`, `NotFinite` or `Parameter`; nothing is changed then.
    pub fn upsert(&mut self, batch: &Batch<'_>) -> Result<(), EngineError> {
        self.upsert_each(batch, |_| Ok(()))
    }

    /// As [`MemoryIndex::upsert`], with a look at the index before each row comes.
    ///
    /// # Errors
    /// Those of `look` as well; the rows before that one are inserted then.
    pub(crate) fn upsert_each(
        &mut self,
        batch: &Batch<'_>,
        mut look: impl FnMut(&Self) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        self.check(batch)?;
        self.last_asked = Mutex::default();
        let mut vectors = batch.vectors.chunks_exact(self.matrix.dim());
        let terms = self.keywords.ids_of(batch.terms);
        for (at, &id) in batch.ids.iter().enumerate() {
            look(self)?;
            let vector = if batch.has_vector[at] != 0 { vectors.next() } else { None };
            self.upsert_row(batch, (at, id), vector, &terms);
        }
        self.samples.refresh(&self.rows, &self.matrix);
        Ok(())
    }

    fn upsert_row(
        &mut self,
        batch: &Batch<'_>,
        (at, id): (usize, i64),
        vector: Option<&[f32]>,
        terms: &[u32],
    ) {
        let before = self.sampled(id);
        let slot = self.rows.claim(id);
        self.rows.write(slot, &batch.attributes, at);
        self.matrix.resize(self.rows.slots());
        self.matrix.write(slot, vector);
        self.recode(slot);
        self.renew_weight(slot);
        self.resample(id, before);
        let scope = batch.attributes.scope[at];
        self.keywords.upsert(slot as u32, scope, batch.terms.text(at), terms);
    }

    fn check(&self, batch: &Batch<'_>) -> Result<(), EngineError> {
        let count = batch.ids.len();
        length("has_vector", batch.has_vector.len(), count)?;
        length("texts", batch.terms.len(), count)?;
        let present = batch.has_vector.iter().filter(|flag| **flag != 0).count();
        length("vectors", batch.vectors.len(), present * self.matrix.dim())?;
        batch.attributes.validate(count)?;
        check_vectors("vectors", batch.vectors, self.matrix.dim())
    }

    /// Change the attributes of rows and keep their vectors and texts. Unknown ids are skipped.
    ///
    /// # Errors
    /// `Length`, `NotFinite` or `Parameter`; nothing is changed then.
    pub fn update(&mut self, ids: &[i64], attributes: &Attributes<'_>) -> Result<(), EngineError> {
        attributes.validate(ids.len())?;
        self.last_asked = Mutex::default();
        for (at, &id) in ids.iter().enumerate() {
            let Some(slot) = self.rows.slot_of(id) else { continue };
            let before = self.sampled(id);
            self.rows.write(slot, attributes, at);
            self.renew_weight(slot);
            self.resample(id, before);
            self.keywords.set_scope(slot as u32, attributes.scope[at]);
        }
        self.samples.refresh(&self.rows, &self.matrix);
        Ok(())
    }

    /// Take rows out and return how many there were. Unknown ids are skipped.
    pub fn remove(&mut self, ids: &[i64]) -> usize {
        let mut removed = 0;
        self.last_asked = Mutex::default();
        for &id in ids {
            let before = self.sampled(id);
            if let Some(slot) = self.rows.release(id) {
                self.matrix.write(slot, None);
                self.recode(slot);
                self.keywords.remove(slot as u32);
                removed += 1;
            }
            self.resample(id, before);
        }
        self.samples.refresh(&self.rows, &self.matrix);
        removed
    }

    fn recode(&mut self, slot: usize) {
        if let Some(codes) = &mut self.codes {
            codes.resize(self.rows.slots());
            codes.write(self.path, &self.matrix, slot);
        }
        if let Some(refit) = self.refit.as_mut().filter(|refit| slot < refit.done) {
            refit.codes.write(self.path, &self.matrix, slot);
        }
    }

    fn renew_weight(&mut self, slot: usize) {
        let cached = self.weights.get_mut().unwrap_or_else(PoisonError::into_inner);
        for weights in cached {
            Arc::make_mut(weights).renew(&self.rows, slot);
        }
    }

    /// Bounds of the weights that hold for this query.
    fn weights(&self, query: &Query<'_>) -> Arc<Weights> {
        let mut cached = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = cached.iter().position(|weights| weights.serve(&self.rows, query)) {
            return Arc::clone(&cached[at]);
        }
        let weights = Arc::new(Weights::take(&self.rows, query.filter));
        cached.retain(|old| !old.replaced_by(&weights));
        cached.insert(0, Arc::clone(&weights));
        cached.truncate(CACHED_WEIGHTS);
        weights
    }

    /// Scope whose null sample the row may be in.
    fn sampled(&self, id: i64) -> Option<u32> {
        let slot = self.rows.slot_of(id)?;
        self.matrix.has(slot).then(|| self.rows.scope[slot])
    }

    /// Bring the null samples in step after a change of the row. A row that stays in its scope
    /// is left alone: losing a member of a full sample means drawing that sample again.
    fn resample(&mut self, id: i64, before: Option<u32>) {
        let after = self.sampled(id);
        if before == after {
            return;
        }
        if let Some(scope) = before {
            self.samples.drop_row(scope, id);
        }
        if let Some(scope) = after {
            self.samples.add(scope, id);
        }
    }

    /// The exact best rows of a query.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn topk(&self, query: &Query<'_>) -> Result<ScanResult, EngineError> {
        let mut results = self.topk_many(&[query.vector], query)?;
        Ok(results.pop().unwrap_or_default())
    }

    /// The exact best rows of several query vectors, in one pass: the codes are read once for all
    /// of them. `query` gives everything but the vector.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn topk_many(
        &self,
        vectors: &[&[f32]],
        query: &Query<'_>,
    ) -> Result<Vec<ScanResult>, EngineError> {
        query.filter.validate()?;
        let weights = self.weights(query);
        let index = scan::Index {
            rows: &self.rows,
            matrix: &self.matrix,
            samples: &self.samples,
            codes: self.codes.as_ref(),
            weights: &weights,
            path: self.path,
        };
        let queries: Vec<Query<'_>> =
            vectors.iter().map(|vector| Query { vector, ..query.clone() }).collect();
        self.whole(scan::topk(index, &queries, self.threads)?)
    }

    /// Canonical cosines of given rows; NaN for an id that is absent or has no vector.
    ///
    /// # Errors
    /// `NotFinite`, `Length` or `Parameter` for a query that cannot be used.
    pub fn cosines(&self, query: &[f32], ids: &[i64]) -> Result<Vec<f32>, EngineError> {
        self.check_query(query)?;
        let slot_of = |id: &i64| self.rows.slot_of(*id);
        let cosine = |id| slot_of(id).map_or(f32::NAN, |slot| self.cosine_of(query, slot));
        self.whole(ids.iter().map(cosine).collect())
    }

    pub(crate) fn check_query(&self, query: &[f32]) -> Result<(), EngineError> {
        length("query", query.len(), self.matrix.dim())?;
        check_vectors("query", query, self.matrix.dim())
    }

    /// Canonical cosine of a row; NaN for one without a vector.
    pub(crate) fn cosine_of(&self, query: &[f32], slot: usize) -> f32 {
        if self.matrix.has(slot) { self.matrix.cosine(self.path, query, slot) } else { f32::NAN }
    }

    /// Number of slots, vacant ones included.
    pub(crate) fn slots(&self) -> usize {
        self.rows.slots()
    }

    pub(crate) fn rows(&self) -> &RowTable {
        &self.rows
    }

    pub(crate) fn keywords(&self) -> &KeywordIndex {
        &self.keywords
    }

    /// Retentions of given rows; NaN for an id that is absent or does not pass the filter.
    ///
    /// # Errors
    /// `NotFinite` or `Parameter` for a filter that cannot be used.
    pub fn retentions(&self, ids: &[i64], filter: &Filter) -> Result<Vec<f64>, EngineError> {
        filter.validate()?;
        let retention = |id: &i64| match self.rows.slot_of(*id) {
            Some(slot) if filter.accepts(&self.rows, slot) => filter.retention(&self.rows, slot),
            _ => f64::NAN,
        };
        Ok(ids.iter().map(retention).collect())
    }
}
