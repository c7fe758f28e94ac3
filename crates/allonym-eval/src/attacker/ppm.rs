//! Prediction by partial matching (Cleary and Witten 1984; method C of Moffat 1990) for many writers at once.
//!
//! A byte is predicted from the five before it. A context that was followed by D different bytes in T cases gives a byte that followed c
//! times the chance `c / (T + D)`, and leaves `D / (T + D)` for the others, which are then predicted from a shorter context; below the
//! shortest all 256 bytes are equally likely. Escaped bytes are not excluded from shorter contexts.
//!
//! All writers share one table: a context is looked up once for all who have used it, and what it costs each of them is written beside it.

use crate::features::ByHash;
use rayon::prelude::*;

/// The longest context, in bytes.
const ORDER: usize = 5;

/// The cost of a byte that a writer never used.
const NEW: f32 = 8.0;

/// A writer, and a cost in bits.
type Cost = (u32, f32);

/// Lists of writers, in order, each with a cost.
#[derive(Default)]
struct Lists {
    /// Where each list begins; and the end.
    starts: Vec<u32>,
    costs: Vec<Cost>,
}

/// The models of all writers.
#[derive(Default)]
pub(super) struct Models {
    writers: usize,
    /// The place of each context.
    contexts: ByHash<u32>,
    /// For each context what it costs to leave it.
    escapes: Lists,
    /// Where the bytes of each context begin; and the end.
    firsts: Vec<u32>,
    /// The bytes that followed a context, in order.
    bytes: Vec<u8>,
    /// For each of these bytes what it costs.
    costs: Lists,
}

/// What a writer's texts say of a key: the key, the writer, the cost.
type Entry = (u64, u32, f32);

impl Models {
    /// Learns a model for each writer from pieces of text.
    pub(super) fn fit(writers: &[Vec<&[u8]>]) -> Self {
        let models: Vec<(Vec<Entry>, Vec<Entry>)> =
            writers.par_iter().enumerate().map(|(writer, texts)| entries(writer as u32, texts)).collect();
        let (escapes, costs): (Vec<_>, Vec<_>) = models.into_iter().unzip();
        let mut models = Self { writers: writers.len(), ..Self::default() };
        models.escapes = Lists::from(escapes, |context, place| {
            models.contexts.insert(spread(context), place);
        });
        // Both kinds of list come in the order of contexts, so the bytes of a context lie together.
        let mut last = None;
        models.costs = Lists::from(costs, |key, place| {
            if last.replace(key >> 8) != Some(key >> 8) {
                models.firsts.push(place);
            }
            models.bytes.push(key as u8);
        });
        models.firsts.push(models.bytes.len() as u32);
        models
    }

    /// What it costs to leave a context, and what a byte costs there.
    fn find(&self, context: u64, byte: u8) -> (&[Cost], &[Cost]) {
        let Some(place) = self.contexts.get(&spread(context)) else { return (&[], &[]) };
        let place = *place as usize;
        let range = self.firsts[place] as usize..self.firsts[place + 1] as usize;
        let found = self.bytes[range.clone()].iter().position(|other| *other == byte);
        (self.escapes.get(place), found.map_or(&[], |found| self.costs.get(range.start + found)))
    }

    /// How many bits a text costs each writer.
    pub(super) fn bits(&self, text: &[u8]) -> Vec<f64> {
        let mut bits = vec![0.0; self.writers];
        let mut paid = vec![NEW; self.writers];
        for at in 0..text.len() {
            // From the shortest context to the longest: a writer who used the context leaves it for what the byte costs in shorter ones,
            // or pays what it costs there. Who never used it is spared both.
            paid.fill(NEW);
            for order in 0..=ORDER.min(at) {
                let (escapes, costs) = self.find(context(&text[at - order..at]), text[at]);
                if escapes.is_empty() {
                    // A longer context was not used either.
                    break;
                }
                escapes.iter().for_each(|(writer, escape)| paid[*writer as usize] += escape);
                costs.iter().for_each(|(writer, cost)| paid[*writer as usize] = *cost);
            }
            bits.iter_mut().zip(&paid).for_each(|(bits, paid)| *bits += f64::from(*paid));
        }
        bits
    }
}

/// A context of up to five bytes as a number that no other context has.
fn context(bytes: &[u8]) -> u64 {
    bytes.iter().fold(bytes.len() as u64, |key, byte| key << 8 | u64::from(*byte))
}

/// The costs of a writer's contexts, and of the bytes in them.
fn entries(writer: u32, texts: &[&[u8]]) -> (Vec<Entry>, Vec<Entry>) {
    let mut keys = Vec::new();
    for text in texts {
        for at in 0..text.len() {
            let orders = 0..=ORDER.min(at);
            keys.extend(orders.map(|order| context(&text[at - order..at]) << 8 | u64::from(text[at])));
        }
    }
    keys.sort_unstable();
    let (mut contexts, mut bytes) = (Vec::new(), Vec::new());
    for cases in keys.chunk_by(|a, b| a >> 8 == b >> 8) {
        let different = cases.chunk_by(|a, b| a == b).count() as f32;
        let whole = cases.len() as f32 + different;
        contexts.push((cases[0] >> 8, writer, (whole / different).log2()));
        bytes.extend(cases.chunk_by(|a, b| a == b).map(|same| (same[0], writer, (whole / same.len() as f32).log2())));
    }
    (contexts, bytes)
}

impl Lists {
    /// Puts the entries of all writers together, a list for each key in the order of keys; `take` gets the key and the place of each.
    fn from(writers: Vec<Vec<Entry>>, mut take: impl FnMut(u64, u32)) -> Self {
        let mut entries = writers.concat();
        drop(writers);
        entries.par_sort_unstable_by_key(|(key, writer, _)| (*key, *writer));
        let mut lists = Self { starts: Vec::new(), costs: Vec::with_capacity(entries.len()) };
        for same in entries.chunk_by(|(a, ..), (b, ..)| a == b) {
            take(same[0].0, lists.starts.len() as u32);
            lists.starts.push(lists.costs.len() as u32);
            lists.costs.extend(same.iter().map(|(_, writer, cost)| (*writer, *cost)));
        }
        lists.starts.push(lists.costs.len() as u32);
        lists
    }

    fn get(&self, place: usize) -> &[Cost] {
        &self.costs[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Spreads keys over all 64 bits for the hash table; different keys stay different.
fn spread(key: u64) -> u64 {
    let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
    }

    #[test]
    fn bits_by_hand() {
        // After nothing: a, b twice each, T = 4, D = 2. After a: b twice. After b: a once.
        let models = Models::fit(&[vec![b"abab"], vec![b"c"]]);
        // a: 2/6; b after a: 2/3.
        near(models.bits(b"ab")[0], 3.0_f64.log2() + 1.5_f64.log2());
        // c after a: leave a 1/3, leave nothing 2/6, one of 256.
        near(models.bits(b"ac")[0], 3.0_f64.log2() * 3.0 + 8.0);
        // The other writer: a costs 1/2 to leave and 8; c 1/2; the context a was never seen, and costs nothing to leave.
        near(models.bits(b"ac")[1], 1.0 + 8.0 + 1.0);
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let models = Models::fit(&[vec![b"x", b"y"]]);
        // y after x was never seen: leave nothing at all. x, y once each of T + D = 4.
        near(models.bits(b"xy")[0], 4.0);
    }

    #[test]
    fn what_was_learned_costs_less_than_what_was_not() {
        let models =
            Models::fit(&[vec![b"the cat sat on the mat and the cat ran"], vec![b"zwei Hunde und drei Hunde"]]);
        let bits = models.bits(b"the cat ran on");
        assert!(bits[0] * 2.0 < bits[1]);
    }
}
