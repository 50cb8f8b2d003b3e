//! `assay job watch`.

use super::{existing, history, status};
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
const STATES: [&str; 7] =
	["open", "offered", "running", "in audit", "passed", "settled", "refunded"];

/// Follows a job until its last task ended. Fails if any was refunded.
pub async fn run(context: &Context, client: &Client, id: JobId) -> anyhow::Result<()> {
	let mut blocks = client.finalised_blocks().await?;
	let job = existing(client, id).await?;
	let bars = Bars::new(context.output, &STATES, job.tasks.into());
	let say = |text: &str| match bars.are_hidden() {
		true => context.output.note(text),
		false => bars.say(text),
	};
	let mut away: Option<Instant> = None;
	let (job, tasks) = loop {
		match step(client, &mut blocks, id, away.is_none(), &bars, &say).await {
			Ok(Some(closed)) => break closed,
			Ok(None) => away = None,
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
	let ok = job.counts.refunded == 0;
	let value = json!({ "ok": ok, "job": job, "tasks": tasks });
	context
		.output
		.result(&value, || format!("{}\n{}", status::job_facts(&job), status::task_table(&tasks)));
	if ok {
		Ok(())
	} else {
		Err(NotTrue.into())
	}
}

/// Looks at the job, and unless it is closed waits for the next block and tells what happened.
async fn step(
	client: &Client,
	blocks: &mut FinalisedBlocks,
	id: JobId,
	look: bool,
	bars: &Bars,
	say: &impl Fn(&str),
) -> anyhow::Result<Option<(JobView, Vec<TaskView>)>> {
	if look && !blocks.is_behind() {
		let here = client.pinned().await?;
		let job = existing(&here, id).await?;
		let tasks = here.all_tasks(id).await?;
		bars.set(&tally(&tasks));
		if job.closed_at.is_some() {
			return Ok(Some((job, tasks)));
		}
	}
	let Block { number, hash } = blocks.next().await?;
	for event in client.at(At::Block(hash)).job_events().await? {
		if event.job == id {
			say(&history::line(number, &event));
		}
	}
	Ok(None)
}

/// Tasks in each of [`STATES`].
fn tally(tasks: &[TaskView]) -> [u64; STATES.len()] {
	let mut tally = [0; STATES.len()];
	for task in tasks {
		let state = match task.status {
			TaskStatus::Open => 0,
			TaskStatus::Offered { .. } => 1,
			TaskStatus::Running { .. } => 2,
			TaskStatus::Auditing { .. } => 3,
			TaskStatus::Passed { .. } => 4,
			TaskStatus::Settled { .. } => 5,
			TaskStatus::Refunded { .. } => 6,
		};
		tally[state] += 1;
	}
	tally
}

fn is_unreachable(error: &anyhow::Error) -> bool {
	error.downcast_ref::<assay_client::Error>().is_some_and(assay_client::Error::is_unreachable)
}
