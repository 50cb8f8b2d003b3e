//! The worker against a chain in memory and a buyer on loopback.

mod chain;
mod common;
mod config;
mod declines;
mod demands;
mod honest;
mod pace;
mod register;
mod replicas;
mod restarts;
mod sabotage;
mod slow;
