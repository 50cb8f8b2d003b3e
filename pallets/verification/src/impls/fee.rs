//! What audits cost, and the parameters that say so.

use crate::{pallet::*, Params, MAX_DRAWN};
use assay_primitives::{
	work::{Assurance, Costs, Custody, Depth, ProgramInfo},
	Balance,
};
use frame_support::ensure;
use sp_runtime::{ArithmeticError, DispatchError, DispatchResult};

const GMAC: u128 = 1_000_000_000;
/// Multiply–accumulates that take an auditor as long as one element of another operation: 0.76 ns an
/// element of `row_argmax` against some 80 GMAC/s of products, as measured on one core.
const MACS_PER_ELEMENT: u128 = 64;
const MIB: u128 = 1024 * 1024;

impl<T: Config> Pallet<T> {
	/// Fee of one audited run: auditors × (base + per 10^9 MAC + per MiB of trace), each rounded up.
	/// An element of an operation that is no product counts as [`MACS_PER_ELEMENT`]. Nought where
	/// nobody is drawn to look.
	pub(crate) fn audit_fee(
		costs: &Costs,
		assurance: &Assurance,
		value: Balance,
	) -> Result<Balance, DispatchError> {
		let Assurance::Audited { auditors, depth, .. } = assurance else { return Ok(0) };
		// What custodians do says nothing of a result.
		ensure!(*depth != Depth::Custody, Error::<T>::DepthTooShallow);
		// A few rows say nothing of the one element on which the declared value may hang.
		ensure!(*depth != Depth::Spot || value == 0, Error::<T>::DepthTooShallow);
		let auditors = u32::from(*auditors);
		ensure!(
			(1..=MAX_DRAWN.min(Self::auditors_count())).contains(&auditors),
			Error::<T>::NotEnoughAuditors
		);
		let params = Parameters::<T>::get();
		let elements = costs.elements.saturating_mul(MACS_PER_ELEMENT);
		let macs = costs.macs.saturating_add(elements);
		ensure!(
			macs <= params.max_audit_macs && costs.trace_bytes <= params.max_audit_trace_bytes,
			Error::<T>::AuditTooLarge
		);
		let fee = || {
			params
				.fee_base
				.checked_add(params.fee_per_gmac.checked_mul(macs.div_ceil(GMAC))?)?
				.checked_add(
					params.fee_per_mib_trace.checked_mul(costs.trace_bytes.div_ceil(MIB))?,
				)?
				.checked_mul(auditors.into())
		};
		fee().ok_or(ArithmeticError::Overflow.into())
	}

	/// Custody of an output: base + per MiB, rounded up, for each custodian.
	pub(crate) fn custody_of(program: &ProgramInfo) -> Result<Custody, DispatchError> {
		let params = Parameters::<T>::get();
		let custodians = params.custodians;
		ensure!(u32::from(custodians) <= Keepers::<T>::get(), Error::<T>::NotEnoughCustodians);
		let bytes = u128::from(program.output_bytes);
		ensure!(bytes <= params.max_output_bytes, Error::<T>::OutputTooLarge);
		let per_mib = params.custody_per_mib.checked_mul(bytes.div_ceil(MIB));
		let fee = per_mib.and_then(|fee| fee.checked_add(params.custody_base));
		Ok(Custody { custodians, fee: fee.ok_or(ArithmeticError::Overflow)? })
	}

	pub(crate) fn do_set_parameters(params: Params) -> DispatchResult {
		ensure!(params.is_valid(), Error::<T>::InvalidParameters);
		Parameters::<T>::put(&params);
		Self::deposit_event(Event::ParametersSet { params });
		Ok(())
	}
}
