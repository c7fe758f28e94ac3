//! Names in records: finding them, and replacing them by what many share.

mod generalize;
mod mode;
mod names;
mod statement;
mod texts;
mod train;

pub use generalize::{GeneralizeSettings, Generalized, generalize};
pub use mode::Mode;
pub use names::{Finder, bundled_ladders, bundled_tagger, read_tagger};
pub use texts::generalised;
pub use train::{EntityReport, EntityTraining, Tested, test_entities, train_entities};
