mod any_bytes;
mod asks;
mod machines;
mod profile;
mod random;
mod stake;
mod supply;
mod views;
