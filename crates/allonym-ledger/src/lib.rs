//! The privacy ledger: what was spent for which record and which author, and no further.
//!
//! A ledger is one SQLite file. Before anything is drawn, [`Ledger::reserve`] writes down what the draws will cost, for
//! every record and its author, in one transaction; when a limit would be passed it writes nothing and says how much
//! would fit. Losses add up (basic composition): epsilons and deltas are summed as whole numbers, rounded up. A release by a
//! method without a bound is recorded as unbounded, and refused under a limit.
//!
//! The journal is append-only and hash-chained, so that [`Ledger::verify`] finds what was changed by accident or by a
//! careless hand. Ids and authors are kept under a keyed hash ([`Ledger::create`]); the key is in the file, so whoever
//! holds the file can test guesses.
//!
//! ```
//! use allonym_ledger::{Cost, Ledger, Limit, Reservation, Scope};
//!
//! let place = tempfile::tempdir()?;
//! let path = place.path().join("reviews.ledger");
//! let mut ledger = Ledger::create(&path, "reviews")?;
//! ledger.set_limit(Limit { scope: Scope::Author, epsilon: 2.0, delta: 0.0 })?;
//!
//! let reservation = Reservation { key: [7; 16], what: "two-set 1", cost: Cost::Bounded { epsilon: 0.9, delta: 0.0 } };
//! ledger.reserve(&reservation, [("1", Some("anna")), ("2", Some("anna"))])?;
//! assert_eq!(ledger.spent_author(b"anna")?.amount.epsilon(), 1.8);
//!
//! let another = Reservation { key: [8; 16], ..reservation };
//! let refused = ledger.reserve(&another, [("3", Some("anna"))]).unwrap_err();
//! assert_eq!(refused.fits().unwrap().epsilon(), 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod amount;
mod entry;
mod error;
mod file;
mod hash;
mod ledger;
mod limit;
mod loss;
mod reserve;
mod schema;
mod summary;
mod tag;
mod tally;
mod verify;

pub use amount::Amount;
pub use error::LedgerError;
pub use hash::Hash;
pub use ledger::Ledger;
pub use limit::{Limit, Limits, Scope};
pub use loss::{Cost, Loss, UNBOUNDED};
pub use reserve::{Receipt, Reservation, Reserving};
pub use summary::{Spent, Summary, Unbounded};
pub use verify::{Broken, Verification};
