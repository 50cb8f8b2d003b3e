#![no_main]

use assay_fuzz::{proof, write_seeds};

libfuzzer_sys::fuzz_target!(init: write_seeds(proof::seeds), |bytes: &[u8]| proof::run(bytes));
