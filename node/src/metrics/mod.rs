//! Figures for Prometheus.
//!
//! - [`network`]: of the whole network, read from the chain;
//! - [`auditor`]: of this node's auditor.

pub mod auditor;
pub mod network;
