//! `assay program register`.

use super::load;
use crate::{account::Done, context::Context};
use assay_client::{
	chain::verification::events::ProgramRegistered, Amount, Error, Outcome, Submitter,
};
use assay_compute::ValidProgram;
use assay_primitives::{work::MAX_TASK_INPUTS, Root};
use serde_json::json;
use std::path::Path;

/// Registers a program, or says that it is registered.
pub async fn run(context: &Context, path: &Path) -> anyhow::Result<()> {
	let program = load::program(path)?;
	let submitter = context.submitter().await?;
	let id = Root::from(program.id());
	match ensure_registered(context, &submitter, &program).await? {
		None => {
			let value = json!({ "program": id, "already_registered": true });
			context.output.result(&value, || format!("program {id:#x} is registered already"));
		}
		Some(outcome) => {
			let deposit = outcome.find::<ProgramRegistered>().map_or(0, |event| event.deposit);
			let more = json!({ "program": id, "deposit": deposit.to_string() });
			let text = format!("registered program {id:#x} with a deposit of {}", Amount(deposit));
			Done::new(&outcome, more).show(context, &text);
		}
	}
	Ok(())
}

/// Registers a program unless it is registered; `None` if it was.
pub async fn ensure_registered(
	context: &Context,
	submitter: &Submitter,
	program: &ValidProgram,
) -> anyhow::Result<Option<Outcome>> {
	if submitter.client().program(program.id().into()).await?.is_some() {
		return Ok(None);
	}
	let inputs = program.inputs().len();
	if inputs > MAX_TASK_INPUTS as usize {
		anyhow::bail!("the program takes {inputs} inputs; the chain allows {MAX_TASK_INPUTS}");
	}
	let call = submitter.register_program(program.encode());
	match context.waiting("registering the program", call).await {
		Ok((_, outcome)) => Ok(Some(outcome)),
		// Someone else did meanwhile, and that is as good.
		Err(Error::Dispatch(error)) if is_registered(&error) => Ok(None),
		Err(error) => Err(error.into()),
	}
}

fn is_registered(error: &assay_client::DispatchError) -> bool {
	use assay_client::DispatchError::Module;
	matches!(error, Module { pallet, name, .. } if pallet == "Verification" && name == "AlreadyRegistered")
}
