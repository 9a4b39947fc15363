//! `trajmeter.kernels._rust`: the kernels of `trajmeter-core` as a Python extension module.

#![expect(
    clippy::needless_pass_by_value,
    reason = "pyo3 passes arguments by value"
)]

mod arrays;
mod attributes;
mod benchmark_lines;
mod calls;
mod codes;
mod columns;
mod context;
mod digests;
mod edits;
mod errors;
mod exact;
mod ingest;
mod levels;
mod lines;
mod means;
mod named;
mod nulls;
mod objects;
mod patches;
mod quoted_words;
mod resampling;
mod rows;
mod sequences;
mod snapshots;
mod spans;
mod speedup;
mod trajectory;
mod turns;

use pyo3::prelude::*;

#[pymodule]
mod _rust {
    /// Whether this is an optimised build; a debug build computes the same, but much more slowly.
    #[pymodule_export]
    const OPTIMISED: bool = !cfg!(debug_assertions);

    /// The version of the package, which Python takes ten milliseconds to look up.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::benchmark_lines::BenchmarkLines;
    #[pymodule_export]
    use crate::calls::{found_texts, match_calls};
    #[pymodule_export]
    use crate::codes::text_codes;
    #[pymodule_export]
    use crate::columns::Columns;
    #[pymodule_export]
    use crate::context::{
        ContextFiles, ContextKernel, ContextTrackerKernel, StepCoverage, context, context_batch,
        context_files,
    };
    #[pymodule_export]
    use crate::digests::folder_digest;
    #[pymodule_export]
    use crate::edits::{EditGoldKernel, edit_counts, edit_gold};
    #[pymodule_export]
    use crate::exact::{Moments, counted_sums, exact_sums, histograms, slot_order};
    #[pymodule_export]
    use crate::ingest::{JsonColumns, JsonReader, document_parts};
    #[pymodule_export]
    use crate::levels::level_advantages;
    #[pymodule_export]
    use crate::lines::{bytes_to_lines, crc_and_newlines, line_starts};
    #[pymodule_export]
    use crate::means::{gmean, gmean_grouped};
    #[pymodule_export]
    use crate::objects::object_codes;
    #[pymodule_export]
    use crate::patches::edited_lines;
    #[pymodule_export]
    use crate::quoted_words::QuotedWords;
    #[pymodule_export]
    use crate::resampling::{cluster_means, sign_flips};
    #[pymodule_export]
    use crate::rows::{csv_lines, json_lines};
    #[pymodule_export]
    use crate::sequences::{
        align, align_matches, assign, edit_distance, edit_distance_matches, likeness,
    };
    #[pymodule_export]
    use crate::snapshots::{SnapshotFiles, read_snapshot};
    #[pymodule_export]
    use crate::spans::{
        difference, difference_batched, intersection, intersection_batched, measure,
        measure_batched, union, union_batched,
    };
    #[pymodule_export]
    use crate::speedup::{SpeedupTables, speedup_tables_as_text};
    #[pymodule_export]
    use crate::trajectory::{trajectory, trajectory_figures, trajectory_fits};
    #[pymodule_export]
    use crate::turns::turn_counts;
}
