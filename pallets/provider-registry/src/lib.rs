#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(missing_docs)]

extern crate alloc;

mod impls;
mod types;
pub mod weights;

#[cfg(feature = "runtime-benchmarks")]
mod benchmarking;
#[cfg(test)]
mod mock;
#[cfg(test)]
mod tests;

pub use pallet::*;
pub use types::*;
pub use weights::WeightInfo;

/// Target of this pallet's log lines.
const LOG_TARGET: &str = "runtime::provider-registry";

#[frame_support::pallet]
pub mod pallet {
	use super::*;
	use assay_primitives::{
		market::{Ask, MachineClass, MachineId},
		url::Url,
		Balance, BlockNumber,
	};
	use frame_support::{
		pallet_prelude::*,
		traits::fungible::{self, hold},
	};
	use frame_system::pallet_prelude::*;

	const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

	#[pallet::pallet]
	#[pallet::storage_version(STORAGE_VERSION)]
	pub struct Pallet<T>(_);

	#[pallet::config]
	pub trait Config: frame_system::Config {
		/// The token of which stake is held.
		type Currency: fungible::Inspect<Self::AccountId, Balance = Balance>
			+ hold::Mutate<Self::AccountId, Reason = Self::RuntimeHoldReason>;

		/// The runtime's hold reasons.
		type RuntimeHoldReason: From<HoldReason>;

		/// Most machines of one provider.
		#[pallet::constant]
		type MaxMachinesPerProvider: Get<u32>;

		/// Most asks in the book of one class: what a search for the best one goes through.
		#[pallet::constant]
		type MaxAsksPerClass: Get<u32>;

		/// Most amounts that one provider may be unbonding at a time.
		#[pallet::constant]
		type MaxUnbonding: Get<u32>;

		/// Weights of calls and of the steps others take.
		type WeightInfo: WeightInfo;
	}

	/// Why a balance is held.
	#[pallet::composite_enum]
	pub enum HoldReason {
		/// A provider's stake, unbonding or not.
		#[codec(index = 0)]
		Stake,
	}

	// Accounts are chosen by users: a hasher that resists collisions and keeps the key readable.
	/// Providers by account.
	#[pallet::storage]
	pub type Providers<T: Config> =
		CountedStorageMap<_, Blake2_128Concat, T::AccountId, Provider<T>>;

	/// The provider for which a hot key acts.
	#[pallet::storage]
	pub type HotKeys<T: Config> = StorageMap<_, Blake2_128Concat, T::AccountId, T::AccountId>;

	/// Machines by provider and number.
	#[pallet::storage]
	pub type Machines<T: Config> =
		StorageDoubleMap<_, Blake2_128Concat, T::AccountId, Twox64Concat, MachineId, Machine>;

	/// Asks of each class, by the price of the reference task, then by how long they stand.
	#[pallet::storage]
	pub type Book<T: Config> = StorageMap<
		_,
		Twox64Concat,
		MachineClass,
		BoundedVec<BookEntry<T::AccountId>, T::MaxAsksPerClass>,
		ValueQuery,
	>;

	/// Sums over all providers.
	#[pallet::storage]
	pub type Total<T: Config> = StorageValue<_, Totals, ValueQuery>;

	/// What governance has set.
	#[pallet::storage]
	pub type Parameters<T: Config> = StorageValue<_, Params, ValueQuery>;

	/// Genesis.
	#[pallet::genesis_config]
	#[derive(frame_support::DefaultNoBound)]
	pub struct GenesisConfig<T: Config> {
		/// What governance may set later.
		pub params: Params,
		#[serde(skip)]
		#[doc(hidden)]
		pub _config: core::marker::PhantomData<T>,
	}

	#[pallet::genesis_build]
	impl<T: Config> BuildGenesisConfig for GenesisConfig<T> {
		fn build(&self) {
			assert!(self.params.is_valid(), "provider registry: invalid parameters in genesis");
			Parameters::<T>::put(self.params);
		}
	}

	#[pallet::event]
	#[pallet::generate_deposit(pub(super) fn deposit_event)]
	pub enum Event<T: Config> {
		/// A provider registered.
		Registered {
			/// Its account.
			provider: T::AccountId,
			/// The account with which its worker signs.
			hot_key: T::AccountId,
			/// Its stake, in planck.
			stake: Balance,
		},
		/// A provider's profile was set.
		ProfileSet {
			/// Whose.
			provider: T::AccountId,
			/// Its name.
			name: Label,
			/// Base URL of its data plane.
			endpoint: Url,
			/// Its region.
			region: Option<[u8; 2]>,
		},
		/// A provider's worker signs with another account from now on.
		HotKeySet {
			/// Whose.
			provider: T::AccountId,
			/// The new account.
			hot_key: T::AccountId,
		},
		/// Stake was added.
		Bonded {
			/// Whose.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// Stake is on its way out.
		Unbonded {
			/// Whose.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
			/// First block in which it may be withdrawn.
			until: BlockNumber,
		},
		/// Stake was forfeited for a lie.
		Forfeited {
			/// Whose.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// Stake is no longer on hold.
		Withdrawn {
			/// Whose.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// A provider takes no more work and all its machines are gone.
		Deregistered {
			/// Which.
			provider: T::AccountId,
			/// First block in which all its stake may be withdrawn.
			until: BlockNumber,
		},
		/// A provider that had deregistered withdrew the last of its stake; its record is gone.
		Left {
			/// Which.
			provider: T::AccountId,
		},
		/// A machine was added.
		MachineAdded {
			/// Whose.
			provider: T::AccountId,
			/// Its number.
			machine: MachineId,
			/// What the provider says of it.
			spec: MachineSpec,
		},
		/// A machine was removed.
		MachineRemoved {
			/// Whose.
			provider: T::AccountId,
			/// Its number.
			machine: MachineId,
		},
		/// A machine takes work on these terms.
		AskSet {
			/// Whose.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
			/// The terms.
			ask: Ask,
		},
		/// A machine's provider took its ask off the book.
		AskCleared {
			/// Whose.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
		},
		/// A cheaper ask took this one's place in a full book.
		AskDisplaced {
			/// Whose.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
		},
		/// An ask came off the book because its machine let too many offers lapse.
		AskPaused {
			/// Whose.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
			/// Offers that lapsed in a row.
			missed: u32,
		},
		/// One of a machine's slots was taken for an offer.
		SlotReserved {
			/// Whose.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
			/// Slots now in use.
			busy: u32,
		},
		/// Stake was put at risk for an accepted task.
		CollateralLocked {
			/// Whose.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// A match ended: its slot and collateral are free again.
		SlotReleased {
			/// Whose.
			provider: T::AccountId,
			/// Which machine.
			machine: MachineId,
			/// Slots still in use.
			busy: u32,
			/// Collateral freed, in planck.
			collateral: Balance,
		},
		/// Governance set the parameters.
		ParametersSet {
			/// The new ones.
			params: Params,
		},
	}

	#[pallet::error]
	pub enum Error<T> {
		/// The account is already a provider.
		AlreadyRegistered,
		/// The account is not a provider.
		NotRegistered,
		/// The provider has deregistered.
		Leaving,
		/// The account is a hot key of a provider and cannot be a provider itself.
		AccountIsHotKey,
		/// The hot key already acts for a provider.
		HotKeyTaken,
		/// The hot key is a provider's account.
		HotKeyIsProvider,
		/// Name or model is not UTF-8, or holds control characters.
		InvalidLabel,
		/// The endpoint does not begin with `http://` or `https://`.
		EndpointScheme,
		/// The endpoint holds a character that no base URL may hold.
		EndpointCharacter,
		/// The endpoint names no valid host.
		EndpointHost,
		/// The endpoint's port is not a number from 1 to 65535.
		EndpointPort,
		/// The region is not two letters from A to Z.
		InvalidRegion,
		/// The amount is nought.
		ZeroAmount,
		/// The stake would be less than the least for this many machines.
		StakeTooLow,
		/// Not enough of the stake is free of collateral.
		StakeLocked,
		/// Too many amounts are unbonding; withdraw what is due or wait.
		TooManyUnbonding,
		/// Nothing is due for withdrawal.
		NothingUnbonded,
		/// The provider has no such machine.
		UnknownMachine,
		/// The provider has as many machines as it may have.
		TooManyMachines,
		/// A machine of no memory.
		NoMemory,
		/// A slot of the machine is in use.
		MachineBusy,
		/// The ask offers no slot.
		NoSlots,
		/// The ask's figures overflow.
		AskOverflow,
		/// The class's book is full of asks that are no dearer.
		BookFull,
		/// The machine asks for no work.
		NoAsk,
		/// The machine is of another class than required.
		WrongClass,
		/// The machine has less memory than required.
		TooLittleMemory,
		/// The provider is not in the region required.
		WrongRegion,
		/// More multiply–accumulates than the ask takes on.
		TooManyMacs,
		/// A larger trace than the ask takes on.
		TraceTooLarge,
		/// More declared value than the ask takes on.
		ValueTooHigh,
		/// A shorter deadline than the ask takes on.
		DeadlineTooShort,
		/// The ask puts less stake at risk than the task's assurance needs.
		StakePercentTooLow,
		/// Price, or price and value together, do not fit into a balance.
		PriceOverflow,
		/// All slots of the machine are in use.
		NoFreeSlot,
		/// The provider's free stake does not cover price and value.
		InsufficientStake,
		/// The parameters make no sense.
		InvalidParameters,
	}

	#[pallet::call(weight(<T as Config>::WeightInfo))]
	impl<T: Config> Pallet<T> {
		/// Registers the sender as a provider.
		///
		/// Holds `stake` planck of its balance, at least `min_stake`.
		///
		/// ## Errors
		/// [`Error::AlreadyRegistered`], [`Error::Leaving`], [`Error::AccountIsHotKey`],
		/// [`Error::HotKeyTaken`], [`Error::HotKeyIsProvider`], [`Error::StakeTooLow`],
		/// [`Error::InvalidLabel`], `Error::Endpoint…`, [`Error::InvalidRegion`], and the
		/// currency's if it cannot hold so much.
		///
		/// ## Events
		/// [`Event::Registered`], [`Event::ProfileSet`].
		#[pallet::call_index(0)]
		pub fn register(
			origin: OriginFor<T>,
			hot_key: T::AccountId,
			stake: Balance,
			name: Label,
			endpoint: Url,
			region: Option<[u8; 2]>,
		) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_register(who, hot_key, stake, name, endpoint, region)
		}

		/// Sets what the sender says of itself.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::InvalidLabel`],
		/// `Error::Endpoint…`, [`Error::InvalidRegion`].
		///
		/// ## Events
		/// [`Event::ProfileSet`].
		#[pallet::call_index(1)]
		pub fn set_profile(
			origin: OriginFor<T>,
			name: Label,
			endpoint: Url,
			region: Option<[u8; 2]>,
		) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_set_profile(who, name, endpoint, region)
		}

		/// Has the sender's worker sign with `new` from now on; the old hot key acts for nobody.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::HotKeyTaken`],
		/// [`Error::HotKeyIsProvider`].
		///
		/// ## Events
		/// [`Event::HotKeySet`].
		#[pallet::call_index(2)]
		pub fn set_hot_key(origin: OriginFor<T>, new: T::AccountId) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_set_hot_key(who, new)
		}

		/// Adds `amount` planck to the sender's stake.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::ZeroAmount`], and the currency's
		/// if it cannot hold so much.
		///
		/// ## Events
		/// [`Event::Bonded`].
		#[pallet::call_index(3)]
		pub fn bond_extra(origin: OriginFor<T>, amount: Balance) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_bond_extra(who, amount)
		}

		/// Starts unbonding `amount` planck of the sender's free stake.
		///
		/// It stays on hold for `unbonding_period` blocks. What remains must be at least the least
		/// stake for the sender's machines; to take out everything, deregister.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::ZeroAmount`],
		/// [`Error::StakeLocked`], [`Error::StakeTooLow`], [`Error::TooManyUnbonding`].
		///
		/// ## Events
		/// [`Event::Unbonded`].
		#[pallet::call_index(4)]
		pub fn unbond(origin: OriginFor<T>, amount: Balance) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_unbond(who, amount)
		}

		/// Frees all of the sender's stake whose unbonding is over.
		///
		/// Removes the record of a provider that has deregistered once nothing is left.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::NothingUnbonded`].
		///
		/// ## Events
		/// [`Event::Withdrawn`], and [`Event::Left`] if the record is gone.
		#[pallet::call_index(5)]
		pub fn withdraw_unbonded(origin: OriginFor<T>) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_withdraw_unbonded(who)
		}

		/// Adds a machine, which takes no work until it has an ask.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::InvalidLabel`],
		/// [`Error::NoMemory`], [`Error::TooManyMachines`], [`Error::StakeTooLow`].
		///
		/// ## Events
		/// [`Event::MachineAdded`].
		#[pallet::call_index(6)]
		pub fn add_machine(origin: OriginFor<T>, spec: MachineSpec) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_add_machine(who, spec)
		}

		/// Removes a machine and its ask.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::UnknownMachine`],
		/// [`Error::MachineBusy`].
		///
		/// ## Events
		/// [`Event::MachineRemoved`].
		#[pallet::call_index(7)]
		pub fn remove_machine(origin: OriginFor<T>, machine: MachineId) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_remove_machine(who, machine)
		}

		/// Sets the terms on which a machine takes work; its earlier ask loses its place.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::UnknownMachine`],
		/// [`Error::StakeTooLow`], [`Error::NoSlots`], [`Error::AskOverflow`],
		/// [`Error::BookFull`].
		///
		/// ## Events
		/// [`Event::AskSet`], and [`Event::AskDisplaced`] for the one whose place it took.
		#[pallet::call_index(8)]
		pub fn set_ask(origin: OriginFor<T>, machine: MachineId, ask: Ask) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_set_ask(who, machine, ask)
		}

		/// Has a machine take no more work. What it has taken on, it must still do.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::UnknownMachine`],
		/// [`Error::NoAsk`].
		///
		/// ## Events
		/// [`Event::AskCleared`].
		#[pallet::call_index(9)]
		pub fn clear_ask(origin: OriginFor<T>, machine: MachineId) -> DispatchResult {
			let who = ensure_signed(origin)?;
			Self::do_clear_ask(who, machine)
		}

		/// Removes all machines of the sender and starts unbonding all its stake.
		///
		/// ## Errors
		/// [`Error::NotRegistered`], [`Error::Leaving`], [`Error::StakeLocked`],
		/// [`Error::MachineBusy`], [`Error::TooManyUnbonding`].
		///
		/// ## Events
		/// [`Event::MachineRemoved`] for each machine, [`Event::Unbonded`],
		/// [`Event::Deregistered`].
		#[pallet::call_index(10)]
		#[pallet::weight(T::WeightInfo::deregister(T::MaxMachinesPerProvider::get()))]
		pub fn deregister(origin: OriginFor<T>) -> DispatchResultWithPostInfo {
			let who = ensure_signed(origin)?;
			let machines = Self::do_deregister(who)?;
			Ok(Some(T::WeightInfo::deregister(machines)).into())
		}

		/// Sets the parameters. Root only.
		///
		/// Providers below a raised `min_stake` keep the asks they have.
		///
		/// ## Errors
		/// [`Error::InvalidParameters`].
		///
		/// ## Events
		/// [`Event::ParametersSet`].
		#[pallet::call_index(11)]
		pub fn set_parameters(origin: OriginFor<T>, params: Params) -> DispatchResult {
			ensure_root(origin)?;
			Self::do_set_parameters(params)
		}
	}

	#[pallet::hooks]
	impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
		#[cfg(feature = "try-runtime")]
		fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
			Self::do_try_state()
		}
	}
}
