//! What readers are told of jobs and of the network, gathered from the pallets.

use crate::*;
use alloc::string::String;
use assay_primitives::{
	views::{
		JobEvent, JobEventKind, JobMoney, JobView, JobsPage, MatchView, NetworkStats, TaskView,
	},
	work::{JobId, TaskId, TaskIndex},
};
use pallet_job_escrow::{Event, Job, Jobs, Task};

fn text(bytes: &[u8]) -> String {
	String::from_utf8_lossy(bytes).into_owned()
}

fn job_view(id: JobId, job: Job<Runtime>) -> JobView {
	// What is held is what is left (DESIGN §8.2); the pallet's `try_state` holds it to the tasks.
	let m = &job.money;
	let spent = m.paid.saturating_add(m.fees).saturating_add(m.audit).saturating_add(m.refunded);
	let held = m.escrow.saturating_sub(spent);
	JobView {
		id,
		owner: job.owner,
		program: job.spec.program,
		tasks_root: job.spec.tasks_root,
		tasks: job.spec.tasks,
		data_url: text(&job.spec.data_url),
		requirements: job.spec.requirements,
		assurance: job.spec.assurance,
		max_price: job.spec.max_price,
		audit_fee: job.audit_fee,
		custody: job.custody,
		value: job.spec.value,
		deadline: job.spec.deadline,
		posted_at: job.posted_at,
		expires_at: job.expires_at,
		closed_at: job.closed_at,
		money: JobMoney { held, ..job.money },
		counts: job.counts,
	}
}

fn task_view((id, task): (TaskId, Task<Runtime>)) -> TaskView {
	let (matched, inputs, commitment, delivered) = match task.engaged {
		None => (None, Vec::new(), None, false),
		Some(e) => {
			let endpoint = ProviderRegistry::endpoint_of(&e.provider)
				.map(|url| text(&url))
				.unwrap_or_default();
			let matched =
				MatchView { provider: e.provider, machine: e.machine, price: e.price, endpoint };
			(Some(matched), e.inputs.into_inner(), e.commitment, e.delivered)
		}
	};
	TaskView {
		id,
		status: task.status,
		attempts: task.attempts,
		matched,
		inputs,
		commitment,
		delivered,
		held: task.held,
	}
}

/// One job.
pub fn job(id: JobId) -> Option<JobView> {
	Jobs::<Runtime>::get(id).map(|job| job_view(id, job))
}

/// A page of jobs, newest first.
pub fn jobs(before: Option<JobId>, limit: u32) -> JobsPage {
	let (jobs, next) = JobEscrow::jobs_page(before, limit);
	JobsPage { jobs: jobs.into_iter().map(|(id, job)| job_view(id, job)).collect(), next }
}

/// A page of a job's tasks.
pub fn tasks(job: JobId, start: TaskIndex, limit: u32) -> Vec<TaskView> {
	JobEscrow::tasks_page(job, start, limit).into_iter().map(task_view).collect()
}

/// A provider's live tasks.
pub fn tasks_of(provider: &AccountId) -> Vec<TaskView> {
	JobEscrow::tasks_of(provider).into_iter().map(task_view).collect()
}

/// What happened to jobs in this block.
pub fn job_events() -> Vec<JobEvent> {
	System::read_events_no_consensus()
		.filter_map(|record| match record.event {
			RuntimeEvent::JobEscrow(event) => job_event(event),
			_ => None,
		})
		.collect()
}

fn job_event(event: Event<Runtime>) -> Option<JobEvent> {
	let of_job = |job, kind| Some(JobEvent { job, task: None, kind });
	let of_task = |id: TaskId, kind| Some(JobEvent { job: id.job, task: Some(id.index), kind });
	match event {
		Event::Posted { job, .. } => of_job(job, JobEventKind::Posted),
		Event::Offered { task, provider, machine, price, .. } => {
			of_task(task, JobEventKind::Offered { provider, machine, price })
		}
		Event::Accepted { task, provider, due, .. } => {
			of_task(task, JobEventKind::Accepted { provider, due })
		}
		Event::Submitted { task, provider, commitment } => {
			of_task(task, JobEventKind::Submitted { provider, commitment })
		}
		Event::Sealed { task, provider } => of_task(task, JobEventKind::Sealed { provider }),
		Event::Replicating { task, until } => of_task(task, JobEventKind::Replicating { until }),
		Event::Trusted { task } => of_task(task, JobEventKind::Trusted),
		Event::Opened { task, provider, commitment } => {
			of_task(task, JobEventKind::Opened { provider, commitment })
		}
		Event::Agreed { task, replicas } => of_task(task, JobEventKind::Agreed { replicas }),
		Event::Slashed { task, provider, burned } => {
			of_task(task, JobEventKind::Slashed { provider, burned })
		}
		Event::Acknowledged { task } => of_task(task, JobEventKind::Acknowledged),
		Event::Delivered { task, found, fee } => {
			of_task(task, JobEventKind::Delivered { found, fee })
		}
		Event::Audited { task, outcome, .. } => of_task(task, JobEventKind::Audited { outcome }),
		Event::Convicted { task, provider, offence, forfeit, compensation, reward, burned } => {
			let kind = JobEventKind::Convicted {
				provider,
				offence,
				forfeit,
				compensation,
				reward,
				burned,
			};
			of_task(task, kind)
		}
		Event::Settled { task, provider, paid, fee, burned, .. } => {
			of_task(task, JobEventKind::Settled { provider, paid, fee, burned })
		}
		Event::Requeued { task, reason, .. } => of_task(task, JobEventKind::Requeued { reason }),
		Event::Refunded { task, amount, reason } => {
			of_task(task, JobEventKind::Refunded { amount, reason })
		}
		Event::Closed { job } => of_job(job, JobEventKind::Closed),
		_ => None,
	}
}

/// Figures of the network.
pub fn network() -> NetworkStats {
	let supply = ProviderRegistry::figures();
	let sums = pallet_job_escrow::Totals::<Runtime>::get();
	let emission = Emissions::figures();
	NetworkStats {
		block: System::block_number(),
		providers: supply.providers,
		machines: supply.machines,
		asks: supply.asks,
		auditors: Verification::auditors_count(),
		audits_open: Verification::audits_open(),
		jobs_posted: sums.posted,
		jobs_live: u32::try_from(sums.posted.saturating_sub(sums.closed)).unwrap_or(u32::MAX),
		tasks_settled: sums.settled,
		tasks_refunded: sums.refunded,
		audits_failed: sums.audits_failed,
		convictions: sums.convictions,
		staked: supply.staked,
		escrow: sums.escrow,
		paid: sums.paid,
		burned: sums.burned,
		forfeited: sums.forfeited,
		destroyed: emission.destroyed,
		minted: emission.minted,
		reserve: emission.reserve,
		issuance: Balances::total_issuance(),
		era: emission.era,
		era_burned: emission.era_burned,
		era_cap: emission.era_cap,
	}
}
