//! `assay job submit`.

use super::{
	inputs::{self, Files},
	quote, watch, Folder,
};
use crate::{
	audit::DepthName,
	context::{account_argument, Context},
	data::interrupted,
	failure::Usage,
	output::facts,
	program::{ensure_registered, load},
	provider::{region, Class},
};
use anyhow::{anyhow, bail, Context as _};
use assay_client::{Amount, Client, JobSpec, Submitter};
use assay_compute::{tasks_root, Tensor, ValidProgram};
use assay_data::{Limits, Server, Tasks};
use assay_primitives::Permill;
use assay_primitives::{
	market::{MachineId, Requirements, Work},
	replication::MAX_REPLICAS,
	views::Demands,
	work::{Assurance, Costs, Custody, JobId, Mode},
	AccountId, Balance, Hash, Root,
};
use clap::Args;
use serde::Serialize;
use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf};
use tokio::sync::oneshot;

/// Arguments.
#[derive(Args)]
pub struct Arguments {
	/// Program as JSON.
	program: PathBuf,
	/// Raw row-major bytes: one file for each task; if the program takes several inputs, those of
	/// one task joined by commas.
	#[arg(long, required = true, num_args = 1.., value_name = "FILE", value_parser = inputs::files)]
	inputs: Vec<Files>,
	/// Folder of the constants, each in `<root>.bin`; `tensors` beside the program unless given.
	#[arg(long, value_name = "DIR")]
	tensors: Option<PathBuf>,
	/// Auditors drawn for each task that is audited.
	#[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
	auditors: u8,
	/// How thoroughly they look.
	#[arg(long, value_enum, default_value = "projection")]
	depth: DepthName,
	/// Part of the tasks that is audited, or replicated, at the least, in percent. The chain audits as
	/// many as it takes for lying not to pay against the provider's stake; more than that is extra care.
	#[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
	audit_rate: Permill,
	/// Draw no auditors at all: each task is paid after its window unless somebody proves it wrong.
	/// It costs no audit fee, and lying may pay where nobody cares to look.
	#[arg(long, conflicts_with_all = ["auditors", "depth", "audit_rate"])]
	optimistic: bool,
	/// Have each task done by so many providers instead of audited: who agrees with more than half of
	/// them is paid. A vote, not a proof. Providers that have agreed often do most tasks alone, unless
	/// --audit-rate says otherwise.
	#[arg(
		long,
		value_name = "N",
		value_parser = clap::value_parser!(u8).range(2..=i64::from(MAX_REPLICAS)),
		conflicts_with_all = ["auditors", "depth", "optimistic", "provider"]
	)]
	replicas: Option<u8>,
	/// How far results of replicas may differ in any of up to 32 numbers that sum them up; 0: they must
	/// be the same to the bit.
	#[arg(long, value_name = "T", requires = "replicas", default_value_t = 0)]
	tolerance: u32,
	/// Highest price of one task; the cheapest machine's ask unless given.
	#[arg(long, value_name = "AMOUNT")]
	max_price: Option<Amount>,
	/// Value at risk beyond the price, for each task; the provider must have stake for it.
	#[arg(long, value_name = "AMOUNT", default_value = "0")]
	value: Amount,
	/// Blocks from acceptance to the last block of submission.
	#[arg(
		long,
		value_name = "BLOCKS",
		default_value_t = 100,
		value_parser = clap::value_parser!(u32).range(1..)
	)]
	deadline: u32,
	/// Blocks after which tasks that nobody took are refunded.
	#[arg(
		long,
		value_name = "BLOCKS",
		default_value_t = 600,
		value_parser = clap::value_parser!(u32).range(1..)
	)]
	lifetime: u32,
	/// Class of machine.
	#[arg(long, value_enum, default_value = "cpu")]
	class: Class,
	/// Least memory of the machine, in MiB.
	#[arg(long, value_name = "MIB", default_value_t = 0)]
	min_memory: u32,
	/// Region the provider must be in, two letters of ISO 3166-1.
	#[arg(long, value_parser = region, value_name = "XX")]
	region: Option<[u8; 2]>,
	/// Have one machine of this provider do it, at its ask.
	#[arg(long, value_parser = account_argument, value_name = "ADDRESS", requires = "machine")]
	provider: Option<AccountId>,
	/// Number of that machine.
	#[arg(long, value_name = "ID", requires = "provider")]
	machine: Option<MachineId>,
	/// Address to serve program, constants and inputs on.
	#[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
	listen: SocketAddr,
	/// URL under which providers reach that address.
	#[arg(long, value_name = "URL")]
	public_url: Option<String>,
	/// Folder to keep the content in; one below the user's data folder unless given.
	#[arg(long, value_name = "DIR")]
	data: Option<PathBuf>,
	/// Serve and follow the job until its last task ended; fails if any was refunded.
	#[arg(long)]
	watch: bool,
}

/// A part in percent, exact to a millionth.
fn percent(text: &str) -> Result<Permill, String> {
	let value: f64 = text.trim_end_matches('%').trim().parse().unwrap_or(f64::NAN);
	match (0.0..=100.0).contains(&value) {
		true => Ok(Permill::from_parts((value * 10_000.0).round() as u32)),
		false => Err(format!("\"{text}\" is not a number from 0 to 100")),
	}
}

/// A posted job for JSON.
#[derive(Serialize)]
struct Posted {
	job: JobId,
	program: Root,
	registered_program: bool,
	tasks: u32,
	replicas: u32,
	tasks_root: Root,
	#[serde(with = "assay_primitives::views::amount")]
	max_price: Balance,
	#[serde(with = "assay_primitives::views::amount")]
	audit_fee: Balance,
	custody: Custody,
	runs: u8,
	#[serde(with = "assay_primitives::views::amount")]
	escrow: Balance,
	data_url: String,
	data_dir: PathBuf,
	serve: String,
	block: assay_client::Block,
	tx: Hash,
}

/// All that is known of the job without the chain.
struct Prepared {
	program: ValidProgram,
	consts: BTreeMap<u32, Tensor>,
	tasks: Tasks,
	root: assay_compute::Root,
}

impl Arguments {
	/// Reads and checks program, constants and inputs.
	fn prepare(&self, context: &Context) -> anyhow::Result<Prepared> {
		let program = load::program(&self.program)?;
		let dir = load::tensors_dir(&self.program, self.tensors.as_deref());
		let consts = load::consts(&program, &dir)?;
		let tasks = inputs::roots(context.output, &program, &self.inputs)?;
		let root = tasks_root(&tasks);
		Ok(Prepared { program, consts, tasks, root })
	}

	fn mode(&self) -> Mode<AccountId> {
		match (&self.provider, self.machine) {
			(Some(provider), Some(machine)) => Mode::Direct { provider: provider.clone(), machine },
			_ => Mode::BestAsk,
		}
	}

	fn assurance(&self) -> Assurance {
		let (at_least, tolerance) = (self.audit_rate, self.tolerance);
		match self.replicas {
			Some(replicas) => Assurance::Replicated { replicas, tolerance, at_least },
			None if self.optimistic => Assurance::Optimistic,
			None => {
				let (auditors, depth) = (self.auditors, self.depth.into());
				Assurance::Audited { auditors, depth, at_least }
			}
		}
	}

	fn requirements(&self) -> Requirements {
		Requirements {
			class: self.class.into(),
			min_memory_mib: self.min_memory,
			region: self.region,
		}
	}

	/// The highest price given, or the one that the cheapest machine asks.
	async fn price(&self, client: &Client, program: &ValidProgram) -> anyhow::Result<Balance> {
		if let Some(Amount(price)) = self.max_price {
			return Ok(price);
		}
		let costs = Costs::from(program.costs());
		let (value, deadline) = (self.value.0, self.deadline);
		let Some(Demands { stake_percent, premium }) = client.demands(self.assurance()).await?
		else {
			bail!("at most 15 auditors can be drawn for a task; ask for fewer with --auditors");
		};
		let work = Work { costs, value, deadline, premium, stake_percent };
		let replicas = self.assurance().slots();
		let quote =
			quote::cheapest(client, &self.mode(), &self.requirements(), &work, replicas).await?;
		Ok(quote.price)
	}

	/// The URL that goes on the chain.
	fn data_url(&self, bound: SocketAddr) -> anyhow::Result<String> {
		match &self.public_url {
			Some(url) => Ok(url.clone()),
			None if bound.ip().is_unspecified() => Err(Usage(format!(
				"providers cannot reach {bound}; give the URL they can reach with --public-url"
			))
			.into()),
			None => Ok(format!("http://{bound}")),
		}
	}
}

/// Submits a job.
pub async fn run(context: &Context, arguments: Arguments) -> anyhow::Result<()> {
	// Whatever can be wrong on this side is found before anything is sent.
	let submitter_key = context.signer()?;
	let prepared = arguments.prepare(context)?;
	let client = context.connect().await?;
	let submitter = Submitter::new(&client, submitter_key);
	let max_price = arguments.price(&client, &prepared.program).await?;
	let folder = Folder::of(arguments.data.clone(), &prepared.root)?;
	let store = folder.store()?;
	let server = Server::bind(arguments.listen, store.clone(), Limits::default()).await;
	let server = server.with_context(|| format!("cannot listen on {}", arguments.listen))?;
	let bound = server.local_addr()?;
	let data_url = arguments.data_url(bound)?;
	inputs::keep(
		context.output,
		&store,
		&prepared.program,
		&prepared.consts,
		&arguments.inputs,
		&prepared.tasks,
	)?;
	if bound.ip().is_loopback() && arguments.public_url.is_none() && !context.allow_local() {
		context.output.note(&format!(
			"only this machine reaches {data_url}: providers elsewhere need --listen and --public-url"
		));
	}

	// Served from before the job is posted on, so that nobody asks in vain.
	let (stop, stopped) = oneshot::channel::<()>();
	let serving = tokio::spawn(server.run(async {
		let _ = stopped.await;
	}));
	let spec = JobSpec {
		program: prepared.program.id().into(),
		tasks_root: prepared.root.into(),
		tasks: u32::try_from(prepared.tasks.len()).map_err(|_| anyhow!("too many tasks"))?,
		data_url,
		requirements: arguments.requirements(),
		mode: arguments.mode(),
		assurance: arguments.assurance(),
		max_price,
		value: arguments.value.0,
		deadline: arguments.deadline,
		lifetime: arguments.lifetime,
	};
	let serve = format!("assay data serve --dir {} --listen {bound}", folder.path().display());
	let posted = post(context, &submitter, &prepared.program, &spec, &folder, serve).await?;
	context.output.result(&posted, || human(&posted));
	let result = match arguments.watch {
		false => {
			context.output.note(&format!(
				"providers fetch the inputs from you until all tasks are accepted:\n  {}\n  assay job watch {}",
				posted.serve, posted.job
			));
			Ok(())
		}
		true => tokio::select! {
			result = watch::run(context, &client, posted.job, Some(posted.block)) => result,
			() = interrupted() => Err(anyhow!(
				"interrupted; job {0} goes on. Serve its inputs with `{1}`, follow it with `assay job \
				 watch {0}`, or take it back with `assay job cancel {0}`",
				posted.job,
				posted.serve
			)),
		},
	};
	let _ = stop.send(());
	let _ = serving.await;
	result
}

/// Registers the program if need be, and posts.
async fn post(
	context: &Context,
	submitter: &Submitter,
	program: &ValidProgram,
	spec: &JobSpec,
	folder: &Folder,
	serve: String,
) -> anyhow::Result<Posted> {
	let client = submitter.client();
	let registered_program = ensure_registered(context, submitter, program).await?.is_some();
	let fee = client.audit_fee(spec.program, spec.assurance, spec.value).await?;
	let Some(audit_fee) = fee else {
		let auditors = spec.assurance.auditors();
		let there = client.network_stats().await?.auditors;
		bail!(
			"{auditors} auditors for each task cannot be given: the network has {there} that have put \
			 up a bond, audits programs up to a limit of costs, and looks at a few spots only where no \
			 --value is declared; ask for fewer with --auditors, for another --depth, or split the \
			 program"
		);
	};
	let runs = client.max_attempts().await?;
	let slots = spec.tasks.saturating_mul(spec.assurance.slots());
	let Some(custody) = client.custody(spec.program).await? else {
		bail!(
			"its output is larger than custodians fetch, or the network has too few of them: split the \
			 program, so that each has a smaller output"
		);
	};
	let escrow = escrow(slots, spec.max_price, audit_fee, &custody, runs)?;
	let free = client.balance(submitter.account()).await?.free;
	if free < escrow {
		bail!(
			"the escrow is {} (for each of {} tasks or replicas {} of price and {runs} times {} for audits \
			 and {} for custody), but the account has {}",
			Amount(escrow),
			slots,
			Amount(spec.max_price),
			Amount(audit_fee),
			Amount(custody.most().unwrap_or_default()),
			Amount(free)
		);
	}
	let (job, outcome) = context.waiting("posting the job", submitter.post_job(spec)).await?;
	Ok(Posted {
		job,
		program: spec.program,
		registered_program,
		tasks: spec.tasks,
		replicas: spec.assurance.slots(),
		tasks_root: spec.tasks_root,
		max_price: spec.max_price,
		audit_fee,
		custody,
		runs,
		escrow,
		data_url: spec.data_url.clone(),
		data_dir: folder.path().to_owned(),
		serve,
		block: outcome.block,
		tx: outcome.tx,
	})
}

/// What the chain will hold.
fn escrow(
	tasks: u32,
	price: Balance,
	fee: Balance,
	custody: &Custody,
	runs: u8,
) -> anyhow::Result<Balance> {
	custody
		.most()
		.and_then(|most| most.checked_add(fee))
		.and_then(|run| run.checked_mul(runs.into()))
		.and_then(|fees| fees.checked_add(price))
		.and_then(|each| each.checked_mul(tasks.into()))
		.context(
			"price, audit fees and custody of all tasks are more than can exist; lower --max-price",
		)
}

fn human(posted: &Posted) -> String {
	let program = format!("{:#x}", posted.program);
	let tasks = match posted.replicas {
		1 => posted.tasks.to_string(),
		replicas => format!("{}, up to {replicas} replicas each", posted.tasks),
	};
	let new = if posted.registered_program { " (registered now)" } else { "" };
	facts([
		("job", posted.job.to_string()),
		("program", format!("{program}{new}")),
		("tasks", tasks),
		("highest price of a task", Amount(posted.max_price).to_string()),
		("audit fee of a run", format!("{}, {} runs", Amount(posted.audit_fee), posted.runs)),
		(
			"custody of an output",
			format!(
				"{} for each of {} custodians, unless you acknowledge it",
				Amount(posted.custody.fee),
				posted.custody.custodians
			),
		),
		("in escrow", Amount(posted.escrow).to_string()),
		("served at", posted.data_url.clone()),
		("content", posted.data_dir.display().to_string()),
		("block", posted.block.number.to_string()),
	])
}

#[cfg(test)]
mod tests {
	use super::{escrow, percent, Custody, Permill};

	#[test]
	fn percents_are_parts() {
		assert_eq!(percent("0"), Ok(Permill::zero()));
		assert_eq!(percent("12.5%"), Ok(Permill::from_parts(125_000)));
		assert_eq!(percent("100"), Ok(Permill::one()));
		for wrong in ["-1", "101", "x", "", "NaN", "inf"] {
			assert!(percent(wrong).is_err(), "{wrong}");
		}
	}

	#[test]
	fn the_escrow_covers_price_and_every_audit() {
		let none = Custody::default();
		assert_eq!(escrow(4, 10, 3, &none, 2).unwrap(), 4 * (10 + 2 * 3));
		// Two quorums of three, for each run.
		let custody = Custody { custodians: 3, fee: 5 };
		assert_eq!(escrow(4, 10, 3, &custody, 2).unwrap(), 4 * (10 + 2 * (3 + 2 * 3 * 5)));
		assert!(escrow(2, u128::MAX, 0, &none, 1).is_err());
		assert!(escrow(1, 1, u128::MAX, &none, 2).is_err());
		assert!(escrow(1, u128::MAX, 1, &none, 1).is_err());
		assert!(escrow(1, 1, 1, &Custody { custodians: 3, fee: u128::MAX }, 1).is_err());
	}
}
