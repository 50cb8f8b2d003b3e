//! What is measured for weights, and what the measurements need.

#![cfg(feature = "runtime-benchmarks")]
