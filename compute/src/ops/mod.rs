//! Row kernels: each computes one row of a result from rows of its operands, little-endian bytes in
//! and out. They are total: any bytes give a result, and where lengths disagree (they never do for a
//! valid program) the shorter one counts. The runtime decides fraud proofs with these same kernels.
//!
//! They are shaped for the vectoriser, which overflow checks would stop: where a bound is given, wrapping
//! operators never wrap. [`reference`](crate::reference) holds the plain meaning that tests compare
//! them with.

pub(crate) mod bytes;
mod elementwise;
mod normalise;
mod reduce;
mod round;
mod softmax;

pub(crate) use elementwise::*;
pub(crate) use normalise::*;
pub(crate) use reduce::*;
pub(crate) use softmax::row_softmax;
