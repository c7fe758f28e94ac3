//! The dual problem of two classes, two variables at a time: the pair that promises the largest decrease to second order (Fan, Chen and
//! Lin 2005).

use super::kernel::Cache;

/// Stands for a curvature that rounding has made zero or less.
const LEAST_CURVATURE: f64 = 1e-12;

/// What was found for two classes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solution {
    /// For each row its variable, with the sign of its class.
    pub(super) coefficients: Vec<f64>,
    pub(super) offset: f64,
}

/// Solves the problem of rows with signs, whose kernel with themselves is 1.
pub(super) fn solve<Compute: FnMut(usize) -> Vec<f32>>(
    signs: &[f64],
    kernel: &mut Cache<Compute>,
    cost: f64,
    tolerance: f64,
    most_steps: usize,
) -> Solution {
    let mut variables = vec![0.0_f64; signs.len()];
    // By how much the own sign is above what the other rows say of it: what would be the offset if the row stood on the margin.
    let mut gaps = signs.to_vec();
    let mut offset = 0.0;
    for _ in 0..=most_steps {
        let rises = |at: usize| if signs[at] > 0.0 { variables[at] < cost } else { variables[at] > 0.0 };
        let falls = |at: usize| if signs[at] > 0.0 { variables[at] > 0.0 } else { variables[at] < cost };
        let (mut highest, mut up) = (f64::NEG_INFINITY, None);
        let mut lowest = f64::INFINITY;
        for (at, gap) in gaps.iter().enumerate() {
            if rises(at) && *gap > highest {
                (highest, up) = (*gap, Some(at));
            }
            if falls(at) && *gap < lowest {
                lowest = *gap;
            }
        }
        offset = f64::midpoint(highest, lowest);
        let Some(up) = up.filter(|_| highest - lowest > tolerance) else { break };
        let of_up = kernel.row(up);
        let curvature = |at: usize| (2.0 - 2.0 * f64::from(of_up[at])).max(LEAST_CURVATURE);
        let (mut best, mut down) = (0.0, None);
        for (at, gap) in gaps.iter().enumerate() {
            let gap = highest - gap;
            if gap > 0.0 && falls(at) {
                let promised = gap * gap / curvature(at);
                if promised > best {
                    (best, down) = (promised, Some(at));
                }
            }
        }
        let Some(down) = down else { break };
        let room_up = if signs[up] > 0.0 { cost - variables[up] } else { variables[up] };
        let room_down = if signs[down] > 0.0 { variables[down] } else { cost - variables[down] };
        let step = ((highest - gaps[down]) / curvature(down)).min(room_up).min(room_down);
        let of_down = kernel.row(down);
        for ((gap, up), down) in gaps.iter_mut().zip(of_up.iter()).zip(of_down.iter()) {
            *gap -= step * f64::from(up - down);
        }
        variables[up] = moved(variables[up], signs[up] * step, cost);
        variables[down] = moved(variables[down], -signs[down] * step, cost);
    }
    // Rows on the margin know the offset best.
    let (mut sum, mut free) = (0.0, 0.0);
    for (variable, gap) in variables.iter().zip(&gaps) {
        if *variable > 0.0 && *variable < cost {
            sum += gap;
            free += 1.0;
        }
    }
    let coefficients = variables.iter().zip(signs).map(|(variable, sign)| variable * sign).collect();
    Solution { coefficients, offset: if free > 0.0 { sum / free } else { offset } }
}

/// A variable that goes to an end of its range stands there exactly.
fn moved(variable: f64, by: f64, cost: f64) -> f64 {
    let new = variable + by;
    let near = 1e-12 * cost;
    match new {
        new if new < near => 0.0,
        new if new > cost - near => cost,
        new => new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(kernel: &'static [&'static [f32]], signs: &[f64], cost: f64) -> Solution {
        let mut cache = Cache::new(signs.len(), 1 << 20, |place| kernel[place].to_vec());
        solve(signs, &mut cache, cost, 1e-9, 10_000)
    }

    #[test]
    fn two_rows_by_hand() {
        // Both variables are a: minimise a^2 (1 - k) - 2 a, so a = 1 / (1 - k) = 2 for k = 1/2, or the cost if that is less.
        let found = solved(&[&[1.0, 0.5], &[0.5, 1.0]], &[1.0, -1.0], 10.0);
        assert!((found.coefficients[0] - 2.0).abs() < 1e-9 && (found.coefficients[1] + 2.0).abs() < 1e-9);
        assert!(found.offset.abs() < 1e-9);
        let cut = solved(&[&[1.0, 0.5], &[0.5, 1.0]], &[1.0, -1.0], 1.0);
        assert_eq!(cut, Solution { coefficients: vec![1.0, -1.0], offset: 0.0 });
    }

    #[test]
    fn rows_on_the_margin_are_at_distance_one() {
        let kernel: &[&[f32]] =
            &[&[1.0, 0.6, 0.3, 0.1], &[0.6, 1.0, 0.5, 0.2], &[0.3, 0.5, 1.0, 0.7], &[0.1, 0.2, 0.7, 1.0]];
        let signs = [1.0, 1.0, -1.0, -1.0];
        let found = solved(kernel, &signs, 100.0);
        assert!(found.coefficients.iter().sum::<f64>().abs() < 1e-9);
        for row in 0..4 {
            let says: f64 = (0..4).map(|other| found.coefficients[other] * f64::from(kernel[row][other])).sum();
            let margin = signs[row] * (says + found.offset);
            let free = found.coefficients[row].abs() > 0.0;
            assert!(if free { (margin - 1.0).abs() < 1e-6 } else { margin > 1.0 - 1e-6 }, "{row}: {margin}");
        }
    }
}
