//! Puts the version and commit into the binary.

fn main() {
	substrate_build_script_utils::generate_cargo_keys();
	println!("cargo:rerun-if-changed=build.rs");
}
