//! Demands that a worker open on the chain what it committed to. Whoever does not is treated as one
//! who lied: else silence would be cheaper.

use crate::{pallet::*, Audit, Case, Demand, Standing, Step, Voting, MAX_STRANGERS};
use alloc::vec::Vec;
use assay_compute::proof::{
	demand::{self, Opening},
	OpenNode,
};
use assay_primitives::{
	auditor::{AuditorSignature, SeatId, SignedDemand},
	demand::{answer_key, DemandView, Wanted, MAX_OPEN_NODE_BYTES, MAX_SEAT_DEMANDS},
	traits::{TaskParties, WorkLedger},
	work::{Offence, TaskId},
	Balance, BlockNumber, Root,
};
use codec::{DecodeAll, Encode};
use frame_support::{
	ensure,
	pallet_prelude::{ConstU32, TransactionValidityWithRefund},
	storage::with_storage_layer,
	traits::{
		fungible::hold::Mutate as _,
		tokens::{Fortitude, Precision, Restriction},
	},
	BoundedVec,
};
use sp_application_crypto::RuntimeAppPublic;
use sp_io::hashing::blake2_256;
use sp_runtime::{
	transaction_validity::{InvalidTransaction, TransactionSource},
	DispatchError, DispatchResult,
};

/// The node that a demand is about, opened.
type Opened = BoundedVec<u8, ConstU32<MAX_OPEN_NODE_BYTES>>;

impl<T: Config> Pallet<T> {
	pub(crate) fn do_demand(
		who: T::AccountId,
		task: TaskId,
		wanted: Wanted,
		opened: &[u8],
	) -> DispatchResult {
		let mut case = Cases::<T>::get(task).ok_or(Error::<T>::NotOpen)?;
		Self::make_way(&who, task, &case)?;
		let buys = T::Endpoints::parties(task).is_some_and(|parties| parties.buyer == who);
		let standing = if buys { Standing::Buyer } else { Standing::Stranger };
		ensure!(buys || case.strangers < MAX_STRANGERS, Error::<T>::TooManyDemands);
		let price = Self::price(&case, &wanted, opened)?;
		let params = Parameters::<T>::get();
		let until = Self::now().saturating_add(params.demand_window);
		ensure!(case.keep_open(until, standing, &params), Error::<T>::TooLate);
		T::Currency::hold(&HoldReason::DemandBond.into(), &who, price)?;
		Self::put_demand(who, task, case, wanted, standing, price, until);
		Ok(())
	}

	pub(crate) fn do_demand_as_auditor(
		seat: SeatId,
		wanted: Wanted,
		opened: &[u8],
	) -> DispatchResult {
		let mut open = Self::to_seal(seat)?;
		let case = Cases::<T>::get(seat.task).ok_or(Error::<T>::NotOpen)?;
		// What there is not cannot be opened; what it costs to open is the worker's part here, who
		// could have served it.
		Self::price(&case, &wanted, opened)?;
		let params = Parameters::<T>::get();
		let until = Self::now().saturating_add(params.demand_window);
		let held = open.seat_mut().ok_or(Error::<T>::NoSuchSeat)?;
		let who = held.account.clone();
		Self::make_way(&who, seat.task, &case)?;
		ensure!(u32::from(held.demands) < MAX_SEAT_DEMANDS, Error::<T>::TooManyDemands);
		held.demands = held.demands.saturating_add(1);
		held.awaits = Some(until);
		// With the answer the seat still has to come to a verdict and seal it.
		let seals_until = until.saturating_add(params.audit_window);
		if seals_until > open.voting.seals_until {
			open.voting.seal_until(seals_until, params.opening_window);
			Self::schedule_voting(seat, seals_until);
		}
		Self::store_round(seat.task, open);
		Self::put_demand(who, seat.task, case, wanted, Standing::Seat(seat), 0, until);
		Ok(())
	}

	/// Lets an auditor's demand into the pool and into blocks.
	pub(crate) fn authorize_demand(
		_source: TransactionSource,
		seat: &SeatId,
		wanted: &Wanted,
		_opened: &Opened,
		signature: &AuditorSignature,
	) -> TransactionValidityWithRefund {
		let open = Self::to_seal(*seat).map_err(super::attest::not_now)?;
		let held = open.seat().ok_or(InvalidTransaction::BadProof)?;
		if u32::from(held.demands) >= MAX_SEAT_DEMANDS {
			return Err(InvalidTransaction::ExhaustsResources.into());
		}
		let pending = Demands::<T>::get(seat.task, &held.account)
			.is_some_and(|demand| demand.submitted_at == seat.submitted_at);
		if pending {
			return Err(InvalidTransaction::Stale.into());
		}
		let message = Self::signed_demand(*seat, held.demands, *wanted).encode();
		if !held.auditor.verify(&message, signature) {
			return Err(InvalidTransaction::BadProof.into());
		}
		Self::valid("assay/demand", &(seat, held.demands), open.voting.seals_until)
	}

	/// What the auditor of a seat signs to demand something.
	pub(crate) fn signed_demand(seat: SeatId, number: u8, wanted: Wanted) -> SignedDemand {
		SignedDemand { genesis: Self::genesis(), seat, number, wanted }
	}

	/// What it costs to have something opened, in planck; an error if there is no such thing.
	fn price(
		case: &Case<T::AccountId>,
		wanted: &Wanted,
		opened: &[u8],
	) -> Result<Balance, DispatchError> {
		let params = Parameters::<T>::get();
		let Some(place) = wanted.place() else {
			ensure!(opened.is_empty(), Error::<T>::NoSuchPlace);
			ensure!(case.known().trace_root.is_none(), Error::<T>::TraceKnown);
			return Ok(params.demand_base);
		};
		let node = match opened {
			[] => None,
			bytes => {
				Some(OpenNode::decode_all(&mut &bytes[..]).map_err(|_| Error::<T>::NoSuchPlace)?)
			}
		};
		let bytes =
			Self::with_statement(
				&case.program,
				&case.inputs,
				&case.known(),
				|statement| match place.check(statement, node.as_ref()) {
					Ok(()) => {
						let smallest = assay_compute::Shape::new(assay_compute::Dtype::I8, 1, 1);
						let shape = node.map_or(smallest, |node| node.shape);
						Ok(demand::largest_opening(statement.nodes, shape))
					}
					Err(_) => Err(Error::<T>::NoSuchPlace),
				},
			)
			.ok_or(Error::<T>::NoTrace)??;
		let moving = params.demand_per_byte.saturating_mul(bytes.into());
		Ok(params.demand_base.saturating_add(moving))
	}

	/// One account waits for one answer about a result at a time. What it waited for of an earlier
	/// attempt is decided.
	fn make_way(who: &T::AccountId, task: TaskId, case: &Case<T::AccountId>) -> DispatchResult {
		let Some(earlier) = Demands::<T>::get(task, who) else { return Ok(()) };
		ensure!(earlier.submitted_at != case.submitted_at, Error::<T>::AlreadyDemanded);
		Demands::<T>::remove(task, who);
		Self::return_demand_bond(who, earlier.price)
	}

	fn put_demand(
		by: T::AccountId,
		task: TaskId,
		mut case: Case<T::AccountId>,
		wanted: Wanted,
		standing: Standing,
		price: Balance,
		until: BlockNumber,
	) {
		let now = Self::now();
		case.pending = case.pending.saturating_add(1);
		if standing == Standing::Stranger {
			case.strangers = case.strangers.saturating_add(1);
		}
		let submitted_at = case.submitted_at;
		Cases::<T>::insert(task, case);
		let demand = Demand { submitted_at, wanted, standing, at: now, until, price };
		Demands::<T>::insert(task, &by, demand);
		Steps::<T>::put(now, until.saturating_add(1), Step::Demand(task, by.clone(), now));
		Self::deposit_event(Event::Demanded { task, by, wanted, until });
	}

	pub(crate) fn do_answer(
		who: T::AccountId,
		task: TaskId,
		demander: T::AccountId,
		answer: &[u8],
	) -> DispatchResult {
		let demand = Demands::<T>::get(task, &demander).ok_or(Error::<T>::NoDemand)?;
		let mut case = Self::case_of(task, demand.submitted_at).ok_or(Error::<T>::NoDemand)?;
		let now = Self::now();
		ensure!(now <= demand.until, Error::<T>::TooLate);
		match demand.wanted.place() {
			Some(place) => Self::check_opening(&case, &place, answer)?,
			None => Self::give_trace(&who, task, &mut case, answer)?,
		}
		Demands::<T>::remove(task, &demander);
		case.settle_demand(&demand.standing);
		Cases::<T>::insert(task, case);
		Self::pay_answer(&demander, &who, demand.price)?;
		if let Standing::Seat(seat) = demand.standing {
			Self::hand_over(now, seat, answer);
		}
		Self::deposit_event(Event::Answered { task, by: demander, answered_by: who });
		Self::after_pending(task);
		Ok(())
	}

	/// Whether an answer opens what was demanded.
	fn check_opening(
		case: &Case<T::AccountId>,
		place: &demand::Wanted,
		answer: &[u8],
	) -> DispatchResult {
		let opening = Opening::decode_all(&mut &answer[..]).map_err(|_| Error::<T>::NotAnAnswer)?;
		let opened =
			Self::with_statement(&case.program, &case.inputs, &case.known(), |statement| {
				demand::verify_opening(statement, place, &opening)
			});
		ensure!(matches!(opened, Some(Ok(()))), Error::<T>::NotAnAnswer);
		Ok(())
	}

	/// Takes the trace root of a result that was submitted without one. Only the worker can commit
	/// itself; what it has given once can be repeated by anyone, for others who wait for it.
	fn give_trace(
		who: &T::AccountId,
		task: TaskId,
		case: &mut Case<T::AccountId>,
		answer: &[u8],
	) -> DispatchResult {
		let root = Root::decode_all(&mut &answer[..]).map_err(|_| Error::<T>::NotAnAnswer)?;
		match case.known().trace_root {
			Some(known) => ensure!(root == known, Error::<T>::NotAnAnswer),
			None => {
				let parties = T::Endpoints::parties(task).ok_or(Error::<T>::NotTheWorker)?;
				ensure!(parties.hot == *who, Error::<T>::NotTheWorker);
				case.given = Some(root);
				Self::deposit_event(Event::TraceGiven { task, trace_root: root });
			}
		}
		Ok(())
	}

	/// Leaves an answer where the auditor that waits for it finds it, and lets its round go on.
	fn hand_over(now: BlockNumber, id: SeatId, answer: &[u8]) {
		let hash = Root::from(blake2_256(answer));
		sp_io::offchain_index::set(&answer_key(&id, &hash), answer);
		let Ok(mut open) = Self::round_of(id) else { return };
		let Some(seat) = open.seat_mut() else { return };
		// Cannot be full: each of the seat's demands is answered once.
		let _ = seat.answers.try_push(hash);
		seat.awaits = None;
		let params = Parameters::<T>::get();
		let latest = open.voting.seats.iter().filter_map(|seat| seat.awaits).max();
		let seals_until = latest.unwrap_or(now).max(now).saturating_add(params.audit_window);
		if seals_until < open.voting.seals_until {
			open.voting.seal_until(seals_until, params.opening_window);
			Self::schedule_voting(id, seals_until);
		}
		Self::store_round(id.task, open);
	}

	/// Forgets what was opened for the seats of a round, which is over.
	pub(crate) fn forget_answers(
		task: TaskId,
		audit: &Audit<T::AccountId>,
		voting: &Voting<T::AccountId>,
	) {
		for (number, seat) in (0..).zip(&voting.seats) {
			let Audit { submitted_at, round, .. } = *audit;
			let id = SeatId { task, submitted_at, round, number };
			for hash in &seat.answers {
				sp_io::offchain_index::clear(&answer_key(&id, hash));
			}
		}
	}

	/// Ends a demand that nobody has answered: the worker is convicted as of a lie, and the demander
	/// gets back what it put up and nothing else.
	pub(crate) fn lapse_demand(now: BlockNumber, task: TaskId, who: T::AccountId, at: BlockNumber) {
		let current = Demands::<T>::get(task, &who).filter(|demand| demand.at == at);
		let Some(demand) = current else { return };
		Demands::<T>::remove(task, &who);
		if let Err(error) = Self::return_demand_bond(&who, demand.price) {
			frame_support::defensive!("a demand's bond is not on hold", error);
		}
		match Self::case_of(task, demand.submitted_at) {
			Some(mut case) if demand.wanted == Wanted::Trace && case.given.is_some() => {
				// It was given to another who demanded it.
				case.settle_demand(&demand.standing);
				Cases::<T>::insert(task, case);
				Self::after_pending(task);
			}
			Some(case) => Self::convict(now, task, case, Offence::Withheld(demand.wanted), None),
			None => Self::deposit_event(Event::DemandVoid { task, by: who }),
		}
	}

	/// Demands about a result that wait for an answer.
	pub fn demanded(task: TaskId) -> Vec<DemandView<T::AccountId>> {
		let Some(case) = Cases::<T>::get(task) else { return Vec::new() };
		Demands::<T>::iter_prefix(task)
			.filter(|(_, demand)| demand.submitted_at == case.submitted_at)
			.map(|(by, demand)| {
				let Demand { wanted, until, price, .. } = demand;
				DemandView { task, by, wanted, until, price }
			})
			.collect()
	}

	/// Pays whoever answered what the demander put up for it. What cannot be paid out is burned: the
	/// demander has had its answer.
	fn pay_answer(demander: &T::AccountId, to: &T::AccountId, price: Balance) -> DispatchResult {
		let reason = HoldReason::DemandBond.into();
		let (exact, force) = (Precision::Exact, Fortitude::Force);
		let paid = with_storage_layer(|| {
			let free = Restriction::Free;
			T::Currency::transfer_on_hold(&reason, demander, to, price, exact, free, force)
		});
		if price > 0 && paid.is_err() {
			T::Ledger::destroyed(T::Currency::burn_held(&reason, demander, price, exact, force)?);
		}
		Ok(())
	}

	fn return_demand_bond(who: &T::AccountId, price: Balance) -> DispatchResult {
		T::Currency::release(&HoldReason::DemandBond.into(), who, price, Precision::Exact)?;
		Ok(())
	}
}

impl<AccountId> Case<AccountId> {
	/// One demand less is pending.
	fn settle_demand(&mut self, standing: &Standing) {
		self.pending = self.pending.saturating_sub(1);
		if *standing == Standing::Stranger {
			self.strangers = self.strangers.saturating_sub(1);
		}
	}
}
