//! Receipts of a small chain made here, and every way in which they can be wrong.

#![allow(missing_docs)]

mod chain;
mod facts;
mod finality;
mod state;
mod tampering;
