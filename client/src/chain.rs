//! The runtime's calls, events and errors, generated from its metadata.
//!
//! `metadata.scale` is written by `scripts/metadata` and belongs to the runtime beside it. Types of
//! `assay_primitives` stand for themselves.

#[subxt::subxt(
	runtime_metadata_path = "metadata.scale",
	substitute_type(
		path = "assay_primitives::market::Ask",
		with = "::subxt::utils::Static<::assay_primitives::market::Ask>"
	),
	substitute_type(
		path = "assay_primitives::market::MachineClass",
		with = "::subxt::utils::Static<::assay_primitives::market::MachineClass>"
	),
	substitute_type(
		path = "assay_primitives::market::Requirements",
		with = "::subxt::utils::Static<::assay_primitives::market::Requirements>"
	),
	substitute_type(
		path = "assay_primitives::replication::Outcome",
		with = "::subxt::utils::Static<::assay_primitives::replication::Outcome>"
	),
	substitute_type(
		path = "assay_primitives::work::Assurance",
		with = "::subxt::utils::Static<::assay_primitives::work::Assurance>"
	),
	substitute_type(
		path = "assay_primitives::work::Commitment",
		with = "::subxt::utils::Static<::assay_primitives::work::Commitment>"
	)
)]
mod generated {}

pub use generated::*;
