//! Registering programs, and what jobs ask of them.

use crate::{pallet::*, Program, WeightInfo};
use alloc::vec::Vec;
use assay_primitives::{
	traits,
	work::{Costs, ProgramInfo},
	Root,
};
use frame_support::{
	ensure,
	traits::{fungible::hold::Mutate, tokens::Precision},
	weights::Weight,
	BoundedVec,
};
use sp_runtime::{ArithmeticError, DispatchResult};

impl<T: Config> Pallet<T> {
	pub(crate) fn do_register_program(owner: T::AccountId, bytes: &[u8]) -> DispatchResult {
		let program = assay_compute::Program::decode(bytes)
			.map_err(|_| Error::<T>::ProgramMalformed)?
			.validate()
			.map_err(|_| Error::<T>::ProgramInvalid)?;
		let inputs = program.inputs().into_iter().map(|(node, _)| node).collect::<Vec<_>>();
		let input_nodes = BoundedVec::try_from(inputs).map_err(|_| Error::<T>::TooManyInputs)?;

		let id = Root::from(program.id());
		ensure!(!Programs::<T>::contains_key(id), Error::<T>::AlreadyRegistered);

		let params = Parameters::<T>::get();
		let deposit = params
			.program_deposit_per_byte
			.checked_mul(bytes.len() as u128)
			.and_then(|d| d.checked_add(params.program_deposit_base))
			.ok_or(ArithmeticError::Overflow)?;
		T::Currency::hold(&HoldReason::ProgramDeposit.into(), &owner, deposit)?;

		let costs = Costs::from(program.costs());
		let info = ProgramInfo {
			costs,
			nodes: program.nodes().len() as u32,
			inputs: input_nodes.len() as u32,
			output_bytes: program.output_shape().bytes(),
			bytes: bytes.len() as u32,
		};
		let owned = owner.clone();
		Programs::<T>::insert(id, Program { owner: owned, deposit, users: 0, input_nodes, info });
		Self::deposit_event(Event::ProgramRegistered { program: id, owner, costs, deposit });
		Ok(())
	}

	pub(crate) fn do_remove_program(owner: T::AccountId, id: Root) -> DispatchResult {
		let program = Programs::<T>::get(id).ok_or(Error::<T>::UnknownProgram)?;
		ensure!(program.owner == owner, Error::<T>::NotOwner);
		ensure!(program.users == 0, Error::<T>::InUse);
		let deposit = program.deposit;
		T::Currency::release(
			&HoldReason::ProgramDeposit.into(),
			&owner,
			deposit,
			Precision::BestEffort,
		)?;
		Programs::<T>::remove(id);
		Self::deposit_event(Event::ProgramRemoved { program: id, owner, deposit });
		Ok(())
	}
}

impl<T: Config> traits::Programs for Pallet<T> {
	fn info(program: &Root) -> Option<ProgramInfo> {
		Programs::<T>::get(program).map(|p| p.info)
	}

	fn hold(program: &Root) -> DispatchResult {
		Programs::<T>::try_mutate(program, |p| {
			let p = p.as_mut().ok_or(Error::<T>::UnknownProgram)?;
			p.users = p.users.checked_add(1).ok_or(ArithmeticError::Overflow)?;
			Ok(())
		})
	}

	fn unhold(program: &Root) {
		Programs::<T>::mutate_extant(program, |p| p.users = p.users.saturating_sub(1));
	}

	fn verify_inputs(
		tasks_root: &Root,
		tasks: u32,
		index: u32,
		inputs: &[Root],
		path: &[Root],
	) -> bool {
		let bytes = |roots: &[Root]| roots.iter().map(|r| r.0).collect::<Vec<_>>();
		assay_compute::verify_task(&tasks_root.0, tasks, index, &bytes(inputs), &bytes(path))
	}

	fn verify_inputs_weight(inputs: u32, hashes: u32) -> Weight {
		<T as Config>::WeightInfo::verify_inputs(inputs, hashes)
	}
}
