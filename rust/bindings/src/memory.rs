//! Binding of the memory index: one read-write lock, taken only without the GIL.

use std::path::PathBuf;
use std::sync::RwLock;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;
use realmemory_engine::beside::{Asked, Near};
use realmemory_engine::filter::Filter;
use realmemory_engine::gather::{Gathered, table_of};
use realmemory_engine::memory::{Batch, MemoryIndex as Engine, analyze_all};
use realmemory_engine::rows::Attributes;
use realmemory_engine::scan::{Query, Rank, ScanResult, ScanStats};
use realmemory_engine::simd::Path;
use realmemory_engine::snapshot::Stamp;

use crate::buffers::{detached, pack, read, read_locked, write_locked};
use crate::filter::{FilterFields, filter_of};
use crate::text::packed_matches;

type AttributeBuffers = (
    PyBuffer<u32>,
    PyBuffer<u8>,
    PyBuffer<u8>,
    PyBuffer<u8>,
    PyBuffer<f64>,
    PyBuffer<f64>,
    PyBuffer<f64>,
    PyBuffer<f64>,
    PyBuffer<f64>,
);

/// Packed ids, cosines, scores and retentions; null count, mean and standard deviation; the
/// work of the pass.
type PackedScan<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    (u32, f64, f64),
    (u64, u64, u64, u64, u64),
);

/// Packed ids; a table of f64, see `realmemory_engine::relevance`; null count, mean and standard
/// deviation; rows bounded by the scan.
type PackedRows<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, (u32, f64, f64), u64);

fn packed_rows<'py>(py: Python<'py>, found: &Gathered) -> PackedRows<'py> {
    (
        pack(py, found.rows.iter().map(|row| row.id.to_le_bytes())),
        pack(py, table_of(&found.rows).into_iter().map(f64::to_le_bytes)),
        (found.null.count, found.null.mean, found.null.std),
        found.stats.bounded,
    )
}

/// Owned columns, so that the kernel can run while Python goes on.
struct Columns {
    scope: Vec<u32>,
    bytes: [Vec<u8>; 3],
    floats: [Vec<f64>; 5],
}

impl Columns {
    fn read(py: Python<'_>, buffers: &AttributeBuffers) -> PyResult<Self> {
        let (scope, kind, status, flags, base, last, from, until, observed) = buffers;
        Ok(Self {
            scope: read(py, scope)?,
            bytes: [read(py, kind)?, read(py, status)?, read(py, flags)?],
            floats: [
                read(py, base)?,
                read(py, last)?,
                read(py, from)?,
                read(py, until)?,
                read(py, observed)?,
            ],
        })
    }

    fn view(&self) -> Attributes<'_> {
        let [kind, status, flags] = &self.bytes;
        let [base, last, valid_from, valid_until, observed_at] = &self.floats;
        let scope = &self.scope;
        Attributes { scope, kind, status, flags, base, last, valid_from, valid_until, observed_at }
    }
}

/// Slots, bounded, refined and rescored rows, bytes.
fn work_of(stats: &ScanStats) -> (u64, u64, u64, u64, u64) {
    (stats.rows, stats.bounded, stats.refined, stats.rescored, stats.bytes)
}

fn packed<'py>(py: Python<'py>, result: &ScanResult) -> PackedScan<'py> {
    let hits = &result.hits;
    (
        pack(py, hits.iter().map(|hit| hit.id.to_le_bytes())),
        pack(py, hits.iter().map(|hit| hit.cosine.to_le_bytes())),
        pack(py, hits.iter().map(|hit| hit.score.to_le_bytes())),
        pack(py, hits.iter().map(|hit| hit.retention.to_le_bytes())),
        (result.null.count, result.null.mean, result.null.std),
        work_of(&result.stats),
    )
}

/// Rows coded under one hold of the lock: a few milliseconds.
const ROWS_A_STEP: usize = 128;

/// Rows, vectors and keywords of one memory.
#[pyclass(frozen, module = "realmemory._native")]
pub struct MemoryIndex {
    engine: RwLock<Engine>,
}

#[pymethods]
impl MemoryIndex {
    #[new]
    fn new(py: Python<'_>, dim: usize) -> PyResult<Self> {
        Ok(Self { engine: RwLock::new(detached(py, || Engine::new(dim))?) })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.engine)?.len()))
    }

    fn __contains__(&self, py: Python<'_>, row_id: i64) -> PyResult<bool> {
        detached(py, || Ok(read_locked(&self.engine)?.contains(row_id)))
    }

    #[getter]
    fn dim(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.engine)?.dim()))
    }

    #[getter]
    fn simd(&self, py: Python<'_>) -> PyResult<&'static str> {
        detached(py, || Ok(read_locked(&self.engine)?.path().name()))
    }

    fn set_simd(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        detached(py, || {
            write_locked(&self.engine)?.set_path(Path::named(name)?);
            Ok(())
        })
    }

    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        detached(py, || Ok(read_locked(&self.engine)?.threads()))
    }

    fn set_threads(&self, py: Python<'_>, threads: usize) -> PyResult<()> {
        detached(py, || {
            write_locked(&self.engine)?.set_threads(threads);
            Ok(())
        })
    }

    fn upsert(
        &self,
        py: Python<'_>,
        ids: PyBuffer<i64>,
        has_vector: PyBuffer<u8>,
        vectors: PyBuffer<f32>,
        texts: Vec<PyBackedStr>,
        attributes: AttributeBuffers,
    ) -> PyResult<()> {
        let (ids, has_vector) = (read(py, &ids)?, read(py, &has_vector)?);
        let (vectors, columns) = (read(py, &vectors)?, Columns::read(py, &attributes)?);
        detached(py, || {
            let terms = analyze_all(&texts);
            write_locked(&self.engine)?.upsert(&Batch {
                ids: &ids,
                has_vector: &has_vector,
                vectors: &vectors,
                terms: &terms,
                attributes: columns.view(),
            })
        })
    }

    fn update(
        &self,
        py: Python<'_>,
        ids: PyBuffer<i64>,
        attributes: AttributeBuffers,
    ) -> PyResult<()> {
        let (ids, columns) = (read(py, &ids)?, Columns::read(py, &attributes)?);
        detached(py, || write_locked(&self.engine)?.update(&ids, &columns.view()))
    }

    fn remove(&self, py: Python<'_>, ids: PyBuffer<i64>) -> PyResult<usize> {
        let ids = read(py, &ids)?;
        detached(py, || Ok(write_locked(&self.engine)?.remove(&ids)))
    }

    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        identity: [u8; 32],
        dim: usize,
    ) -> PyResult<(Self, i64)> {
        let (engine, rev) = detached(py, || Engine::open(&path, identity, dim))?;
        Ok((Self { engine: RwLock::new(engine) }, rev))
    }

    fn save(&self, py: Python<'_>, path: PathBuf, identity: [u8; 32], rev: i64) -> PyResult<()> {
        detached(py, || read_locked(&self.engine)?.save(&path, Stamp { identity, rev }))
    }

    #[getter]
    fn fit_due(&self, py: Python<'_>) -> PyResult<bool> {
        detached(py, || Ok(read_locked(&self.engine)?.fit_due()))
    }

    fn optimize(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || {
            let sample = read_locked(&self.engine)?.fit_sample();
            let fitted = sample.fit();
            write_locked(&self.engine)?.begin_fit(fitted);
            while write_locked(&self.engine)?.step_fit(ROWS_A_STEP) {}
            Ok(())
        })
    }

    fn topk<'py>(
        &self,
        py: Python<'py>,
        query: PyBuffer<f32>,
        k: usize,
        by_cosine: bool,
        min_cosine: f64,
        chosen: FilterFields,
    ) -> PyResult<PackedScan<'py>> {
        let (vector, filter) = (read(py, &query)?, filter_of(py, &chosen)?);
        let rank = if by_cosine { Rank::Cosine } else { Rank::Score };
        let query = Query { vector: &vector, k, rank, min_cosine, filter: &filter };
        let result = detached(py, || read_locked(&self.engine)?.topk(&query))?;
        Ok(packed(py, &result))
    }

    fn topk_many<'py>(
        &self,
        py: Python<'py>,
        queries: PyBuffer<f32>,
        k: usize,
        by_cosine: bool,
        min_cosine: f64,
        chosen: FilterFields,
    ) -> PyResult<Vec<PackedScan<'py>>> {
        let (vectors, filter) = (read(py, &queries)?, filter_of(py, &chosen)?);
        let rank = if by_cosine { Rank::Cosine } else { Rank::Score };
        let query = Query { vector: &[], k, rank, min_cosine, filter: &filter };
        let results = detached(py, || {
            let engine = read_locked(&self.engine)?;
            let rows: Vec<&[f32]> = vectors.chunks_exact(engine.dim()).collect();
            engine.topk_many(&rows, &query)
        })?;
        Ok(results.iter().map(|result| packed(py, result)).collect())
    }

    #[pyo3(signature = (text, k, query, scan_k, by_cosine, chosen, *, fuzzy))]
    #[expect(clippy::too_many_arguments, reason = "one call in place of five")]
    fn gather<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
        k: usize,
        query: PyBuffer<f32>,
        scan_k: usize,
        by_cosine: bool,
        chosen: FilterFields,
        fuzzy: bool,
    ) -> PyResult<PackedRows<'py>> {
        let (vector, filter) = (read(py, &query)?, filter_of(py, &chosen)?);
        let rank = if by_cosine { Rank::Cosine } else { Rank::Score };
        let min_cosine = f64::NEG_INFINITY;
        let scan = Query { vector: &vector, k: scan_k, rank, min_cosine, filter: &filter };
        let found = detached(py, || read_locked(&self.engine)?.gather(&text, k, &scan, fuzzy))?;
        Ok(packed_rows(py, &found))
    }

    #[expect(clippy::too_many_arguments, reason = "those of an insertion, and what is asked")]
    fn gather_ahead(
        &self,
        py: Python<'_>,
        beside: Py<Self>,
        ids: PyBuffer<i64>,
        has_vector: PyBuffer<u8>,
        vectors: PyBuffer<f32>,
        texts: Vec<PyBackedStr>,
        attributes: AttributeBuffers,
        scanned: Vec<Vec<i64>>,
        chosen: Vec<FilterFields>,
        k: usize,
    ) -> PyResult<Vec<Vec<(i64, f32, u32)>>> {
        let (ids, has_vector) = (read(py, &ids)?, read(py, &has_vector)?);
        let (vectors, columns) = (read(py, &vectors)?, Columns::read(py, &attributes)?);
        let filters: Vec<Filter> =
            chosen.iter().map(|fields| filter_of(py, fields)).collect::<PyResult<_>>()?;
        let found = detached(py, || {
            let engine = read_locked(&self.engine)?;
            let mut each = vectors.chunks_exact(engine.dim());
            let given = has_vector.iter().map(|flag| if *flag != 0 { each.next() } else { None });
            let asked: Vec<Asked<'_>> = (texts.iter().zip(given))
                .zip(scanned.into_iter().zip(filters))
                .map(|((text, vector), (scanned, filter))| Asked { text, vector, scanned, filter })
                .collect();
            let coming = &has_vector[..ids.len().min(has_vector.len())];
            let present = coming.iter().filter(|flag| **flag != 0).count();
            let terms = analyze_all(&texts[..ids.len().min(texts.len())]);
            let rows = Batch {
                ids: &ids,
                has_vector: coming,
                vectors: &vectors[..(present * engine.dim()).min(vectors.len())],
                terms: &terms,
                attributes: columns.view(),
            };
            engine.gather_ahead(&mut *write_locked(&beside.get().engine)?, &asked, &rows, k)
        })?;
        let plain = |near: &Near| (near.id, near.cosine, near.matched);
        Ok(found.iter().map(|rows| rows.iter().map(plain).collect()).collect())
    }

    fn describe<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
        query: PyBuffer<f32>,
        ids: PyBuffer<i64>,
        chosen: FilterFields,
    ) -> PyResult<PackedRows<'py>> {
        let (vector, filter) = (read(py, &query)?, filter_of(py, &chosen)?);
        let ids = read(py, &ids)?;
        let rows =
            detached(py, || read_locked(&self.engine)?.describe(&text, &vector, &filter, &ids))?;
        Ok(packed_rows(py, &Gathered { rows, ..Gathered::default() }))
    }

    fn cosines<'py>(
        &self,
        py: Python<'py>,
        query: PyBuffer<f32>,
        ids: PyBuffer<i64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (query, ids) = (read(py, &query)?, read(py, &ids)?);
        let cosines = detached(py, || read_locked(&self.engine)?.cosines(&query, &ids))?;
        Ok(pack(py, cosines.iter().map(|cosine| cosine.to_le_bytes())))
    }

    fn retentions<'py>(
        &self,
        py: Python<'py>,
        ids: PyBuffer<i64>,
        chosen: FilterFields,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (ids, filter) = (read(py, &ids)?, filter_of(py, &chosen)?);
        let retentions = detached(py, || read_locked(&self.engine)?.retentions(&ids, &filter))?;
        Ok(pack(py, retentions.iter().map(|retention| retention.to_le_bytes())))
    }

    #[pyo3(signature = (text, k, chosen, *, fuzzy=false))]
    fn search_terms<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
        k: usize,
        chosen: FilterFields,
        fuzzy: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let filter = filter_of(py, &chosen)?;
        let hits =
            detached(py, || read_locked(&self.engine)?.search_terms(&text, k, &filter, fuzzy))?;
        let ids = pack(py, hits.iter().map(|hit| hit.id.to_le_bytes()));
        Ok((ids, packed_matches(py, hits.iter().map(|hit| hit.score))))
    }

    #[pyo3(signature = (text, ids, scopes, *, fuzzy=false))]
    fn lexical<'py>(
        &self,
        py: Python<'py>,
        text: PyBackedStr,
        ids: PyBuffer<i64>,
        scopes: Option<PyBuffer<u32>>,
        fuzzy: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ids = read(py, &ids)?;
        let scopes = scopes.map(|buffer| read(py, &buffer)).transpose()?;
        let matches = detached(py, || {
            Ok(read_locked(&self.engine)?.lexical(&text, &ids, scopes.as_deref(), fuzzy))
        })?;
        Ok(packed_matches(py, matches.into_iter()))
    }

    fn bridged<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        without: PyBackedStr,
        k: usize,
        ids: PyBuffer<i64>,
        chosen: FilterFields,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
        let (ids, filter) = (read(py, &ids)?, filter_of(py, &chosen)?);
        let found = detached(py, || {
            read_locked(&self.engine)?.bridged(&texts, &without, k, &ids, &filter)
        })?;
        let packed = |shared: &Vec<(i64, f32)>| {
            let worth = pack(py, shared.iter().map(|(_, value)| value.to_le_bytes()));
            (pack(py, shared.iter().map(|(id, _)| id.to_le_bytes())), worth)
        };
        Ok(found.iter().map(packed).collect())
    }
}

/// Names of the SIMD paths of this machine, best first.
#[pyfunction]
pub fn simd_paths() -> Vec<&'static str> {
    Path::available().into_iter().map(Path::name).collect()
}
