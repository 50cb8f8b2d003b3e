//! The off-chain worker. It only orchestrates: it finds the node's duties, asks the auditor service
//! on loopback, signs and submits. Nothing that a stranger wrote is fetched here.

use crate::{pallet::*, Auditor, Stage, Voting, LOG_TARGET, MAX_PROOF_BYTES};
use alloc::{collections::BTreeMap, format, string::String, vec, vec::Vec};
use assay_primitives::{
	auditor::{
		seal, Access, AuditId, AuditReply, AuditRequest, AuditorId, Demanded, Finding, Salt,
		SeatId, ACCESS_KEY, PATH,
	},
	demand::answer_key,
	traits::TaskParties,
	url::{self, Url},
	work::{TaskId, Verdict},
	BlockNumber, Root,
};
use codec::{Decode, DecodeAll, Encode};
use core::fmt;
use frame_support::ensure;
use frame_system::offchain::SubmitTransaction;
use sp_application_crypto::RuntimeAppPublic;
use sp_core::offchain::{Duration, StorageKind};
use sp_runtime::{
	offchain::{
		http,
		storage::{MutateStorageError, StorageValueRef},
		storage_lock::{BlockAndTime, StorageLock},
	},
	traits::{BlakeTwo256, Hash},
};

/// Held by the one worker that runs.
const LOCK_KEY: &[u8] = b"assay::audit::lock";
/// Where it is kept which verdicts are kept; each lies under this with its seat.
const KEPT_KEY: &[u8] = b"assay::audit::kept";
/// Transactions sent a short while ago.
const SENT_KEY: &[u8] = b"assay::audit::sent";
/// By each of the node's keys: the duty that was read last.
const CURSOR_KEY: &[u8] = b"assay::audit::cursor";
/// Block in which an announcement of each of the node's keys was sent last.
const ANNOUNCED_KEY: &[u8] = b"assay::audit::announced";
/// Duties seen to lately, whichever blocks that was in: those may have a rhythm, by which some would
/// never have their turn.
const ASKED_KEY: &[u8] = b"assay::audit::asked";
/// Most audits asked about in one block.
const DUTIES_PER_BLOCK: usize = 4;
/// Most duties beside those for which nobody is asked: verdicts to be opened, sealed again, or
/// abstained from.
const READY_PER_BLOCK: usize = 256;
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
const MAX_REPLY: usize = MAX_PROOF_BYTES as usize + 1024;
/// Blocks left for sealing a verdict.
const SEALING_BLOCKS: BlockNumber = 3;
/// Blocks for which a verdict is kept after its round: the chain may take blocks back.
const KEEP_AFTER: BlockNumber = 600;
/// Blocks after which a transaction that is not in the chain is sent again.
const RESEND_AFTER: BlockNumber = 5;

/// One seat of this node in an open vote.
#[derive(Clone)]
pub(crate) struct Duty {
	auditor: AuditorId,
	pub(crate) seat: SeatId,
	/// Whose work it is; empty if nobody can be asked for it.
	pub(crate) provider: Vec<u8>,
	/// Last block in which the verdict may be sealed.
	seals_until: BlockNumber,
	/// Last block in which it may be opened.
	opens_until: BlockNumber,
	/// What is due.
	act: Act,
}

/// What a seat does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
enum Act {
	/// Come to a verdict and seal it.
	Seal,
	/// Open what was sealed.
	Open,
	/// Make the seat's demand of this number.
	Demand(u8),
}

/// A duty seen to: the task and its provider.
type Asked = (TaskId, Vec<u8>);

/// Names a transaction in local storage.
type SentId = (SeatId, Act);

/// A verdict that the node has come to, kept until its round is over: a seal can be opened only with
/// the salt it was made with, also after a restart.
#[derive(Clone, Encode, Decode)]
struct Kept {
	/// Hash of what it is about.
	claim: Root,
	verdict: Verdict,
	proof: Vec<u8>,
	salt: Salt,
}

/// What the auditor service has come to.
enum Found {
	Pending,
	Verdict(Verdict, Vec<u8>),
	Demand(Demanded),
}

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
	/// What it took for a proof shows no fault.
	NotProved,
	/// What the worker has opened on the chain is not in the node's off-chain index.
	NoAnswer,
	/// The verdict that was sealed is not known any more.
	Forgotten,
	/// The auditor service says that it keeps outputs at what is no base URL.
	BadUrl,
	/// The keystore did not sign.
	NotSigned,
	/// The pool did not take the transaction.
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
			Failed::BadUrl => f.write_str("the URL of what is kept is no base URL"),
			Failed::NotSigned => f.write_str("the keystore did not sign"),
			Failed::NotProved => f.write_str("the auditor service's proof shows no fault"),
			Failed::NoAnswer => f.write_str("an answer on the chain is not in the off-chain index"),
			Failed::Forgotten => f.write_str("the verdict that was sealed is not known any more"),
			Failed::NotTaken => f.write_str("the pool did not take the transaction"),
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
		Self::announce_custody(&access, &keys);
		let duties = Self::own_duties(&keys);
		for duty in &duties {
			if let Err(why) = Self::do_duty(&access, duty) {
				log::warn!(target: LOG_TARGET, "audit of {:?} put off: {why}", duty.seat.task);
			}
		}
		Self::seen_to(&keys, &duties);
	}

	/// Says on the chain where the node's auditors keep outputs, where that is not what it says.
	fn announce_custody(access: &Access, keys: &[AuditorId]) {
		let now = Self::now();
		let said = |account: &T::AccountId| {
			Custodians::<T>::get(account).map(|it| it.url.into_inner()).unwrap_or_default()
		};
		let own = Auditors::<T>::get().into_iter().filter(|auditor| keys.contains(&auditor.id));
		let news = own.filter(|auditor| {
			said(&auditor.account) != access.keeps_at.as_bytes()
				&& now >= Self::may_announce_from(&auditor.account)
				&& Bonds::<T>::contains_key(&auditor.account)
		});
		for Auditor { id, .. } in news {
			let key = of_key(ANNOUNCED_KEY, &id);
			let sent = StorageValueRef::persistent(&key);
			if sent.get::<BlockNumber>().ok().flatten().is_some_and(|at| recent(at, now)) {
				continue;
			}
			sent.set(&now);
			if let Err(why) = Self::send_announcement(&access.keeps_at, id, now) {
				log::warn!(target: LOG_TARGET, "custody is not announced: {why}");
			}
		}
	}

	fn send_announcement(
		keeps_at: &str,
		auditor: AuditorId,
		at: BlockNumber,
	) -> Result<(), Failed> {
		let url = Url::try_from(keeps_at.as_bytes().to_vec()).map_err(|_| Failed::BadUrl)?;
		ensure!(url.is_empty() || url::check(&url).is_ok(), Failed::BadUrl);
		let message = Self::signed_announcement(&url, at).encode();
		let signature = auditor.sign(&message).ok_or(Failed::NotSigned)?;
		let call = Call::announce { auditor, url, at, signature };
		Self::submit(call)
	}

	/// Puts a call into the pool that needs no signature of an account.
	fn submit(call: Call<T>) -> Result<(), Failed> {
		let transaction = T::create_authorized_transaction(call.into());
		SubmitTransaction::<T, Call<T>>::submit_transaction(transaction)
			.map_err(|()| Failed::NotTaken)
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
			.filter(|duty| !is_recent(&sent, &duty.id(), now));
		let (mut due, audits): (Vec<_>, Vec<_>) =
			duties.partition(|duty| Self::is_ready(duty, now));
		// What asks nobody takes no time, and to miss it costs the deposit.
		due.sort_by_key(Duty::until);
		due.truncate(READY_PER_BLOCK);
		due.extend(in_turn(audits, &Self::asked()));
		due
	}

	/// The next duties of a key, from behind the one that was read last and on from the first.
	fn read(key: &AuditorId) -> Vec<TaskId> {
		let from_first = Duties::<T>::iter_key_prefix(key);
		let last =
			StorageValueRef::persistent(&of_key(CURSOR_KEY, key)).get::<TaskId>().ok().flatten();
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
				StorageValueRef::persistent(&of_key(CURSOR_KEY, key)).set(last);
			}
		}
		let mut asked = Self::asked();
		let taken = |task| duties.iter().any(|duty| duty.seat.task == task);
		asked.retain(|(task, _)| !taken(*task));
		let audits = duties.iter().filter(|duty| duty.act == Act::Seal);
		asked.extend(audits.map(|duty| (duty.seat.task, duty.provider.clone())));
		asked.drain(..asked.len().saturating_sub(ASKED_KEPT));
		StorageValueRef::persistent(ASKED_KEY).set(&asked);
	}

	/// Whether a duty can be done without asking the auditor service.
	fn is_ready(duty: &Duty, now: BlockNumber) -> bool {
		duty.act == Act::Open || now >= Self::reply_until(duty) || Self::kept(duty).is_some()
	}

	/// What the seat of `auditor` in the open vote on `task` has to do now.
	fn duty(auditor: AuditorId, task: TaskId) -> Option<Duty> {
		let audit = Audits::<T>::get(task)?;
		let Stage::Voting(voting) = audit.stage else { return None };
		let place = voting.seats.iter().position(|s| s.auditor == auditor && s.vote.is_none())?;
		// What is sent now is in the next block at the earliest.
		let next = Self::now().saturating_add(1);
		let act = match voting.seats.get(place)?.sealed {
			None if next <= voting.seals_until => Act::Seal,
			// A block later than it may be: pools that have not seen this block yet would refuse it, and
			// remember that for longer than there is time.
			Some(_) if next <= voting.opens_until && Self::now() > voting.sealed_at() => Act::Open,
			_ => return None,
		};
		let seat = SeatId {
			task,
			submitted_at: audit.submitted_at,
			round: audit.round,
			number: place.try_into().ok()?,
		};
		let parties = T::Endpoints::parties(task);
		let provider = parties.map(|p| p.provider.encode()).unwrap_or_default();
		let Voting { seals_until, opens_until, .. } = voting;
		Some(Duty { auditor, seat, provider, seals_until, opens_until, act })
	}

	fn do_duty(access: &Access, duty: &Duty) -> Result<(), Failed> {
		let call = match (duty.act, Self::kept(duty)) {
			// A demand is made in the course of coming to a verdict.
			(Act::Demand(_), _) => return Ok(()),
			(Act::Open, None) => return Err(Failed::Forgotten),
			(Act::Open, Some(Kept { verdict, proof, salt, .. })) => {
				let proof = proof.try_into().map_err(|_| Failed::Forgotten)?;
				Call::open_verdict { seat: duty.seat, verdict, proof, salt }
			}
			(Act::Seal, kept) => {
				let Some(kept) = kept.map(Ok).or_else(|| Self::reach(access, duty).transpose())
				else {
					return Ok(());
				};
				let Kept { verdict, proof, salt, .. } = kept?;
				let seal = seal(&duty.auditor, &duty.seat, &verdict, &proof, &salt);
				let message = Self::signed_seal(duty.seat, seal).encode();
				let signature = duty.auditor.sign(&message).ok_or(Failed::NotSigned)?;
				Call::seal_verdict { seat: duty.seat, seal, signature }
			}
		};
		Self::send(duty, call)
	}

	/// Comes to a verdict and keeps it; `None` while that takes. Who comes to none in time abstains,
	/// for silence would cost the deposit.
	fn reach(access: &Access, duty: &Duty) -> Result<Option<Kept>, Failed> {
		let Some(claim) = Self::claimed(duty) else { return Ok(None) };
		let (verdict, proof) = if Self::now() >= Self::reply_until(duty) {
			log::warn!(target: LOG_TARGET, "abstains on {:?}: no verdict in time", duty.seat.task);
			(Verdict::Abstained, Vec::new())
		} else {
			match Self::find(access, duty)? {
				Found::Verdict(verdict, proof) => (verdict, proof),
				Found::Pending => return Ok(None),
				Found::Demand(demanded) => {
					Self::send_demand(duty, demanded)?;
					return Ok(None);
				}
			}
		};
		let salt = sp_io::offchain::random_seed();
		Ok(Some(Self::keep(duty, Kept { claim, verdict, proof, salt })))
	}

	/// What a duty is about: a seat of the same name may be about another claim on another fork. A
	/// trace root that is given later does not make it another, for what is sealed must be opened.
	fn claimed(duty: &Duty) -> Option<Root> {
		let case = Cases::<T>::get(duty.seat.task)?;
		Some(BlakeTwo256::hash_of(&(case.program, case.inputs, case.commitment)))
	}

	/// Block from which the auditor's answer is not waited for any more, so that the seat can still
	/// abstain.
	fn reply_until(duty: &Duty) -> BlockNumber {
		duty.seals_until.saturating_sub(SEALING_BLOCKS)
	}

	/// Asks the auditor service. An accusation that this node does not find proved itself is never
	/// made.
	fn find(access: &Access, duty: &Duty) -> Result<Found, Failed> {
		let SeatId { task, submitted_at, .. } = duty.seat;
		let (Some(audit), Some(case)) = (Audits::<T>::get(task), Cases::<T>::get(task)) else {
			return Ok(Found::Pending);
		};
		let Ok(open) = Self::to_seal(duty.seat) else { return Ok(Found::Pending) };
		let answers = open.seat().map(|seat| seat.answers.to_vec()).unwrap_or_default();
		let answered = |hash| answered(&duty.seat, hash);
		let answers = answers.iter().map(answered).collect::<Result<Vec<_>, _>>()?;
		let parties = T::Endpoints::parties(task).ok_or(Failed::NoEndpoint)?;
		let request = AuditRequest {
			audit: AuditId {
				task,
				submitted_at,
				provider: parties.provider.encode(),
				claim: case.claim(),
				depth: audit.depth,
			},
			endpoint: parties.url,
			buyer: parties.buyer_url,
			answers,
			now: Self::now(),
			deadline: Self::reply_until(duty),
			keep_for: Parameters::<T>::get().custody_period,
		};
		Ok(match ask(access, &request)? {
			AuditReply::Pending => Found::Pending,
			AuditReply::Refused(why) => return Err(Failed::Refused(why)),
			AuditReply::Expired => return Err(Failed::Expired),
			AuditReply::Demand(demanded) => Found::Demand(demanded),
			AuditReply::Done(Finding::Right) => Found::Verdict(Verdict::Valid, Vec::new()),
			AuditReply::Done(Finding::Unavailable) => {
				Found::Verdict(Verdict::Unavailable, Vec::new())
			}
			AuditReply::Done(Finding::Wrong(proof)) => {
				let fault = Self::judge(&case.program, &case.inputs, &case.known(), &proof)
					.map_err(|_| Failed::NotProved)?;
				Found::Verdict(Verdict::Invalid(fault.place), proof)
			}
		})
	}

	/// Demands what the audit needs, unless the seat waits for an answer already.
	fn send_demand(duty: &Duty, demanded: Demanded) -> Result<(), Failed> {
		let Ok(open) = Self::to_seal(duty.seat) else { return Ok(()) };
		let Some(seat) = open.seat().filter(|seat| seat.awaits.is_none()) else { return Ok(()) };
		let number = seat.demands;
		let Demanded { wanted, opened } = demanded;
		let opened = opened.try_into().map_err(|_| Failed::BadReply)?;
		let message = Self::signed_demand(duty.seat, number, wanted).encode();
		let signature = duty.auditor.sign(&message).ok_or(Failed::NotSigned)?;
		let call = Call::demand_as_auditor { seat: duty.seat, wanted, opened, signature };
		Self::send(&Duty { act: Act::Demand(number), ..duty.clone() }, call)
	}

	/// Submits a transaction of a seat, unless that was done a short while ago.
	fn send(duty: &Duty, call: Call<T>) -> Result<(), Failed> {
		if !Self::claim_sending(duty.id()) {
			return Ok(());
		}
		let sent = Self::submit(call);
		if sent.is_err() {
			Self::unclaim_sending(duty.id());
		}
		sent
	}

	/// The verdict that the node has come to on what the duty is about.
	fn kept(duty: &Duty) -> Option<Kept> {
		let kept =
			StorageValueRef::persistent(&kept_key(&duty.seat)).get::<Kept>().ok().flatten()?;
		(Some(kept.claim) == Self::claimed(duty)).then_some(kept)
	}

	/// Keeps a verdict, and forgets those of rounds that are long over. Returns what is kept: the
	/// verdict that another worker has kept meanwhile, if one has, for its seal may be sent already.
	fn keep(duty: &Duty, new: Kept) -> Kept {
		let now = Self::now();
		let index = StorageValueRef::persistent(KEPT_KEY);
		let mut seats =
			index.get::<Vec<(SeatId, BlockNumber)>>().ok().flatten().unwrap_or_default();
		let over = |until: BlockNumber| until.saturating_add(KEEP_AFTER) < now;
		for (seat, _) in seats.iter().filter(|(_, until)| over(*until)) {
			StorageValueRef::persistent(&kept_key(seat)).clear();
		}
		seats.retain(|(_, until)| !over(*until));
		seats.push((duty.seat, duty.opens_until));
		index.set(&seats);
		let key = kept_key(&duty.seat);
		let written = StorageValueRef::persistent(&key).mutate::<Kept, Kept, _>(|old| match old {
			Ok(Some(old)) if old.claim == new.claim => Err(old),
			_ => Ok(new.clone()),
		});
		match written {
			Ok(kept) | Err(MutateStorageError::ValueFunctionFailed(kept)) => kept,
			Err(MutateStorageError::ConcurrentModification(_)) => Self::kept(duty).unwrap_or(new),
		}
	}

	fn sent() -> Vec<(SentId, BlockNumber)> {
		StorageValueRef::persistent(SENT_KEY).get().ok().flatten().unwrap_or_default()
	}

	/// Notes that a transaction is being sent now, and forgets those sent longer ago. False if it
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
		(self.seat, self.act)
	}

	/// Last block in which it can be done.
	fn until(&self) -> BlockNumber {
		match self.act {
			Act::Seal | Act::Demand(_) => self.seals_until,
			Act::Open => self.opens_until,
		}
	}
}

/// An answer on the chain, by its hash.
fn answered(seat: &SeatId, hash: &Root) -> Result<Vec<u8>, Failed> {
	let key = answer_key(seat, hash);
	sp_io::offchain::local_storage_get(StorageKind::PERSISTENT, &key).ok_or(Failed::NoAnswer)
}

fn kept_key(seat: &SeatId) -> Vec<u8> {
	(KEPT_KEY, seat).encode()
}

/// Where something is kept of each of the node's keys.
fn of_key(what: &[u8], key: &AuditorId) -> Vec<u8> {
	(what, key).encode()
}

/// The duties of the next turn: one of each provider, who was served longest ago first, then another
/// of each, and so on. Of one provider's most urgent duties it is the one asked about longest ago.
fn in_turn(mut duties: Vec<Duty>, asked: &[Asked]) -> Vec<Duty> {
	// What was never asked about, or so long ago that it is forgotten, comes before all else.
	let last = |so: &dyn Fn(&Asked) -> bool| asked.iter().rposition(so);
	duties.sort_by_key(|duty| (duty.seals_until, duty.seat.task));
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
		let urgency = own.first().map(|duty| duty.seals_until);
		own.sort_by_key(|duty| last(&|(task, _)| *task == duty.seat.task));
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
