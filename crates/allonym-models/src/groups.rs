//! Texts are encoded in groups, since a product of many rows is far cheaper than many products of one.
//!
//! What a text's neighbours in its group are must not show in its numbers, not even in their last bit: a group holds texts of one length and always has
//! the same number of rows, so every product has the same shape, and every row of it is computed alike. Tests of the models hold the bits against those of
//! other neighbours.

use allonym_nn::NnError;
use allonym_text::vocabulary::END;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Rows of a group.
pub(crate) const GROUP: usize = 32;

/// Computes something of every text, in the order of the texts. `compute` gets [`GROUP`] texts of one length, the last of which may stand for none.
pub(crate) fn in_groups<R: Send>(
    texts: &[&[u32]],
    compute: impl Fn(&[&[u32]]) -> Result<Vec<R>, NnError> + Sync,
) -> Result<Vec<R>, NnError> {
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, text) in texts.iter().enumerate() {
        by_length.entry(text.len()).or_default().push(place);
    }
    let groups: Vec<&[usize]> = by_length.values().flat_map(|places| places.chunks(GROUP)).collect();
    let found: Result<Vec<Vec<R>>, NnError> = groups
        .par_iter()
        .map(|places| {
            let nothing = vec![END; texts[places[0]].len()];
            let mut group: Vec<&[u32]> = places.iter().map(|place| texts[*place]).collect();
            group.resize(GROUP, &nothing);
            compute(&group)
        })
        .collect();
    let mut placed: Vec<(usize, R)> =
        groups.into_iter().zip(found?).flat_map(|(places, found)| places.iter().copied().zip(found)).collect();
    placed.sort_unstable_by_key(|(place, _)| *place);
    Ok(placed.into_iter().map(|(_, found)| found).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_gets_its_own_and_every_group_has_one_shape() {
        let texts: Vec<Vec<u32>> = (0..100).map(|i| vec![i; 1 + i as usize % 3]).collect();
        let slices: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let found = in_groups(&slices, |group| {
            assert!(group.len() == GROUP && group.iter().all(|text| text.len() == group[0].len()));
            Ok(group.iter().map(|text| text[0]).collect())
        });
        assert_eq!(found.unwrap(), (0..100).collect::<Vec<u32>>());
        assert_eq!(in_groups(&[], |_| Ok(vec![0])).unwrap(), [0; 0]);
    }
}
