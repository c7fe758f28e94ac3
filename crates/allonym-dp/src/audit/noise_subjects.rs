//! The mechanisms on vectors and counts, at the settings at which they are audited.
//!
//! Few coordinates and a large delta: a bug shows most clearly where events are frequent.

use super::{Auditable, Effort, Finding};
use crate::counts::LargeCounts;
use crate::error::DpError;
use crate::histogram::Shares;
use crate::latent::{Latent, Noise};
use crate::presence::Presence;
use crate::vector_noise::{Norm, VectorNoise, Vectors};

/// Makes a subject at several settings.
type Build = fn() -> Result<Vec<Box<dyn Auditable>>, DpError>;

/// A mechanism that is audited by name.
#[derive(Clone, Copy, Debug)]
pub struct NoiseSubject {
    /// Its name; a release method has the same name where there is one.
    pub name: &'static str,
    build: Build,
}

impl NoiseSubject {
    /// Audits it at all its settings.
    ///
    /// # Errors
    /// None for the settings of [`NOISE_SUBJECTS`], which are valid.
    pub fn audit(&self, effort: &Effort) -> Result<Vec<Finding>, DpError> {
        Ok((self.build)()?.iter().flat_map(|mechanism| mechanism.audit(effort)).collect())
    }
}

/// Every mechanism on vectors and counts.
pub const NOISE_SUBJECTS: &[NoiseSubject] = &[
    NoiseSubject {
        name: "latent-laplace",
        build: || {
            latents(&[
                (1, 0.5, Noise::LaplaceL1),
                (2, 2.0, Noise::LaplaceL1),
                (4, 2.0, Noise::LaplaceL2),
                (1, 0.5, Noise::LaplaceRadial),
                (2, 2.0, Noise::LaplaceRadial),
            ])
        },
    },
    NoiseSubject {
        name: "latent-gaussian",
        build: || {
            latents(&[
                (1, 0.5, Noise::Gaussian { delta: 0.01 }),
                (1, 2.0, Noise::Gaussian { delta: 1e-5 }),
                (3, 2.0, Noise::Gaussian { delta: 0.01 }),
            ])
        },
    },
    NoiseSubject { name: "metric-noise", build: || vector_noise(Norm::Euclidean) },
    NoiseSubject { name: "metric-mahalanobis", build: || vector_noise(Norm::Mahalanobis { lambda: 0.5 }) },
    NoiseSubject {
        name: "counts",
        build: || Ok(vec![Box::new(LargeCounts::new(0.5, 0.01, 1, 1)?), Box::new(LargeCounts::new(2.0, 0.01, 2, 3)?)]),
    },
    NoiseSubject { name: "histogram", build: || Ok(vec![Box::new(Shares::new(0.5)?), Box::new(Shares::new(2.0)?)]) },
    NoiseSubject { name: "presence", build: || Ok(vec![Box::new(Presence::new(0.7)?), Box::new(Presence::new(3.0)?)]) },
];

/// Finds a mechanism by its name.
pub fn noise_subject(name: &str) -> Option<&'static NoiseSubject> {
    NOISE_SUBJECTS.iter().find(|subject| subject.name == name)
}

/// Audits all of them.
///
/// # Errors
/// None: the settings are valid.
pub fn audit_noise(effort: &Effort) -> Result<Vec<Finding>, DpError> {
    let findings: Result<Vec<Vec<Finding>>, DpError> =
        NOISE_SUBJECTS.iter().map(|subject| subject.audit(effort)).collect();
    Ok(findings?.concat())
}

fn latents(settings: &[(usize, f64, Noise)]) -> Result<Vec<Box<dyn Auditable>>, DpError> {
    let latent = |(dimension, epsilon, noise): &(usize, f64, Noise)| -> Result<Box<dyn Auditable>, DpError> {
        Ok(Box::new(Latent::new(*dimension, 1.0, *epsilon, *noise)?))
    };
    settings.iter().map(latent).collect()
}

/// Words on a line, and words in a plane that are spread more along one axis than along the other.
fn vector_noise(norm: Norm) -> Result<Vec<Box<dyn Auditable>>, DpError> {
    let line = Vectors::new(1, vec![0.0, 1.0, 2.5, 6.0])?;
    let plane = Vectors::new(2, vec![0.0, 0.0, 0.0, 1.0, 4.0, 0.0, -4.0, 0.0, 0.0, -3.0])?;
    Ok(vec![Box::new(VectorNoise::new(line, 1.0, norm)?), Box::new(VectorNoise::new(plane, 2.0, norm)?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mechanism_passes_and_comes_close_to_its_claim() {
        for subject in NOISE_SUBJECTS {
            let findings = subject.audit(&Effort::default()).unwrap();
            assert!(findings.iter().all(|finding| finding.passed), "{findings:#?}");
            // Bounds at a delta are converted from concentrated ones, and are less tight.
            let share = |finding: &Finding| if finding.delta > 0.0 { 0.6 } else { 0.8 };
            let close =
                |finding: &Finding| finding.layer != "sampler" && finding.found > share(finding) * finding.claim;
            assert!(findings.iter().any(close), "{} is audited where it is tight: {findings:#?}", subject.name);
        }
    }

    #[test]
    fn names_are_found() {
        assert_eq!(noise_subject("presence").map(|subject| subject.name), Some("presence"));
        assert!(noise_subject("fluent").is_none());
    }
}
