//! The off-chain worker. It only orchestrates: it finds the node's duties, asks the auditor service
//! on loopback, signs and submits. Nothing that a stranger wrote is fetched here.

use crate::{pallet::*, Stage, LOG_TARGET};
use alloc::{collections::BTreeMap, format, string::String, vec, vec::Vec};
use assay_primitives::{
	auditor::{Access, AuditId, AuditReply, AuditRequest, AuditorId, Depth, ACCESS_KEY, PATH},
	traits::TaskEndpoints,
	work::{TaskId, Verdict},
	BlockNumber,
};
use codec::{DecodeAll, Encode};
use core::fmt;
use frame_system::offchain::SubmitTransaction;
use sp_application_crypto::RuntimeAppPublic;
use sp_core::offchain::Duration;
use sp_runtime::offchain::{
	http,
	storage::StorageValueRef,
	storage_lock::{BlockAndTime, StorageLock},
};

/// Held by the one worker that runs.
const LOCK_KEY: &[u8] = b"assay::audit::lock";
/// Attestations sent a short while ago.
const SENT_KEY: &[u8] = b"assay::audit::sent";
/// By each of the node's keys: the duty that was read last.
const CURSOR_KEY: &[u8] = b"assay::audit::cursor";
/// Duties seen to lately, whichever blocks that was in: those may have a rhythm, by which some would
/// never have their turn.
const ASKED_KEY: &[u8] = b"assay::audit::asked";
/// Most duties seen to in one block.
const DUTIES_PER_BLOCK: usize = 4;
/// Most duties of one key read in one block. Of a longer list each block reads on where the last one
/// ended.
const DUTIES_READ: usize = 256;
/// Most duties about one provider's work that take turns with each other. The service forgets what it
/// is not asked for in a while, so that of very many the most urgent must come first.
const DUTIES_AT_A_TIME: usize = 16;
/// Duties remembered as seen to.
const ASKED_KEPT: usize = 256;
/// For the whole of one request: sending, waiting and reading.
const REQUEST_TIME: Duration = Duration::from_millis(2_000);
/// Blocks and time after which another worker may take the lock from one that hangs.
const LOCK_BLOCKS: u32 = 2;
const LOCK_TIME: Duration = Duration::from_millis(15_000);
/// Longest reply read, in bytes.
const MAX_REPLY: usize = 16 * 1024;
/// Blocks after which an attestation that is not in the chain is sent again.
const RESEND_AFTER: BlockNumber = 5;

/// One seat of this node in an open vote.
#[derive(Clone)]
pub(crate) struct Duty {
	auditor: AuditorId,
	pub(crate) task: TaskId,
	/// Whose work it is; empty if nobody can be asked for it.
	pub(crate) provider: Vec<u8>,
	submitted_at: BlockNumber,
	round: u8,
	seat: u8,
	/// Last block in which an attestation counts.
	deadline: BlockNumber,
}

/// A duty seen to: the task and its provider.
type Asked = (TaskId, Vec<u8>);

/// Names an attestation in local storage.
type SentId = (TaskId, BlockNumber, u8, u8);

/// Why a duty could not be done in this block.
enum Failed {
	/// The provider has no endpoint any more.
	NoEndpoint,
	/// The auditor service did not answer, or not in time.
	Unreachable,
	/// It answered with this HTTP status.
	Status(u16),
	/// Its answer was too long or not to be understood.
	BadReply,
	/// It refused, and why.
	Refused(String),
	/// The round was over before the audit was.
	Expired,
	/// The keystore did not sign.
	NotSigned,
	/// The pool did not take the attestation.
	NotTaken,
}

impl fmt::Display for Failed {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		match self {
			Failed::NoEndpoint => f.write_str("the provider has no endpoint"),
			Failed::Unreachable => f.write_str("the auditor service did not answer in time"),
			Failed::Status(code) => write!(f, "the auditor service answered with status {code}"),
			Failed::BadReply => f.write_str("the auditor service's answer is not understood"),
			Failed::Refused(why) => write!(f, "the auditor service refused: {why}"),
			Failed::Expired => f.write_str("the audit came to no end in the round's time"),
			Failed::NotSigned => f.write_str("the keystore did not sign"),
			Failed::NotTaken => f.write_str("the pool did not take the attestation"),
		}
	}
}

impl<T: Config> Pallet<T> {
	/// Sees to some of the node's duties.
	pub(crate) fn orchestrate_audits() {
		let keys = AuditorId::all();
		if keys.is_empty() {
			return;
		}
		let Ok(Some(access)) = StorageValueRef::persistent(ACCESS_KEY).get::<Access>() else {
			log::debug!(target: LOG_TARGET, "no auditor service: duties are not seen to");
			return;
		};
		let mut lock =
			StorageLock::<BlockAndTime<frame_system::Pallet<T>>>::with_block_and_time_deadline(
				LOCK_KEY,
				LOCK_BLOCKS,
				LOCK_TIME,
			);
		let Ok(_guard) = lock.try_lock() else {
			log::debug!(target: LOG_TARGET, "another worker is seeing to the duties");
			return;
		};
		let duties = Self::own_duties(&keys);
		for duty in &duties {
			if let Err(why) = Self::do_duty(&access, duty) {
				log::warn!(target: LOG_TARGET, "audit of {:?} put off: {why}", duty.task);
			}
		}
		Self::seen_to(&keys, &duties);
	}

	/// The seats that this node holds and should see to in this block. Where there are more than
	/// are done in one block, those whose work is audited take turns, and then the duties of each:
	/// however many one has, and wherever in the list they are, they keep nobody else's waiting.
	pub(crate) fn own_duties(keys: &[AuditorId]) -> Vec<Duty> {
		let now = Self::now();
		let sent = Self::sent();
		let duties = keys
			.iter()
			.flat_map(|key| Self::read(key).into_iter().map(|task| (key.clone(), task)))
			.filter_map(|(auditor, task)| Self::duty(auditor, task))
			.filter(|duty| !is_recent(&sent, &duty.id(), now))
			.collect();
		in_turn(duties, &Self::asked())
	}

	/// The next duties of a key, from behind the one that was read last and on from the first.
	fn read(key: &AuditorId) -> Vec<TaskId> {
		let from_first = Duties::<T>::iter_key_prefix(key);
		let last = StorageValueRef::persistent(&cursor_key(key)).get::<TaskId>().ok().flatten();
		let Some(last) = last else { return from_first.take(DUTIES_READ).collect() };
		// It may be gone: what follows its place is read all the same.
		let place = Duties::<T>::hashed_key_for(key, last);
		let mut read =
			Duties::<T>::iter_key_prefix_from(key, place).take(DUTIES_READ).collect::<Vec<_>>();
		let begun = read.first().copied();
		let missing = DUTIES_READ.saturating_sub(read.len());
		read.extend(from_first.take_while(|task| Some(*task) != begun).take(missing));
		read
	}

	/// Duties seen to lately, in that order.
	fn asked() -> Vec<Asked> {
		StorageValueRef::persistent(ASKED_KEY).get().ok().flatten().unwrap_or_default()
	}

	/// These duties had their turn: others come first in the next, and the list is read on.
	pub(crate) fn seen_to(keys: &[AuditorId], duties: &[Duty]) {
		for key in keys {
			if let Some(last) = Self::read(key).last() {
				StorageValueRef::persistent(&cursor_key(key)).set(last);
			}
		}
		let mut asked = Self::asked();
		asked.retain(|(task, _)| duties.iter().all(|duty| duty.task != *task));
		asked.extend(duties.iter().map(|duty| (duty.task, duty.provider.clone())));
		asked.drain(..asked.len().saturating_sub(ASKED_KEPT));
		StorageValueRef::persistent(ASKED_KEY).set(&asked);
	}

	/// The seat of `auditor` in the open vote on `task`.
	fn duty(auditor: AuditorId, task: TaskId) -> Option<Duty> {
		let audit = Audits::<T>::get(task)?;
		let Stage::Voting(voting) = audit.stage else { return None };
		// What is sent now is in the next block at the earliest.
		if Self::now() >= voting.deadline {
			return None;
		}
		let seat = voting.seats.iter().position(|s| s.auditor == auditor && s.vote.is_none())?;
		Some(Duty {
			auditor,
			task,
			provider: T::Endpoints::endpoint(task).map(|e| e.provider).unwrap_or_default(),
			submitted_at: audit.submitted_at,
			round: audit.round,
			seat: seat.try_into().ok()?,
			deadline: voting.deadline,
		})
	}

	/// Asks the auditor service and, once it is done, submits what it found.
	fn do_duty(access: &Access, duty: &Duty) -> Result<(), Failed> {
		let Some(audit) = Audits::<T>::get(duty.task) else { return Ok(()) };
		let endpoint = T::Endpoints::endpoint(duty.task).ok_or(Failed::NoEndpoint)?;
		let request = AuditRequest {
			audit: AuditId {
				task: duty.task,
				submitted_at: duty.submitted_at,
				provider: endpoint.provider,
				claim: audit.claim(),
				depth: Depth::Projection,
			},
			endpoint: endpoint.url,
			now: Self::now(),
			deadline: duty.deadline,
		};
		match ask(access, &request)? {
			AuditReply::Pending => Ok(()),
			AuditReply::Refused(why) => Err(Failed::Refused(why)),
			AuditReply::Expired => Err(Failed::Expired),
			AuditReply::Done(verdict) => Self::submit(duty, verdict),
		}
	}

	/// Signs and submits an attestation, unless that was done a short while ago.
	fn submit(duty: &Duty, verdict: Verdict) -> Result<(), Failed> {
		let Duty { task, submitted_at, round, seat, .. } = *duty;
		if !Self::claim_sending(duty.id()) {
			return Ok(());
		}
		let message = Self::attestation(task, submitted_at, round, verdict).encode();
		let sent = duty.auditor.sign(&message).ok_or(Failed::NotSigned).and_then(|signature| {
			let call = Call::attest { task, submitted_at, round, seat, verdict, signature };
			let transaction = T::create_authorized_transaction(call.into());
			SubmitTransaction::<T, Call<T>>::submit_transaction(transaction)
				.map_err(|()| Failed::NotTaken)
		});
		if sent.is_err() {
			Self::unclaim_sending(duty.id());
		}
		sent
	}

	fn sent() -> Vec<(SentId, BlockNumber)> {
		StorageValueRef::persistent(SENT_KEY).get().ok().flatten().unwrap_or_default()
	}

	/// Notes that an attestation is being sent now, and forgets those sent longer ago. False if it
	/// was sent a short while ago, or if another worker writes at the same time.
	fn claim_sending(id: SentId) -> bool {
		let now = Self::now();
		StorageValueRef::persistent(SENT_KEY)
			.mutate::<Vec<(SentId, BlockNumber)>, (), _>(|sent| {
				let mut sent = sent.ok().flatten().unwrap_or_default();
				if is_recent(&sent, &id, now) {
					return Err(());
				}
				sent.retain(|(other, at)| *other != id && recent(*at, now));
				sent.push((id, now));
				Ok(sent)
			})
			.is_ok()
	}

	fn unclaim_sending(id: SentId) {
		// If this loses against another worker, the attestation is sent a few blocks later.
		let _ = StorageValueRef::persistent(SENT_KEY).mutate::<Vec<(SentId, BlockNumber)>, (), _>(
			|sent| {
				let mut sent = sent.ok().flatten().unwrap_or_default();
				sent.retain(|(other, _)| *other != id);
				Ok(sent)
			},
		);
	}
}

impl Duty {
	fn id(&self) -> SentId {
		(self.task, self.submitted_at, self.round, self.seat)
	}
}

fn cursor_key(key: &AuditorId) -> Vec<u8> {
	(CURSOR_KEY, key).encode()
}

/// The duties of the next turn: one of each provider, who was served longest ago first, then another
/// of each, and so on. Of one provider's most urgent duties it is the one asked about longest ago.
fn in_turn(mut duties: Vec<Duty>, asked: &[Asked]) -> Vec<Duty> {
	// What was never asked about, or so long ago that it is forgotten, comes before all else.
	let last = |so: &dyn Fn(&Asked) -> bool| asked.iter().rposition(so);
	duties.sort_by_key(|duty| (duty.deadline, duty.task));
	let mut providers = BTreeMap::<Vec<u8>, Vec<Duty>>::new();
	for duty in duties {
		let own = providers.entry(duty.provider.clone()).or_default();
		if own.len() < DUTIES_AT_A_TIME {
			own.push(duty);
		}
	}
	let mut places = Vec::new();
	for (provider, mut own) in providers {
		let served = last(&|(_, whose)| *whose == provider);
		let urgency = own.first().map(|duty| duty.deadline);
		own.sort_by_key(|duty| last(&|(task, _)| *task == duty.task));
		let own = own.into_iter().enumerate();
		places.extend(own.map(|(nth, duty)| ((nth, served, urgency), duty)));
	}
	places.sort_by_key(|(place, _)| *place);
	places.into_iter().take(DUTIES_PER_BLOCK).map(|(_, duty)| duty).collect()
}

fn is_recent(sent: &[(SentId, BlockNumber)], id: &SentId, now: BlockNumber) -> bool {
	sent.iter().any(|(other, at)| other == id && recent(*at, now))
}

/// Whether a block is at most a few behind `now`. One ahead of it is of another fork.
fn recent(at: BlockNumber, now: BlockNumber) -> bool {
	now.checked_sub(at).is_some_and(|age| age < RESEND_AFTER)
}

/// Posts one request to the auditor service, within [`REQUEST_TIME`] and [`MAX_REPLY`].
fn ask(access: &Access, request: &AuditRequest) -> Result<AuditReply, Failed> {
	let deadline = sp_io::offchain::timestamp().add(REQUEST_TIME);
	let url = format!("{}{PATH}", access.url);
	let response = http::Request::post(&url, vec![request.encode()])
		.add_header("authorization", &format!("Bearer {}", access.token))
		.add_header("content-type", "application/octet-stream")
		.deadline(deadline)
		.send()
		.map_err(|_| Failed::Unreachable)?
		.try_wait(deadline)
		.map_err(|_| Failed::Unreachable)?
		.map_err(|_| Failed::Unreachable)?;
	if response.code != 200 {
		return Err(Failed::Status(response.code));
	}
	let mut body = response.body();
	body.deadline(deadline);
	let bytes = body.by_ref().take(MAX_REPLY.saturating_add(1)).collect::<Vec<_>>();
	if body.error().is_some() {
		return Err(Failed::Unreachable);
	}
	if bytes.len() > MAX_REPLY {
		return Err(Failed::BadReply);
	}
	AuditReply::decode_all(&mut &bytes[..]).map_err(|_| Failed::BadReply)
}
