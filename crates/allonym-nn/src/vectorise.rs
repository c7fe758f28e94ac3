//! Loops over numbers, compiled once for each generation of processors and chosen at run time.

/// Defines a function whose body is compiled for AVX-512, for AVX2, and for any processor; the best that the machine has
/// is called. The body must consist of plain loops: the compiler turns them into vector instructions.
macro_rules! vectorised {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident<$T:ident>($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$meta])*
        #[allow(unsafe_code, reason = "instructions are used only where the processor was asked for them")]
        #[allow(clippy::too_many_arguments, reason = "the arrays of a loop")]
        $visibility fn $name<$T: $crate::real::Real>($($argument: $kind),*) $(-> $result)? {
            #[inline(always)]
            fn plain<$T: $crate::real::Real>($($argument: $kind),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2<$T: $crate::real::Real>($($argument: $kind),*) $(-> $result)? {
                    plain($($argument),*)
                }

                #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
                fn avx512<$T: $crate::real::Real>($($argument: $kind),*) $(-> $result)? {
                    plain($($argument),*)
                }

                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                {
                    // SAFETY: the processor has these instructions.
                    return unsafe { avx512($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has these instructions.
                    return unsafe { avx2($($argument),*) };
                }
            }
            plain($($argument),*)
        }
    };
}

pub(crate) use vectorised;

vectorised! {
    /// Adds one array, times a factor, to another.
    pub fn add_scaled<T>(out: &mut [T], factor: T, values: &[T]) {
        for (out, value) in out.iter_mut().zip(values) {
            *out += factor * *value;
        }
    }
}

vectorised! {
    /// The sum of products of two arrays.
    pub fn dot<T>(left: &[T], right: &[T]) -> T {
        // Eight sums side by side: one alone could not be computed in vectors, since the order of additions is fixed.
        let (left_parts, right_parts) = (left.chunks_exact(8), right.chunks_exact(8));
        let (left_rest, right_rest) = (left_parts.remainder(), right_parts.remainder());
        let mut sums = [T::ZERO; 8];
        for (a, b) in left_parts.zip(right_parts) {
            for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
                *sum += *a * *b;
            }
        }
        let rest: T = left_rest.iter().zip(right_rest).map(|(a, b)| *a * *b).sum();
        sums.into_iter().sum::<T>() + rest
    }
}

vectorised! {
    /// The largest number; what is none does not count.
    pub fn largest<T>(values: &[T]) -> T {
        let least = T::of(f64::NEG_INFINITY);
        let (parts, mut sides) = (values.chunks_exact(16), [least; 16]);
        let rest = parts.remainder();
        for part in parts {
            for (side, value) in sides.iter_mut().zip(part) {
                *side = side.max(*value);
            }
        }
        sides.iter().chain(rest).fold(least, |largest, value| largest.max(*value))
    }
}

vectorised! {
    /// Replaces numbers by the exponentials of their distances from the largest, and returns their sum.
    pub(crate) fn exponentiate<T>(values: &mut [T], largest: T) -> T {
        let mut sides = [T::ZERO; 16];
        let mut parts = values.chunks_exact_mut(16);
        for part in &mut parts {
            for (side, value) in sides.iter_mut().zip(part) {
                *value = (*value - largest).exp();
                *side += *value;
            }
        }
        let mut sum: T = sides.into_iter().sum();
        for value in parts.into_remainder() {
            *value = (*value - largest).exp();
            sum += *value;
        }
        sum
    }
}

vectorised! {
    /// Multiplies every number with a factor.
    pub(crate) fn scale<T>(values: &mut [T], factor: T) {
        for value in values {
            *value *= factor;
        }
    }
}

/// Turns scores into weights that add up to 1.
pub fn softmax<T: crate::real::Real>(values: &mut [T]) {
    let sum = exponentiate(values, largest(values));
    scale(values, T::ONE / sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_length_are_added_and_multiplied() {
        for len in [0, 1, 7, 8, 9, 100] {
            let values: Vec<f32> = (0..len).map(|i| i as f32).collect();
            let mut out = values.clone();
            add_scaled(&mut out, 2.0, &values);
            assert!(out.iter().zip(&values).all(|(out, value)| *out == 3.0 * value));
            let expected: f32 = values.iter().map(|v| v * v).sum();
            assert_eq!(dot(&values, &values), expected);
        }
    }
}
