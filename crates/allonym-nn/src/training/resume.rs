//! Where a run is, and how it goes on from there.

use super::model::{Model, Opened};
use super::settings::TrainingSettings;
use crate::card::Card;
use crate::checkpoint;
use crate::error::NnError;
use crate::optimiser::Optimiser;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a run is, to the bit. Losses are kept as the bits of floats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) step: u64,
    /// The seed of a plain run, also where it was made up. A private run writes down none.
    pub(super) seed: Option<u64>,
    /// The sum and number of the losses since the last checkpoint; none in a private run.
    pub(super) losses: (u64, u64),
    pub(super) validation: Option<u64>,
    pub(super) best: Option<u64>,
    /// Looks at the validation data since the best.
    pub(super) waited: u64,
    /// Whether validation was due at this step and was cancelled: it comes first when the run is resumed.
    #[serde(default)]
    pub(super) validation_due: bool,
}

/// Makes model and optimiser what they were at a checkpoint. The model, the data and the settings must be those of the run.
pub(super) fn restore<M: Model>(
    path: &Path,
    model: &mut M,
    optimiser: &mut Optimiser,
    settings: &TrainingSettings,
    training: &Opened<'_, M::Example>,
) -> Result<(Place, Card), NnError> {
    let card = checkpoint::load_card(path)?;
    let same = [
        ("the kind of model", card.kind == model.kind()),
        ("the model's settings", card.model == model.settings()),
        ("the data", card.data == training.fingerprint && card.examples == training.examples.len()),
        ("whether the data is public", card.standing == training.standing),
        ("the settings of training", settings.continues(&card.training)),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(NnError::Refused {
            what: format!("`{}` cannot be resumed: {what} changed", path.display()),
            hint: "start in another directory",
        });
    }
    let names: Vec<&str> = optimiser.memory().iter().map(|(name, _)| *name).collect();
    let state = checkpoint::load_state(path, &names, model.store().values().len())?;
    let place: Place =
        serde_json::from_str(&state.run).map_err(|_| NnError::broken(path, "does not say where its run was"))?;
    if place.step != card.steps {
        return Err(NnError::broken(path, "has a card and a state of different steps"));
    }
    checkpoint::load(path, model.store_mut())?;
    optimiser.restore(place.step, &state.memory);
    Ok((place, card))
}
