//! The referee at work on files: originals and releases are read, lined up, attacked and compared, on their owner's machine.

mod classes;
mod encoder;
mod lined_up;
pub(crate) mod load;
mod membership;
mod plan;
mod reconstruction;
mod risk;
mod run;
mod run_file;
mod target;
mod utility;

pub use load::printable;
pub use membership::{Membership, membership};
pub use plan::{Attack, Plan};
pub use risk::{Risk, risk};
pub use run::evaluate;
