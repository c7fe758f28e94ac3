//! What people are told about a model.

use allonym::nn::Protection;

/// What is promised to those whose texts were trained on, in a line.
pub(super) fn protection(guarantee: &Protection) -> String {
    match guarantee {
        Protection::Public => "public".to_owned(),
        Protection::Unprotected => "private, and NOT protected: the model may repeat them".to_owned(),
        Protection::Differential(promise) => {
            let void = if promise.void.is_empty() { "" } else { " (VOID: see the card)" };
            format!(
                "trained with noise: epsilon {:.3} (one added or removed), {:.3} (one replaced), delta {:e}, for {}{void}",
                promise.epsilon_add_remove, promise.epsilon_replace_one, promise.delta, promise.unit
            )
        }
    }
}
