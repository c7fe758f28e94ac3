//! Names in texts: people, places, organisations.
#![forbid(unsafe_code)]

pub mod tagger;
