#![doc = include_str!("../README.md")]
#![deny(missing_docs, unsafe_code)]

mod authorities;
mod difference;
mod error;
mod finality;
mod proof;
mod receipt;
mod records;
mod state;
mod verify;

pub use authorities::{authorities_key, AuthoritySet};
pub use error::Error;
pub use finality::Votes;
pub use proof::{Finalised, Genesis, Page, Proof};
pub use receipt::{Block, Receipt, TaskReceipt, VERSION};
pub use records::{keys, task_count, EngagementRecord, JobRecord, Records, TaskRecord, RUNTIMES};
pub use verify::{verify, Check, Checked, Outcome};
