//! Paths of leaves in a tree of which only one other path is known.

use super::{
	merkle::{inner, steps, Tree},
	Root,
};
use alloc::vec::Vec;

/// The path of leaf `index` in a tree that differs from `known` first at leaf `first` > `index`,
/// where it has `leaf` with `path` to its root. Below where the two paths meet everything lies
/// before `first` and is known; above, they share their siblings.
pub(crate) fn path_beside(
	known: &Tree,
	index: u32,
	first: u32,
	leaf: Root,
	path: &[Root],
) -> Option<Vec<Root>> {
	let count = known.leaves();
	let (own, other) = (steps(index, count)?, steps(first, count)?);
	let covers = |start: u32, count: u32, leaf: u32| {
		leaf.checked_sub(start).is_some_and(|offset| offset < count)
	};
	let own_meets = own.iter().position(|step| covers(step.start, step.count, first))?;
	let other_meets = other.iter().position(|step| covers(step.start, step.count, index))?;
	let subtree = other.iter().zip(path).take(other_meets).fold(leaf, |node, (step, sibling)| {
		if step.sibling_is_left {
			inner(sibling, &node)
		} else {
			inner(&node, sibling)
		}
	});
	let mut beside = known.prove(index)?;
	beside.truncate(own_meets);
	beside.push(subtree);
	beside.extend(path.iter().skip(other_meets.saturating_add(1)));
	Some(beside)
}
