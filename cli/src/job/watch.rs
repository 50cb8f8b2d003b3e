//! `assay job watch`.

use super::{existing, history::Happened, replicas, status};
use crate::{context::Context, failure::NotTrue, progress::Bars};
use assay_client::{At, Block, Client, FinalisedBlocks};
use assay_primitives::{
	views::{JobView, TaskView},
	work::{JobId, TaskStatus},
};
use serde_json::json;
use std::time::Duration;
use tokio::time::{sleep, Instant};

/// How long the node may be away.
const PATIENCE: Duration = Duration::from_secs(300);
/// Pause before the node is asked again.
const PAUSE: Duration = Duration::from_secs(2);

/// States in the order of a task's life.
const STATES: [&str; 11] = [
	"standby",
	"open",
	"offered",
	"running",
	"sealed",
	"opening",
	"in audit",
	"passed",
	"delivering",
	"settled",
	"refunded",
];

/// Follows a job until its last task ended, from a block on or else from now. Fails if nobody was paid
/// for any of them.
pub async fn run(
	context: &Context,
	client: &Client,
	id: JobId,
	from: Option<Block>,
) -> anyhow::Result<()> {
	let from = match from {
		Some(block) => block,
		None => client.block().await?,
	};
	let job = existing(&client.at(At::Block(from.hash)), id).await?;
	let bars = Bars::new(context.output, &STATES, replicas::slots(&job));
	let say = |text: &str| match bars.are_hidden() {
		true => context.output.note(text),
		false => bars.say(text),
	};
	let mut watch = Watch {
		client,
		id,
		blocks: client.finalised_blocks_from(from.number.saturating_add(1)),
		pending: Some(from),
		history: Vec::new(),
	};
	let mut away: Option<Instant> = None;
	let (job, tasks) = loop {
		let told = watch.history.len();
		let looked = watch.step().await;
		for happened in watch.history.iter().skip(told) {
			say(&happened.line(&job.assurance));
		}
		match looked {
			Ok(None) => away = None,
			Ok(Some((job, tasks))) => {
				away = None;
				bars.set(&tally(&tasks));
				if job.closed_at.is_some() {
					break (job, tasks);
				}
			}
			Err(error) if is_unreachable(&error) => {
				let since = *away.get_or_insert_with(|| {
					say(&format!("{error:#}; trying again"));
					Instant::now()
				});
				if since.elapsed() > PATIENCE {
					return Err(error);
				}
				sleep(PAUSE).await;
			}
			Err(error) => return Err(error),
		}
	};
	bars.finish();
	let ok = replicas::all_settled(&job, &tasks);
	let value = json!({ "ok": ok, "job": job, "tasks": tasks, "history": watch.history });
	context.output.result(&value, || {
		format!("{}\n{}", status::job_facts(&job), status::task_table(&job, &tasks))
	});
	if ok {
		Ok(())
	} else {
		Err(NotTrue.into())
	}
}

/// A job being followed, block by block.
struct Watch<'a> {
	client: &'a Client,
	id: JobId,
	blocks: FinalisedBlocks,
	/// A block not yet looked at to the end: the connection may break meanwhile.
	pending: Option<Block>,
	history: Vec<Happened>,
}

impl Watch<'_> {
	/// Goes through the next block, and looks at the job there unless later blocks are waiting.
	async fn step(&mut self) -> anyhow::Result<Option<(JobView, Vec<TaskView>)>> {
		let block = match self.pending {
			Some(block) => block,
			None => *self.pending.insert(self.blocks.next().await?),
		};
		let here = self.client.at(At::Block(block.hash));
		let events = here.job_events().await?;
		let looked = match self.blocks.is_behind() {
			true => None,
			false => Some((existing(&here, self.id).await?, here.all_tasks(self.id).await?)),
		};
		let ours = events.into_iter().filter(|event| event.job == self.id);
		self.history.extend(ours.map(|event| Happened { block: block.number, event }));
		self.pending = None;
		Ok(looked)
	}
}

/// Tasks in each of [`STATES`].
fn tally(tasks: &[TaskView]) -> [u64; STATES.len()] {
	let mut tally = [0; STATES.len()];
	for task in tasks {
		let state = match task.status {
			TaskStatus::Standby => 0,
			TaskStatus::Open => 1,
			TaskStatus::Offered { .. } => 2,
			TaskStatus::Running { .. } => 3,
			TaskStatus::Sealed { .. } => 4,
			TaskStatus::Opening { .. } => 5,
			TaskStatus::Auditing { .. } => 6,
			TaskStatus::Passed { .. } => 7,
			TaskStatus::Delivering { .. } => 8,
			TaskStatus::Settled { .. } => 9,
			TaskStatus::Refunded { .. } => 10,
		};
		tally[state] += 1;
	}
	tally
}

fn is_unreachable(error: &anyhow::Error) -> bool {
	error.downcast_ref::<assay_client::Error>().is_some_and(assay_client::Error::is_unreachable)
}
