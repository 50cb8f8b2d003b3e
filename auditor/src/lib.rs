#![doc = include_str!("../README.md")]
#![deny(missing_docs, unsafe_code)]

mod audit;
mod config;
mod custody;
mod jobs;
mod lanes;
mod metrics;
mod once;
mod pace;
mod results;
mod service;
mod source;
mod spool;
mod turns;
mod watch;

pub use assay_data::{fetch::Retry, Policy};
pub use config::{Config, CustodyConfig};
pub use custody::{check_url, CustodyError, Held};
pub use metrics::{Queues, Snapshot};
pub use once::{audit_once, Once};
pub use service::{Auditor, Handle, StartError};
