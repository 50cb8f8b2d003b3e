#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(missing_docs)]

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

#[frame_support::pallet]
pub mod pallet {
	use super::*;
	use assay_primitives::{Balance, BlockNumber};
	use frame_support::{pallet_prelude::*, traits::fungible, weights::WeightMeter};
	use frame_system::pallet_prelude::*;

	const STORAGE_VERSION: StorageVersion = StorageVersion::new(1);

	#[pallet::pallet]
	#[pallet::storage_version(STORAGE_VERSION)]
	pub struct Pallet<T>(_);

	#[pallet::config]
	pub trait Config: frame_system::Config {
		/// The token that is minted.
		type Currency: fungible::Mutate<Self::AccountId>
			+ fungible::Inspect<Self::AccountId, Balance = Balance>;

		/// Most steps taken in one block: eras ended, providers paid.
		#[pallet::constant]
		type MaxPayoutsPerBlock: Get<u32>;

		/// Weights of calls and steps.
		type WeightInfo: WeightInfo;
	}

	/// What governance has set.
	#[pallet::storage]
	pub type Parameters<T: Config> = StorageValue<_, Params, ValueQuery>;

	/// The era under way.
	#[pallet::storage]
	pub type CurrentEra<T: Config> = StorageValue<_, Era, ValueQuery>;

	// Providers' accounts are chosen by users: a hasher that resists collisions.
	/// Fees burned by era and provider, in planck, until the provider is paid for them.
	#[pallet::storage]
	pub type BurnedBy<T: Config> = StorageDoubleMap<
		_,
		Twox64Concat,
		EraIndex,
		Blake2_128Concat,
		T::AccountId,
		Balance,
		ValueQuery,
	>;

	/// Eras that have ended with something to pay and are not all paid.
	#[pallet::storage]
	pub type Payouts<T: Config> = StorageMap<_, Twox64Concat, EraIndex, Payout>;

	/// The first era that has not been paid.
	#[pallet::storage]
	pub type NextPayout<T: Config> = StorageValue<_, EraIndex, ValueQuery>;

	/// What accounts are owed that could not be paid, in planck.
	#[pallet::storage]
	pub type Claimable<T: Config> =
		StorageMap<_, Blake2_128Concat, T::AccountId, Balance, ValueQuery>;

	/// Sums over all eras.
	#[pallet::storage]
	pub type Total<T: Config> = StorageValue<_, Totals, ValueQuery>;

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
			assert!(self.params.is_valid(), "emissions: invalid parameters in genesis");
			Parameters::<T>::put(self.params);
			CurrentEra::<T>::put(Era { cap: self.params.initial_cap, ..Default::default() });
		}
	}

	#[pallet::event]
	#[pallet::generate_deposit(pub(super) fn deposit_event)]
	pub enum Event<T: Config> {
		/// An era ended.
		EraEnded {
			/// Which.
			era: EraIndex,
			/// Fees burned in it, in planck.
			burned: Balance,
			/// What is shared among those whose work burned them, in planck.
			pool: Balance,
			/// What the pool left of the era's cap, in planck.
			reserve_added: Balance,
		},
		/// A provider received its share of an era's pool.
		Minted {
			/// Which era.
			era: EraIndex,
			/// Who.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// A provider's share could not be minted to it and may be claimed.
		Deferred {
			/// Which era.
			era: EraIndex,
			/// Whose share.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// All providers of an era were dealt with.
		EraPaid {
			/// Which.
			era: EraIndex,
			/// What they were paid or may claim, in planck.
			paid: Balance,
			/// What rounding left of the pool for the reserve, in planck.
			remainder: Balance,
		},
		/// What an account could claim was minted to it.
		Claimed {
			/// Who.
			provider: T::AccountId,
			/// How much, in planck.
			amount: Balance,
		},
		/// Governance set the parameters.
		ParametersSet {
			/// The new ones.
			params: Params,
		},
	}

	#[pallet::error]
	pub enum Error<T> {
		/// The parameters make no sense.
		InvalidParameters,
		/// The account has nothing to claim.
		NothingToClaim,
	}

	#[pallet::call(weight(<T as Config>::WeightInfo))]
	impl<T: Config> Pallet<T> {
		/// Sets the parameters. Root only.
		///
		/// A new length holds for the era under way too, and so does κ. A new initial cap starts
		/// the schedule anew with it.
		///
		/// ## Errors
		/// [`Error::InvalidParameters`].
		///
		/// ## Events
		/// [`Event::ParametersSet`].
		#[pallet::call_index(0)]
		pub fn set_parameters(origin: OriginFor<T>, params: Params) -> DispatchResult {
			ensure_root(origin)?;
			Self::do_set_parameters(params)
		}

		/// Mints what `provider` may claim, to `provider`. Anybody may call it.
		///
		/// ## Errors
		/// [`Error::NothingToClaim`], and the currency's if it cannot be minted yet.
		///
		/// ## Events
		/// [`Event::Claimed`].
		#[pallet::call_index(1)]
		pub fn claim(origin: OriginFor<T>, provider: T::AccountId) -> DispatchResult {
			ensure_signed(origin)?;
			Self::do_claim(provider)
		}
	}

	#[pallet::hooks]
	impl<T: Config> Hooks<BlockNumberFor<T>> for Pallet<T> {
		fn on_poll(now: BlockNumberFor<T>, meter: &mut WeightMeter) {
			use sp_runtime::traits::SaturatedConversion;
			Self::do_poll(now.saturated_into::<BlockNumber>(), meter);
		}

		#[cfg(feature = "try-runtime")]
		fn try_state(_: BlockNumberFor<T>) -> Result<(), sp_runtime::TryRuntimeError> {
			Self::do_try_state()
		}
	}
}
