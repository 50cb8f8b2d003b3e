//! `assay account`.

use crate::{
	context::{account_argument, Context},
	output::facts,
};
use assay_client::{address, Amount, Outcome};
use assay_primitives::AccountId;
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

/// Commands.
#[derive(Subcommand)]
pub enum Command {
	/// Show an account's balance; your own unless named.
	Show {
		/// Address, public key or `//Alice`.
		#[arg(value_parser = account_argument)]
		account: Option<AccountId>,
	},
	/// Send an amount to another account.
	Transfer {
		/// Address, public key or `//Alice`.
		#[arg(value_parser = account_argument)]
		to: AccountId,
		/// As 12.5ASY, or planck.
		amount: Amount,
	},
	/// Collect payouts, of jobs and of emission, that could not be delivered to you.
	Claim,
}

/// What every transaction tells, for JSON.
#[derive(Serialize)]
pub struct Done {
	block: assay_client::Block,
	tx: assay_primitives::Hash,
	#[serde(skip_serializing_if = "Option::is_none")]
	fee: Option<String>,
	#[serde(flatten)]
	more: serde_json::Value,
}

impl Done {
	/// The outcome with what else there is to tell.
	pub fn new(outcome: &Outcome, more: serde_json::Value) -> Self {
		let fee = outcome.fee().map(|fee| fee.to_string());
		Self { block: outcome.block, tx: outcome.tx, fee, more }
	}

	/// Prints it; people get `text` and where it stands.
	pub fn show(&self, context: &Context, text: &str) {
		context.output.result(self, || format!("{text} (final in block {})", self.block.number));
	}
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> anyhow::Result<()> {
	match command {
		Command::Show { account } => {
			let account = context.account(account)?;
			let client = context.connect().await?.pinned().await?;
			let balance = client.balance(&account).await?;
			let value = json!({ "address": address(&account), "balance": balance });
			context.output.result(&value, || {
				facts([
					("address", address(&account)),
					("free", Amount(balance.free).to_string()),
					("held", Amount(balance.held).to_string()),
					("transactions", balance.nonce.to_string()),
				])
			});
		}
		Command::Transfer { to, amount: Amount(amount) } => {
			let submitter = context.submitter().await?;
			let outcome = context.waiting("transferring", submitter.transfer(&to, amount)).await?;
			let more = json!({ "to": address(&to), "amount": amount.to_string() });
			let text = format!("sent {} to {}", Amount(amount), address(&to));
			Done::new(&outcome, more).show(context, &text);
		}
		Command::Claim => {
			let submitter = context.submitter().await?;
			let outcome = context.waiting("claiming", submitter.claim()).await?;
			let amount = assay_client::claimed(&outcome);
			let text = match amount {
				0 => "there was nothing to claim".into(),
				_ => format!("claimed {}", Amount(amount)),
			};
			Done::new(&outcome, json!({ "amount": amount.to_string() })).show(context, &text);
		}
	}
	Ok(())
}
