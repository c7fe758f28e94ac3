//! Small draws shared by content and style.

use allonym_dp::PrivacyRng;

/// Says yes in `percent` of 100 cases.
pub(super) fn chance(rng: &mut PrivacyRng, percent: u64) -> bool {
    rng.below(100) < percent
}

/// Takes one item uniformly.
pub(super) fn pick<T: Copy>(rng: &mut PrivacyRng, items: &[T]) -> T {
    items[rng.below(items.len() as u64) as usize]
}
