#![no_main]

use assay_fuzz::{program, write_seeds};

libfuzzer_sys::fuzz_target!(init: write_seeds(program::seeds), |bytes: &[u8]| program::run(bytes));
