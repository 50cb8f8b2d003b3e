//! Builds the runtime's WASM blob beside the native build.

fn main() {
	#[cfg(feature = "std")]
	{
		let builder = substrate_wasm_builder::WasmBuilder::new()
			.with_current_project()
			.export_heap_base()
			.import_memory();
		#[cfg(feature = "metadata-hash")]
		let builder = builder.enable_metadata_hash("ASY", 12);
		builder.build();
	}
}
