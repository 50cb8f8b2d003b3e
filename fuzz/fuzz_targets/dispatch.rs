#![no_main]

use assay_fuzz::{dispatch, write_seeds};

libfuzzer_sys::fuzz_target!(init: write_seeds(dispatch::seeds), |bytes: &[u8]| dispatch::run(bytes));
