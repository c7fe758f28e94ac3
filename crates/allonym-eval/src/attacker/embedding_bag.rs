//! A vector for every feature, their weighted sum, and a softmax: forward, backward and training.

use crate::features::{Row, Sparse};
use allonym_dp::PrivacyRng;
use allonym_nn::sparse::gather;
use rayon::prelude::*;

/// Settings of the training.
#[derive(Clone, Copy, Debug)]
pub(super) struct BagSettings {
    /// Numbers of a vector, a multiple of eight.
    pub(super) size: usize,
    /// The step of Adam; a large one, because a mean of hundreds of vectors moves little when each of them does.
    pub(super) step: f32,
    /// Texts of a step.
    pub(super) batch: usize,
    /// The share of the sums' numbers that a text is trained without.
    pub(super) dropout: f64,
    /// The most rounds over all texts.
    pub(super) rounds: usize,
    /// Rounds without gain on the held-out tenth after which training ends.
    pub(super) patience: usize,
}

impl BagSettings {
    pub(super) const DEFAULT: Self = Self { size: 64, step: 0.05, batch: 128, dropout: 0.5, rounds: 40, patience: 3 };
}

/// Features that a thread updates together.
const BLOCK: usize = 1024;

/// The parameters.
#[derive(Clone)]
pub(super) struct Bag {
    size: usize,
    vectors: Vec<f32>,
    /// For each class a vector, and its offset at the end.
    classes: Vec<f32>,
}

/// The running means of gradients and of their squares (Kingma and Ba 2015).
#[derive(Clone)]
struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
}

/// What a text's gradient is made of.
struct Backward {
    /// Of the sum of vectors.
    sum: Vec<f32>,
    /// Of each class's score.
    scores: Vec<f32>,
    /// The sum as the classes saw it.
    seen: Vec<f32>,
}

impl Bag {
    /// Learns from rows and their classes.
    pub(super) fn fit(settings: BagSettings, rows: &Sparse, labels: &[u32], classes: usize) -> Self {
        let size = settings.size;
        let mut rng = PrivacyRng::reproducible(0);
        // Uniform between -1/2 and 1/2: a mean of hundreds of vectors then begins small, and no class with an opinion.
        let vectors = (0..rows.width() * size).map(|_| (rng.bits() >> 40) as f32 / (1 << 24) as f32 - 0.5).collect();
        let mut bag = Self { size, vectors, classes: vec![0.0; classes * (size + 1)] };
        let mut order: Vec<usize> = (0..rows.rows()).collect();
        rng.shuffle(&mut order);
        let held_out = order.split_off(order.len() - order.len() / 10);
        let mut adams = [Adam::new(bag.vectors.len()), Adam::new(bag.classes.len())];
        let (mut best, mut best_loss, mut waited, mut steps) = (bag.clone(), f64::INFINITY, 0, 0);
        for _ in 0..settings.rounds {
            rng.shuffle(&mut order);
            for batch in order.chunks(settings.batch) {
                steps += 1;
                let masks: Vec<Vec<f32>> = batch.iter().map(|_| mask(size, settings.dropout, &mut rng)).collect();
                bag.step(settings.step, steps, rows, labels, batch, &masks, &mut adams);
            }
            // Too few texts to hold any out: all rounds are run.
            let loss = if held_out.is_empty() { -f64::from(steps) } else { bag.loss(rows, labels, &held_out) };
            if loss < best_loss {
                (best, best_loss, waited) = (bag.clone(), loss, 0);
            } else {
                waited += 1;
                if waited >= settings.patience {
                    break;
                }
            }
        }
        best
    }

    /// The logarithm of the probability of every class, for every row.
    pub(super) fn scores(&self, rows: &Sparse) -> Vec<Vec<f32>> {
        let score = |row| {
            let mut scores = self.decide(&self.sum(rows.row(row)));
            let whole = softmax(&mut scores.clone());
            scores.iter_mut().for_each(|score| *score -= whole);
            scores
        };
        (0..rows.rows()).into_par_iter().map(score).collect()
    }

    fn sum(&self, row: Row<'_>) -> Vec<f32> {
        let mut sum = vec![0.0; self.size];
        gather(row.columns, row.values, &self.vectors, self.size, &mut sum);
        sum
    }

    fn decide(&self, sum: &[f32]) -> Vec<f32> {
        let class = |class: &[f32]| class[self.size] + class.iter().zip(sum).map(|(a, b)| a * b).sum::<f32>();
        self.classes.chunks_exact(self.size + 1).map(class).collect()
    }

    /// The mean loss of some rows.
    fn loss(&self, rows: &Sparse, labels: &[u32], some: &[usize]) -> f64 {
        let loss = |row: &usize| {
            let scores = self.decide(&self.sum(rows.row(*row)));
            f64::from(softmax(&mut scores.clone()) - scores[labels[*row] as usize])
        };
        some.par_iter().map(loss).collect::<Vec<f64>>().iter().sum::<f64>() / some.len() as f64
    }

    fn backward(&self, row: Row<'_>, label: u32, mask: &[f32]) -> Backward {
        let mut seen = self.sum(row);
        seen.iter_mut().zip(mask).for_each(|(number, mask)| *number *= mask);
        let mut scores = self.decide(&seen);
        softmax(&mut scores);
        scores[label as usize] -= 1.0;
        let mut sum = vec![0.0; self.size];
        for (class, score) in self.classes.chunks_exact(self.size + 1).zip(&scores) {
            sum.iter_mut().zip(class).for_each(|(sum, weight)| *sum += score * weight);
        }
        sum.iter_mut().zip(mask).for_each(|(number, mask)| *number *= mask);
        Backward { sum, scores, seen }
    }

    /// One step of Adam. Of the vectors only those of the batch's features move: the means of the others wait.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &mut self,
        step: f32,
        steps: i32,
        rows: &Sparse,
        labels: &[u32],
        batch: &[usize],
        masks: &[Vec<f32>],
        [of_vectors, of_classes]: &mut [Adam; 2],
    ) {
        let backward = |(row, mask): (&usize, &Vec<f32>)| self.backward(rows.row(*row), labels[*row], mask);
        let backwards: Vec<Backward> = batch.par_iter().zip(masks).map(backward).collect();
        let (size, share) = (self.size, 1.0 / batch.len() as f32);
        // Each thread has features of its own, and adds up texts in order: the same sums whatever the number of threads.
        let blocks = self.vectors.par_chunks_mut(BLOCK * size);
        let moments =
            of_vectors.means.par_chunks_mut(BLOCK * size).zip(of_vectors.squares.par_chunks_mut(BLOCK * size));
        blocks.zip(moments).enumerate().for_each_init(
            || (vec![0.0_f32; BLOCK * size], vec![false; BLOCK]),
            |(gradient, touched), (block, (vectors, (means, squares)))| {
                let first = (block * BLOCK) as u32;
                for (row, backward) in batch.iter().zip(&backwards) {
                    let row = rows.row(*row);
                    let from = row.columns.partition_point(|column| *column < first);
                    let to = from + row.columns[from..].partition_point(|column| *column < first + BLOCK as u32);
                    for (column, value) in row.columns[from..to].iter().zip(&row.values[from..to]) {
                        let place = (column - first) as usize;
                        touched[place] = true;
                        let gradient = &mut gradient[place * size..][..size];
                        gradient.iter_mut().zip(&backward.sum).for_each(|(sum, number)| *sum += value * share * number);
                    }
                }
                for place in (0..BLOCK).filter(|place| touched[*place]) {
                    let range = place * size..(place + 1) * size;
                    let gradient = &mut gradient[range.clone()];
                    adam(
                        step,
                        steps,
                        gradient,
                        &mut means[range.clone()],
                        &mut squares[range.clone()],
                        &mut vectors[range],
                    );
                    gradient.fill(0.0);
                }
                touched.fill(false);
            },
        );
        let mut gradient = vec![0.0; self.classes.len()];
        for backward in &backwards {
            for (gradient, score) in gradient.chunks_exact_mut(size + 1).zip(&backward.scores) {
                gradient.iter_mut().zip(&backward.seen).for_each(|(sum, seen)| *sum += score * share * seen);
                gradient[size] += score * share;
            }
        }
        adam(step, steps, &gradient, &mut of_classes.means, &mut of_classes.squares, &mut self.classes);
    }
}

impl Adam {
    fn new(count: usize) -> Self {
        Self { means: vec![0.0; count], squares: vec![0.0; count] }
    }
}

fn adam(step: f32, steps: i32, gradient: &[f32], means: &mut [f32], squares: &mut [f32], parameters: &mut [f32]) {
    let (early_mean, early_square) = (1.0 / (1.0 - 0.9_f32.powi(steps)), 1.0 / (1.0 - 0.999_f32.powi(steps)));
    let moments = means.iter_mut().zip(squares);
    for ((parameter, gradient), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments) {
        *mean += 0.1 * (gradient - *mean);
        *square += 0.001 * (gradient * gradient - *square);
        *parameter -= step * *mean * early_mean / ((*square * early_square).sqrt() + 1e-8);
    }
}

/// Scores become probabilities; returns the logarithm of what they were divided by.
fn softmax(scores: &mut [f32]) -> f32 {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    most + sum.ln()
}

/// 0 for the numbers that are dropped; what is left is scaled up, so that the mean stays.
fn mask(size: usize, dropout: f64, rng: &mut PrivacyRng) -> Vec<f32> {
    let kept = (1.0 / (1.0 - dropout)) as f32;
    let limit = (dropout * 65536.0) as u64;
    let mut mask = Vec::with_capacity(size + 3);
    while mask.len() < size {
        let bits = rng.bits();
        mask.extend((0..4).map(|part| if (bits >> (16 * part)) & 0xffff < limit { 0.0 } else { kept }));
    }
    mask.truncate(size);
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_by_hand() {
        let mut scores = [0.0, 3.0_f32.ln()];
        assert!((softmax(&mut scores) - 4.0_f32.ln()).abs() < 1e-6); // ln(1 + 3)
        assert!((scores[0] - 0.25).abs() < 1e-6 && (scores[1] - 0.75).abs() < 1e-6);
    }

    #[test]
    fn the_first_step_of_adam_is_as_long_as_the_step() {
        // mean 0.1 g and square 0.001 g^2, both corrected for the first step: g / |g|.
        let (mut means, mut squares, mut parameters) = ([0.0; 2], [0.0; 2], [1.0, 1.0]);
        adam(0.1, 1, &[4.0, -0.5], &mut means, &mut squares, &mut parameters);
        assert!((parameters[0] - 0.9).abs() < 1e-5 && (parameters[1] - 1.1).abs() < 1e-5);
    }

    #[test]
    fn gradients_are_what_differences_say() {
        let mut rows = Sparse::new(3);
        rows.push([(0, 0.5), (2, 0.5)]);
        let mut rng = PrivacyRng::reproducible(3);
        let mut numbers = |count| (0..count).map(|_| rng.below(1000) as f32 / 500.0 - 1.0).collect::<Vec<_>>();
        let bag = Bag { size: 8, vectors: numbers(24), classes: numbers(27) };
        let backward = bag.backward(rows.row(0), 1, &[1.0; 8]);
        for place in 0..8 {
            let loss = |change: f32| {
                let mut bag = bag.clone();
                bag.vectors[16 + place] += change;
                bag.loss(&rows, &[1], &[0])
            };
            // The third feature has the value 1/2.
            let difference = (loss(0.01) - loss(-0.01)) / 0.02;
            assert!((difference - 0.5 * f64::from(backward.sum[place])).abs() < 1e-3);
        }
    }

    #[test]
    fn half_of_the_numbers_are_dropped_and_the_others_doubled() {
        let mask = mask(6400, 0.5, &mut PrivacyRng::reproducible(1));
        let dropped = mask.iter().filter(|number| **number == 0.0).count();
        // 3200 with a deviation of 40.
        assert!((3000..3400).contains(&dropped) && mask.iter().all(|number| *number == 0.0 || *number == 2.0));
    }
}
