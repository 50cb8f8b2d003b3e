#![doc = include_str!("../README.md")]
#![deny(missing_docs, unsafe_code)]

pub mod backend;
pub mod backlog;
pub mod chain;
pub mod cli;
pub mod config;
pub mod device;
pub mod journal;
pub mod machine;
pub mod quota;
pub mod register;
pub mod runner;
pub mod sabotage;
pub mod speed;
pub mod status;
pub mod stop;
pub mod tally;
pub mod tasks;
pub mod worker;

use assay_primitives::work::TaskId;

/// A task as logs, files and commands name it: `job-index`.
pub fn task_name(task: TaskId) -> String {
	format!("{}-{}", task.job, task.index)
}
