//! Signing transactions, sending them, and learning what became of them.

mod outcome;
mod watch;

pub use outcome::Outcome;

use crate::{
	rpc::{Config, Watch},
	At, Client, Error, Signer,
};
use assay_primitives::{AccountId, Hash};
use std::{sync::Arc, time::Duration};
use subxt::{config::DefaultExtrinsicParamsBuilder, error::ExtrinsicError, transactions::Payload};
use tokio::{
	sync::Mutex,
	time::{sleep, timeout},
};
use watch::Sent;

/// Blocks within which a transaction may be included; then it can never be.
const LIFETIME: u64 = 256;
/// Default time to be finalised in.
const TIMEOUT: Duration = Duration::from_secs(180);
/// Pause before a transaction is signed again with a newer nonce.
const NONCE_PAUSE: Duration = Duration::from_millis(500);
/// Pause before a transaction is sent again over a new connection.
const RESEND_PAUSE: Duration = Duration::from_millis(200);

/// The pool's error codes.
mod code {
	pub const INVALID: i32 = 1_010;
	pub const ALREADY_IMPORTED: i32 = 1_013;
	pub const TOO_LOW_PRIORITY: i32 = 1_014;
}

/// Signs and sends one account's transactions, and waits until they are final.
///
/// Any number may be under way at a time: the account's nonces are given out one after the other.
/// Clones share that order, so let all that use one key in a process be clones of one submitter.
#[derive(Clone)]
pub struct Submitter {
	client: Client,
	signer: Signer,
	turn: Arc<Mutex<()>>,
	timeout: Duration,
}

impl Submitter {
	/// A submitter of the transactions that `signer` signs.
	pub fn new(client: &Client, signer: Signer) -> Self {
		let client = client.at(At::Finalised);
		Self { client, signer, turn: Arc::default(), timeout: TIMEOUT }
	}

	/// The same with another time to be finalised in; three minutes unless set.
	pub fn with_timeout(mut self, timeout: Duration) -> Self {
		self.timeout = timeout;
		self
	}

	/// The account that signs.
	pub fn account(&self) -> &AccountId {
		self.signer.account()
	}

	/// The connection used.
	pub fn client(&self) -> &Client {
		&self.client
	}

	/// Signs and sends a call of [`chain::tx`](crate::chain::tx), and waits until it is final.
	///
	/// # Errors
	/// [`Error::Refused`] if the pool does not take it, [`Error::Dispatch`] if the call fails,
	/// [`Error::NotFinalised`] or [`Error::Expired`] if it is not included in time,
	/// [`Error::Incompatible`] if the runtime has no such call, and those of reads.
	pub async fn submit<C: Payload>(&self, call: &C) -> Result<Outcome, Error> {
		let sent = self.send(call).await?;
		let tx = sent.hash;
		let late = |_| Error::NotFinalised { tx, after: self.timeout };
		timeout(self.timeout, sent.outcome(&self.client)).await.map_err(late)?
	}

	/// Signs with the next nonce and sends.
	async fn send<C: Payload>(&self, call: &C) -> Result<Sent, Error> {
		// Held until the transaction is in the pool and so counts for the next nonce.
		let _turn = self.turn.lock().await;
		let mut retried = false;
		loop {
			let signed = self.sign(call).await?;
			match self.deliver(&signed).await {
				Ok(watch) => return Ok(signed.sent(watch)),
				Err(error) if !retried && is_stale(&error) => {
					tracing::debug!("signing again: {error}");
					retried = true;
					sleep(NONCE_PAUSE).await;
				}
				Err(Error::Rpc { message, .. }) => return Err(Error::Refused(explain(message))),
				Err(error) => return Err(error),
			}
		}
	}

	/// Sends the same bytes until the node says that it has them. `None`: it has them, but cannot
	/// be asked to watch them.
	async fn deliver(&self, signed: &Signed) -> Result<Option<Watch>, Error> {
		let mut unsure = false;
		loop {
			match self.client.rpc().submit(&signed.bytes).await {
				Ok(Some(watch)) => return Ok(Some(watch)),
				Ok(None) => unsure = true,
				// It arrived before the connection broke, and may be in a block by now.
				Err(error) if unsure && (is_known(&error) || is_stale(&error)) => return Ok(None),
				Err(error) => return Err(error),
			}
			sleep(RESEND_PAUSE).await;
		}
	}

	async fn sign<C: Payload>(&self, call: &C) -> Result<Signed, Error> {
		let birth = self.client.block().await?;
		let signer = &self.signer.keypair;
		let nonce = self.client.rpc().next_nonce(&signer.public_key().to_account_id()).await?;
		let at = self.client.online().at_block_hash_and_number(birth.hash, birth.number.into());
		let at = at.await.map_err(|error| Error::Unreachable {
			url: self.client.url().into(),
			reason: error.to_string(),
		})?;
		let params = DefaultExtrinsicParamsBuilder::<Config>::new()
			.nonce(nonce)
			.mortal_from_unchecked(LIFETIME, birth.number.into(), birth.hash)
			.build();
		let signed = at
			.transactions()
			.create_signable_offline(call, params)
			.and_then(|mut transaction| transaction.sign(signer))
			.map_err(|error| incompatible(call, error))?;
		let hash = signed.hash();
		Ok(Signed { bytes: signed.into_encoded(), hash, birth: birth.number })
	}
}

/// A transaction ready to be sent.
struct Signed {
	bytes: Vec<u8>,
	hash: Hash,
	birth: u32,
}

impl Signed {
	fn sent(self, watch: Option<Watch>) -> Sent {
		let last = self.birth.saturating_add(LIFETIME as u32);
		Sent { hash: self.hash, birth: self.birth, last, watch }
	}
}

fn incompatible<C: Payload>(call: &C, error: ExtrinsicError) -> Error {
	let call = format!("{}.{}", call.pallet_name(), call.call_name());
	match error {
		ExtrinsicError::IncompatibleCodegen => {
			Error::Incompatible(format!("the call {call} has another form there"))
		}
		other => Error::Incompatible(format!("the call {call}: {other}")),
	}
}

/// Whether another transaction took the nonce.
fn is_stale(error: &Error) -> bool {
	match error {
		Error::Rpc { code: Some(code::TOO_LOW_PRIORITY), .. } => true,
		Error::Rpc { code: Some(code::INVALID), message, .. } => message.contains("outdated"),
		_ => false,
	}
}

/// Whether the node has the transaction already.
fn is_known(error: &Error) -> bool {
	matches!(error, Error::Rpc { code: Some(code::ALREADY_IMPORTED), .. })
}

/// Adds what to do where the pool's words do not say it.
fn explain(message: String) -> String {
	if message.contains("pay some fees") {
		format!("{message}; the account needs funds for the fee")
	} else if message.contains("outdated") || message.contains("Priority is too low") {
		format!("{message}; another program is using this key at the same time")
	} else {
		message
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	fn refused(code: i32, message: &str) -> Error {
		Error::Rpc { method: "m".into(), code: Some(code), message: message.into() }
	}

	#[test]
	fn only_a_taken_nonce_is_tried_again() {
		assert!(is_stale(&refused(1_010, "Invalid Transaction: Transaction is outdated")));
		assert!(is_stale(&refused(1_014, "Priority is too low: (1 vs 1)")));
		assert!(!is_stale(&refused(1_010, "Invalid Transaction: Inability to pay some fees")));
		assert!(!is_stale(&refused(1_013, "Transaction Already Imported")));
		assert!(is_known(&refused(1_013, "Transaction Already Imported")));
		assert!(!is_known(&refused(1_010, "Invalid Transaction")));
		assert!(explain("Inability to pay some fees".into()).contains("needs funds"));
	}
}
