//! Behaviour, by verb.

pub(crate) mod agenda;
mod check_groups;
mod conclude;
mod decide;
mod deliver;
pub(crate) mod group;
mod matching;
mod money;
mod post;
mod read;
mod round;
mod seal;
mod search;
mod settle;
mod try_state;
mod work;
