//! Audits of everything that claims (epsilon, delta) without being a token mechanism: noise on vectors and on counts.
//!
//! A case is a pair of adjacent private inputs, what is claimed of them, and a mechanism that can be run on both as often
//! as needed. Releases are vectors, so an event is an interval of a statistic of the release. It is chosen on one half of the
//! draws and measured on the other with Clopper and Pearson's bounds: a mechanism that keeps its claim has
//! P(E | first) <= e^epsilon P(E | second) + delta for every event, so ln((P(E | first) - delta) / P(E | second)) is a
//! lower bound of its epsilon.

use super::black_box::{Halves, lower_bound_of_event};
use super::stated::Stated;
use super::statistics_of_release::{COUNT, Statistics};
use super::{Adjacency, Effort, Finding};
use crate::rng::{Entropy, PrivacyRng, Purpose};
use crate::statistics::FALSE_ALARM;

/// The first stream of random numbers of this layer; other layers have theirs below.
const FIRST_RECORD: u64 = 1 << 52;
/// Draws per input that only define the intervals, at most.
const PILOT: u64 = 4096;
/// Intervals of equal frequency per statistic.
const CELLS: usize = 64;
/// About the quantile of a normal variable that belongs to the false-alarm rate, for choosing events.
const CHOICE_DEVIATIONS: f64 = 5.0;

/// One of the two inputs of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first input.
    First,
    /// The second input.
    Second,
}

/// Runs a mechanism on one of the two inputs and returns the release as a vector.
pub type Run<'a> = Box<dyn Fn(Side, &mut PrivacyRng) -> Vec<f64> + 'a>;

/// A pair of adjacent inputs, what a mechanism claims of them, and the mechanism.
pub struct Case<'a> {
    /// The mechanism.
    pub mechanism: &'static str,
    /// The layer: "black box", or "joint" for several draws of one text.
    pub layer: &'static str,
    /// In which sense the inputs are adjacent.
    pub adjacency: Adjacency,
    /// The claim: (epsilon, delta).
    pub claim: (f64, f64),
    /// The releases of both inputs without noise. They are public knowledge about public inputs and only help to find events.
    pub centers: [Vec<f64>; 2],
    /// The mechanism.
    pub run: Run<'a>,
    /// The stated distribution of the first input's release, where it is known.
    pub stated: Option<Stated<'a>>,
}

impl Case<'_> {
    /// The same case without the check of the stated distribution, where another case makes it already.
    #[must_use]
    pub fn without_sampler(self) -> Self {
        Self { stated: None, ..self }
    }

    /// Draws from both inputs and checks the claim, and the stated distribution where there is one.
    pub fn audit(&self, effort: &Effort) -> Vec<Finding> {
        let statistics = Statistics::new(&self.centers);
        let entropy = Entropy::reproducible(effort.seed);
        let pilot = PILOT.min(effort.draws / 8).max(1);
        let mut seen: Vec<Vec<f64>> = vec![Vec::new(); COUNT];
        for turn in 0..pilot {
            let mut rng = entropy.stream(Purpose::Audit, FIRST_RECORD + turn);
            for side in [Side::First, Side::Second] {
                let values = statistics.of(&(self.run)(side, &mut rng));
                seen.iter_mut().zip(values).for_each(|(seen, value)| seen.push(value));
            }
        }
        let cuts: Vec<Vec<f64>> = seen.into_iter().map(cuts).collect();
        let mut counted: Vec<[Halves; 2]> =
            cuts.iter().map(|cuts| [Halves::new(cuts.len() + 1), Halves::new(cuts.len() + 1)]).collect();
        let mut sampled = vec![0; self.stated.as_ref().map_or(0, |stated| stated.probabilities().len())];
        for turn in pilot..effort.draws {
            let mut rng = entropy.stream(Purpose::Audit, FIRST_RECORD + turn);
            for side in [Side::First, Side::Second] {
                let release = (self.run)(side, &mut rng);
                if let (Some(stated), Side::First) = (&self.stated, side) {
                    sampled[stated.cell(&release)] += 1;
                }
                for ((cuts, halves), value) in cuts.iter().zip(&mut counted).zip(statistics.of(&release)) {
                    halves[side as usize].add(turn, cuts.partition_point(|cut| *cut <= value));
                }
            }
        }
        let mut findings = vec![self.loss(&counted)];
        findings.extend(self.stated.as_ref().map(|stated| self.sampler(stated, &sampled)));
        findings
    }

    fn loss(&self, counted: &[[Halves; 2]]) -> Finding {
        let (claim, delta) = self.claim;
        // Two directions, two bounds each.
        let confidence = 1.0 - FALSE_ALARM / 4.0;
        let found = [(0, 1), (1, 0)].into_iter().map(|(first, second)| {
            let pairs = || counted.iter().map(|halves| [&halves[first], &halves[second]]);
            let chosen = pairs().map(|halves| (choose(halves, delta), halves)).max_by(|a, b| a.0.0.total_cmp(&b.0.0));
            chosen.map_or(0.0, |((_, event), halves)| lower_bound_of_event(halves, event, delta, confidence))
        });
        let found = found.fold(0.0, f64::max);
        self.finding(self.layer, claim, found, found <= claim + 1e-12)
    }

    fn sampler(&self, stated: &Stated<'_>, counts: &[u64]) -> Finding {
        let found = stated.chance_of(counts);
        Finding { delta: 0.0, ..self.finding("sampler", FALSE_ALARM, found, found >= FALSE_ALARM) }
    }

    fn finding(&self, layer: &'static str, claim: f64, found: f64, passed: bool) -> Finding {
        Finding {
            mechanism: self.mechanism,
            layer,
            adjacency: self.adjacency,
            outcomes: self.centers[0].len() as u32,
            claim,
            delta: self.claim.1,
            found,
            passed,
        }
    }
}

/// Where the intervals of a statistic begin: equally frequent ones, and at both ends ones that are each half as frequent as the
/// one before. A value that is repeated has an interval of its own.
fn cuts(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    let mut indices: Vec<usize> = (0..CELLS).map(|cell| cell * count / CELLS).collect();
    let ends = std::iter::successors(Some(count / CELLS), |rare| Some(rare / 2)).take_while(|rare| *rare > 0);
    indices.extend(ends.flat_map(|rare| [rare, count - rare]));
    let mut cuts = Vec::new();
    for index in indices {
        let value = values[index];
        cuts.push(value);
        if values.get(index + 1) == Some(&value) {
            cuts.push(value.next_up());
        }
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    cuts
}

/// The interval of cells that shows the largest loss on the choosing halves, by Wilson's score interval.
fn choose([first, second]: [&Halves; 2], delta: f64) -> (f64, std::ops::Range<usize>) {
    let sums = |halves: &Halves| {
        let sums = halves.choose.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect::<Vec<u64>>()
    };
    let (first, second) = (sums(first), sums(second));
    let last = first.len() - 1;
    let trials = [first[last] as f64, second[last] as f64];
    let mut best = (f64::NEG_INFINITY, 0..0);
    for start in 0..last {
        for end in start + 1..=last {
            let low = wilson((first[end] - first[start]) as f64, trials[0], -CHOICE_DEVIATIONS) - delta;
            let high = wilson((second[end] - second[start]) as f64, trials[1], CHOICE_DEVIATIONS);
            if low > 0.0 && (low / high).ln() > best.0 {
                best = ((low / high).ln(), start..end);
            }
        }
    }
    best
}

/// The end of Wilson's score interval on the side of the sign of `deviations`.
fn wilson(count: f64, trials: f64, deviations: f64) -> f64 {
    let square = deviations * deviations;
    let middle = count + square / 2.0;
    let width = (count * (1.0 - count / trials) + square / 4.0).max(0.0).sqrt();
    (middle + deviations * width) / (trials + square)
}

#[cfg(test)]
impl<'a> Case<'a> {
    /// The same claim of a test double, of which only draws are known.
    pub(crate) fn of_double(self, run: impl Fn(Side, &mut PrivacyRng) -> Vec<f64> + 'a) -> Self {
        Self { run: Box::new(run), stated: None, ..self }
    }

    /// The same mechanism under another claim.
    pub(crate) fn claiming(self, claim: (f64, f64)) -> Self {
        Self { claim, stated: None, ..self }
    }

    /// The layers that fail.
    pub(crate) fn failed(&self) -> Vec<&'static str> {
        let findings = self.audit(&Effort::default());
        findings.into_iter().filter(|finding| !finding.passed).map(|finding| finding.layer).collect()
    }
}
