//! How far each name is generalised.

use crate::entity::Kind;
use std::collections::HashMap;

/// A name with its ladder, and the records that have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// What may be said for it, the most particular first, the last being nothing.
    pub ladder: Vec<String>,
    /// The records that have it, by number, each once.
    pub records: Vec<u32>,
}

/// The lowest step of every ladder such that each form that is said at all is said in at least `k` records.
///
/// Forms that are too rare are raised, all names that have one at once, until none is left. The most particular are raised first, so that whatever is more
/// general is judged when all have come that will: what several names have in common (`France` for Lyon and Paris) is counted together. The last
/// step is nothing, and needs no company.
pub fn k_anonymous(values: &[Value], k: usize) -> Vec<usize> {
    let mut steps = vec![0; values.len()];
    loop {
        let mut said: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, value) in values.iter().enumerate() {
            if steps[place] + 1 < value.ladder.len() {
                said.entry(&value.ladder[steps[place]]).or_default().push(place);
            }
        }
        // How many steps are left above a form, for the one of its names that has fewest.
        let left = |places: &[usize]| places.iter().map(|place| values[*place].ladder.len() - steps[*place]).min();
        let rare: Vec<Vec<usize>> = said.into_values().filter(|places| records(values, places) < k).collect();
        let Some(most) = rare.iter().filter_map(|places| left(places)).max() else { return steps };
        let raised: Vec<usize> = rare.into_iter().filter(|places| left(places) == Some(most)).flatten().collect();
        raised.into_iter().for_each(|place| steps[place] += 1);
    }
}

/// How many records have any of these values.
fn records(values: &[Value], places: &[usize]) -> usize {
    if let [only] = places {
        return values[*only].records.len();
    }
    let mut all: Vec<u32> = places.iter().flat_map(|place| &values[*place].records).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// How many records each form is said in, most first.
pub fn shared(values: &[Value], form: impl Fn(&Value) -> String) -> Vec<(String, usize)> {
    let mut said: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, value) in values.iter().enumerate() {
        said.entry(form(value)).or_default().push(place);
    }
    let mut counts: Vec<(String, usize)> =
        said.into_iter().map(|(form, places)| (form, records(values, &places))).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shared(values: &[Value], steps: &[usize]) -> Vec<(String, usize)> {
        let step = |value: &Value| values.iter().position(|other| other == value).map_or(0, |place| steps[place]);
        super::shared(values, |value| value.ladder[step(value)].clone())
    }

    fn value(ladder: &[&str], records: &[u32]) -> Value {
        let ladder = ladder.iter().map(|form| (*form).to_owned()).collect();
        Value { kind: Kind::Place, ladder, records: records.to_vec() }
    }

    #[test]
    fn rare_names_are_raised_until_many_share_them() {
        let values = [
            value(&["Lyon", "France", "somewhere", "*", ""], &[1]),
            value(&["Paris", "France", "somewhere", "*", ""], &[1, 2, 3]),
            value(&["Nice", "France", "somewhere", "*", ""], &[4, 5]),
            value(&["Ann Lee", "A. L.", "*", ""], &[9]),
        ];
        // Paris stands in three records; Lyon and Nice make France three; one star would be alone.
        let steps = k_anonymous(&values, 3);
        assert_eq!(steps, [1, 0, 1, 3]);
        let counts = shared(&values, &steps);
        assert_eq!(counts, [("France".into(), 3), ("Paris".into(), 3), (String::new(), 1)]);
    }

    #[test]
    fn a_star_is_judged_when_all_have_come_that_will() {
        let values = [
            value(&["Bob", "B.", "*", ""], &[1]),
            value(&["Leeds", "England", "United Kingdom", "somewhere", "*", ""], &[2]),
            value(&["a phone number", "*", ""], &[3]),
        ];
        assert_eq!(shared(&values, &k_anonymous(&values, 3)), [("*".into(), 3)]);
    }

    #[test]
    fn a_record_counts_once_for_a_form() {
        let values = [value(&["Lyon", "France", "*", ""], &[1]), value(&["Nice", "France", "*", ""], &[1])];
        assert_eq!(k_anonymous(&values, 2), [3, 3], "one record has both: one country, one star");
    }

    proptest! {
        #[test]
        fn no_form_is_said_in_fewer_than_k_records(
            mentions in proptest::collection::vec((0_u32..30, 0_usize..12), 0..80),
            k in 1_usize..8,
        ) {
            // Twelve names in four countries, two continents.
            let mut values: Vec<Value> = (0..12)
                .map(|name| value(&[&format!("n{name}"), &format!("c{}", name % 4), &format!("k{}", name % 2), "*", ""], &[]))
                .collect();
            for (record, name) in mentions {
                values[name].records.push(record);
            }
            values.iter_mut().for_each(|value| { value.records.sort_unstable(); value.records.dedup(); });
            values.retain(|value| !value.records.is_empty());
            let steps = k_anonymous(&values, k);
            for (form, count) in shared(&values, &steps) {
                prop_assert!(form.is_empty() || count >= k, "{form}: {count}");
            }
        }
    }
}
