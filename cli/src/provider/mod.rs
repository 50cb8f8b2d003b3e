//! `assay provider`.

mod ask;
mod machine;
mod show;
mod stake;

pub use show::page_through;

use crate::{
	account::Done,
	context::{account_argument, Context},
};
use anyhow::bail;
use assay_client::{address, Amount, Profile};
use assay_primitives::{market::MachineClass, AccountId};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Become a provider: holds a stake, names the key with which the worker signs.
	Register {
		/// Account whose key the worker signs with; not your own.
		#[arg(long, value_parser = account_argument, value_name = "ADDRESS")]
		hot_key: AccountId,
		/// As 1000ASY, or planck.
		#[arg(long)]
		stake: Amount,
		#[command(flatten)]
		profile: ProfileArgs,
	},
	/// Change name, endpoint and region.
	SetProfile(ProfileArgs),
	/// Have the worker sign with another key.
	SetHotKey {
		/// Account whose key the worker signs with.
		#[arg(value_parser = account_argument)]
		hot_key: AccountId,
	},
	/// Show one provider; your own unless named.
	Show {
		/// Address, public key or `//Alice`.
		#[arg(value_parser = account_argument)]
		provider: Option<AccountId>,
	},
	/// List providers.
	List {
		/// Show at most so many.
		#[arg(long, default_value_t = 100)]
		limit: u32,
		/// Begin after this provider.
		#[arg(long, value_parser = account_argument, value_name = "ADDRESS")]
		after: Option<AccountId>,
	},
	/// Add and remove machines.
	#[command(subcommand)]
	Machine(machine::Command),
	/// Set what a machine asks for its work.
	#[command(subcommand)]
	Ask(ask::Command),
	/// Add to the stake.
	Bond {
		/// As 12.5ASY, or planck.
		amount: Amount,
	},
	/// Start to take stake out.
	Unbond {
		/// As 12.5ASY, or planck.
		amount: Amount,
	},
	/// Take out stake whose unbonding is over.
	Withdraw,
	/// Remove all machines and start to take out all stake.
	Deregister,
	/// Send an amount to your worker's key, which pays the fees of its transactions.
	FundHot {
		/// As 12.5ASY, or planck.
		amount: Amount,
	},
}

/// What a provider says of itself.
#[derive(Args)]
pub struct ProfileArgs {
	/// Name, at most 64 bytes.
	#[arg(long)]
	name: String,
	/// Base URL at which the worker serves its data.
	#[arg(long, value_name = "URL")]
	endpoint: String,
	/// Two letters of ISO 3166-1, as CH.
	#[arg(long, value_parser = region, value_name = "XX")]
	region: Option<[u8; 2]>,
}

impl From<ProfileArgs> for Profile {
	fn from(args: ProfileArgs) -> Self {
		Self { name: args.name, endpoint: args.endpoint, region: args.region }
	}
}

/// Classes of machines as arguments.
#[derive(Clone, Copy, ValueEnum)]
pub enum Class {
	/// No GPU.
	Cpu,
	/// A consumer's graphics card.
	ConsumerGpu,
	/// A workstation's or data centre's card.
	DatacenterGpu,
}

impl From<Class> for MachineClass {
	fn from(class: Class) -> Self {
		match class {
			Class::Cpu => MachineClass::Cpu,
			Class::ConsumerGpu => MachineClass::ConsumerGpu,
			Class::DatacenterGpu => MachineClass::DatacenterGpu,
		}
	}
}

/// A class's name as an argument.
pub fn class_name(class: MachineClass) -> &'static str {
	match class {
		MachineClass::Cpu => "cpu",
		MachineClass::ConsumerGpu => "consumer-gpu",
		MachineClass::DatacenterGpu => "datacenter-gpu",
	}
}

/// A region as an argument.
pub fn region(text: &str) -> Result<[u8; 2], String> {
	<[u8; 2]>::try_from(text.as_bytes())
		.ok()
		.filter(|letters| letters.iter().all(u8::is_ascii_uppercase))
		.ok_or_else(|| format!("\"{text}\" is not two letters from A to Z"))
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Register { hot_key, stake: Amount(stake), profile } => {
			let submitter = context.submitter().await?;
			if *submitter.account() == hot_key {
				bail!(
					"the hot key must not be the provider's own key: the worker would hold the \
					 stake's; make one with `assay key generate --file hot-key`"
				);
			}
			let profile = profile.into();
			let call = submitter.register_provider(&hot_key, stake, &profile);
			let outcome = context.waiting("registering", call).await?;
			let provider = address(submitter.account());
			let more = json!({
				"provider": provider, "hot_key": address(&hot_key), "stake": stake.to_string(),
			});
			let text = format!("registered {provider} with {} of stake", Amount(stake));
			Done::new(&outcome, more).show(context, &text);
		}
		Command::SetProfile(profile) => {
			let submitter = context.submitter().await?;
			let outcome =
				context.waiting("setting", submitter.set_profile(&profile.into())).await?;
			Done::new(&outcome, json!({})).show(context, "profile set");
		}
		Command::SetHotKey { hot_key } => {
			let submitter = context.submitter().await?;
			let outcome = context.waiting("setting", submitter.set_hot_key(&hot_key)).await?;
			let more = json!({ "hot_key": address(&hot_key) });
			Done::new(&outcome, more).show(context, "hot key set");
		}
		Command::Show { provider } => show::one(context, provider).await?,
		Command::List { limit, after } => show::list(context, after, limit).await?,
		Command::Machine(command) => machine::run(context, command).await?,
		Command::Ask(command) => ask::run(context, command).await?,
		Command::Bond { amount } => stake::bond(context, amount).await?,
		Command::Unbond { amount } => stake::unbond(context, amount).await?,
		Command::Withdraw => stake::withdraw(context).await?,
		Command::Deregister => stake::deregister(context).await?,
		Command::FundHot { amount } => stake::fund_hot(context, amount).await?,
	}
	Ok(())
}
