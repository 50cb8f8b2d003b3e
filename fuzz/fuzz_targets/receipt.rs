#![no_main]

use assay_fuzz::{receipt, write_seeds};

libfuzzer_sys::fuzz_target!(init: write_seeds(receipt::seeds), |bytes: &[u8]| receipt::run(bytes));
