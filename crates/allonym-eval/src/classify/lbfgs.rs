//! Minimising a smooth function without its second derivatives (L-BFGS: Nocedal 1980; Liu and Nocedal 1989).
//!
//! A point is kept together with its image, so that the inner product of two points is the plain product of one with the other's image.
//! Where the image is the point itself this is the textbook method. But weights of half a million features that are sums of fifty thousand
//! rows are better kept as what each row contributes, with the rows' margins as the image: ten times smaller, and a step along a line
//! costs no pass over the data.

use rayon::prelude::*;
use std::collections::VecDeque;

/// Numbers that are summed or changed at once.
const BLOCK: usize = 1 << 14;
/// A step must lower the value by this share of what its slope promises, and leave no more than that share of the slope (Wolfe 1969).
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// Halvings and doublings of a step before the search gives up: the value is then flat to the last digit.
const TRIES: usize = 40;

/// A point or a direction, and its image.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub(crate) point: Vec<f64>,
    pub(crate) image: Vec<f64>,
}

impl Vector {
    /// All zeros.
    pub(crate) fn zero(size: usize) -> Self {
        Self { point: vec![0.0; size], image: vec![0.0; size] }
    }

    fn inner(&self, other: &Self) -> f64 {
        dot(&self.point, &other.image)
    }

    /// Adds another, times a factor.
    fn add(&mut self, factor: f64, other: &Self) {
        add(&mut self.point, factor, &other.point);
        add(&mut self.image, factor, &other.image);
    }

    fn scale(&mut self, factor: f64) {
        self.point.iter_mut().chain(&mut self.image).for_each(|number| *number *= factor);
    }
}

/// The sum of products, block by block, so that it does not depend on how many threads there are.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let sums: Vec<f64> = a
        .par_chunks(BLOCK)
        .zip(b.par_chunks(BLOCK))
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>())
        .collect();
    sums.iter().sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.par_chunks_mut(BLOCK).zip(what.par_chunks(BLOCK)).for_each(|(to, what)| {
        to.iter_mut().zip(what).for_each(|(to, what)| *to += factor * what);
    });
}

/// What is to be minimised.
pub(crate) trait Problem {
    /// The value at a point, and the gradient there as a point (without its image).
    fn value(&self, at: &Vector) -> (f64, Vec<f64>);

    /// The image of a point.
    fn image(&self, point: &[f64]) -> Vec<f64>;
}

/// When to stop, and how much to remember.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The length of the gradient that is short enough, as a share of its length at the start.
    pub(crate) tolerance: f64,
    /// The most steps.
    pub(crate) steps: usize,
    /// Steps that are remembered.
    pub(crate) remembered: usize,
}

/// A remembered step: by how much the point and the gradient changed, and 1 over their inner product.
struct Step {
    moved: Vector,
    bent: Vector,
    inverse: f64,
}

/// Goes downhill from zero and returns where it ends.
pub(crate) fn minimise(problem: &impl Problem, size: usize, limits: Limits) -> Vector {
    let mut at = Vector::zero(size);
    let (mut value, gradient) = problem.value(&at);
    let mut gradient = Vector { image: problem.image(&gradient), point: gradient };
    let short = limits.tolerance * gradient.inner(&gradient).max(0.0).sqrt();
    let mut steps: VecDeque<Step> = VecDeque::new();
    for _ in 0..limits.steps {
        let length = gradient.inner(&gradient).max(0.0).sqrt();
        if length <= short {
            break;
        }
        let mut direction = downhill(&gradient, &steps);
        if steps.is_empty() {
            // Nothing is known of the scale yet: a step of length 1 at most.
            direction.scale(1.0 / length.max(1.0));
        }
        let Some((step, new_value, new_gradient)) = search(problem, &at, value, &gradient, &direction) else { break };
        at.add(step, &direction);
        let new_gradient = Vector { image: problem.image(&new_gradient), point: new_gradient };
        let mut bent = new_gradient.clone();
        bent.add(-1.0, &gradient);
        direction.scale(step);
        let curvature = bent.inner(&direction);
        if curvature > 0.0 {
            if steps.len() == limits.remembered {
                steps.pop_front();
            }
            steps.push_back(Step { moved: direction, bent, inverse: 1.0 / curvature });
        }
        (value, gradient) = (new_value, new_gradient);
    }
    at
}

/// The gradient, turned around and bent by what is remembered of the curvature.
fn downhill(gradient: &Vector, steps: &VecDeque<Step>) -> Vector {
    let mut direction = gradient.clone();
    let mut shares = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let share = step.inverse * step.moved.inner(&direction);
        direction.add(-share, &step.bent);
        shares.push(share);
    }
    if let Some(last) = steps.back() {
        direction.scale(1.0 / (last.inverse * last.bent.inner(&last.bent)));
    }
    for (step, share) in steps.iter().zip(shares.iter().rev()) {
        let other = step.inverse * step.bent.inner(&direction);
        direction.add(share - other, &step.moved);
    }
    direction.scale(-1.0);
    direction
}

/// A step along a direction that meets both of Wolfe's conditions, by halving and doubling; the value and gradient there.
fn search(
    problem: &impl Problem,
    at: &Vector,
    value: f64,
    gradient: &Vector,
    direction: &Vector,
) -> Option<(f64, f64, Vec<f64>)> {
    let slope = gradient.inner(direction);
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, 1.0);
    let mut trial = at.clone();
    let mut now = 0.0;
    for _ in 0..TRIES {
        trial.add(step - now, direction);
        now = step;
        let (new_value, new_gradient) = problem.value(&trial);
        if new_value.is_nan() || new_value > value + DECREASE * step * slope {
            high = step;
        } else if dot(&new_gradient, &direction.image) < CURVATURE * slope {
            low = step;
        } else {
            return Some((step, new_value, new_gradient));
        }
        step = if high.is_finite() { f64::midpoint(low, high) } else { 2.0 * low };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (x - 1)^2 + 100 (y - x^2)^2: a bent valley with its lowest point at (1, 1) (Rosenbrock 1960).
    struct Valley;

    impl Problem for Valley {
        fn value(&self, at: &Vector) -> (f64, Vec<f64>) {
            let (x, y) = (at.point[0], at.point[1]);
            let off = y - x * x;
            ((x - 1.0).powi(2) + 100.0 * off * off, vec![2.0 * (x - 1.0) - 400.0 * x * off, 200.0 * off])
        }

        fn image(&self, point: &[f64]) -> Vec<f64> {
            point.to_vec()
        }
    }

    /// x^2 + y^2 / 2 - x - y in the inner product 4 x x' + y y': the gradient as a point is (dx / 4, dy).
    struct Stretched;

    impl Problem for Stretched {
        fn value(&self, at: &Vector) -> (f64, Vec<f64>) {
            let (x, y) = (at.point[0], at.point[1]);
            (x * x + y * y / 2.0 - x - y, vec![(2.0 * x - 1.0) / 4.0, y - 1.0])
        }

        fn image(&self, point: &[f64]) -> Vec<f64> {
            vec![4.0 * point[0], point[1]]
        }
    }

    const LIMITS: Limits = Limits { tolerance: 1e-8, steps: 200, remembered: 5 };

    #[test]
    fn the_lowest_point_of_a_bent_valley_is_found() {
        let found = minimise(&Valley, 2, LIMITS);
        assert!(found.point.iter().all(|number| (number - 1.0).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn the_lowest_point_does_not_depend_on_the_inner_product() {
        // By hand: 2 x = 1 and y = 1.
        let found = minimise(&Stretched, 2, LIMITS);
        assert!((found.point[0] - 0.5).abs() < 1e-7 && (found.point[1] - 1.0).abs() < 1e-7, "{found:?}");
        assert!((found.image[0] - 2.0).abs() < 1e-6, "the image goes along");
    }
}
