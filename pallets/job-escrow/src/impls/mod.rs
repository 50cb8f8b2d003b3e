//! Behaviour, by verb.

pub(crate) mod agenda;
mod conclude;
mod matching;
mod money;
mod post;
mod read;
mod search;
mod settle;
mod try_state;
mod work;
