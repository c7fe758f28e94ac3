//! `allonym budget latent-laplace` and `latent-gaussian`: what noise on a whole text's vector costs, whatever its length.

use super::{print, print_json};
use allonym::Failure;
use allonym::dp::latent::{Latent, Noise};
use clap::{Args, ValueEnum};
use serde::Serialize;

/// The price of Laplace noise on a text's latent vector (ADePT, with the sensitivity that it needs)
#[derive(Debug, Args)]
pub(super) struct Laplace {
    /// How vectors are clipped and noised
    #[arg(long, value_enum, default_value_t = Shape::Radial)]
    noise: Shape,

    #[command(flatten)]
    vector: Vector,
}

/// The price of discrete Gaussian noise on a text's latent vector, clipped in the L2 norm
#[derive(Debug, Args)]
pub(super) struct Gaussian {
    /// The probability with which the loss may be larger
    #[arg(long, value_name = "D")]
    delta: f64,

    #[command(flatten)]
    vector: Vector,
}

#[derive(Debug, Args)]
struct Vector {
    /// The loss of a whole text
    #[arg(long, value_name = "E")]
    epsilon: f64,

    /// Coordinates of the vector
    #[arg(long, value_name = "N")]
    dimension: usize,

    /// The bound of the vector's norm
    #[arg(long, default_value_t = 1.0, value_name = "C")]
    clip: f64,

    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shape {
    /// L2 clipping; the noise falls with its L2 norm
    Radial,
    /// L1 clipping; each coordinate for itself
    L1,
    /// L2 clipping; each coordinate for itself, as in the paper, at sqrt(dimension) times its scale
    L2,
}

#[derive(Serialize)]
struct Price {
    mechanism: &'static str,
    noise: &'static str,
    dimension: usize,
    clip: f64,
    epsilon_total: f64,
    delta: f64,
    scale: f64,
    /// The square root of the mean squared length of the noise.
    noise_length: f64,
    /// What ADePT would print for this noise; it forgets the root of the dimension.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_epsilon_total: Option<f64>,
    /// What ADePT's own noise truly costs where it prints the epsilon that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_true_epsilon: Option<f64>,
    #[serde(skip)]
    asked: f64,
}

impl Laplace {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (noise, name) = match self.noise {
            Shape::Radial => (Noise::LaplaceRadial, "radial after L2 clipping"),
            Shape::L1 => (Noise::LaplaceL1, "each coordinate after L1 clipping"),
            Shape::L2 => (Noise::LaplaceL2, "each coordinate after L2 clipping"),
        };
        self.vector.run("latent-laplace", noise, name)
    }
}

impl Gaussian {
    pub(super) fn run(self) -> Result<(), Failure> {
        let noise = Noise::Gaussian { delta: self.delta };
        self.vector.run("latent-gaussian", noise, "each coordinate after L2 clipping")
    }
}

impl Vector {
    fn run(self, mechanism: &'static str, noise: Noise, name: &'static str) -> Result<(), Failure> {
        let latent = Latent::new(self.dimension, self.clip, self.epsilon, noise)?;
        let (epsilon_total, delta) = latent.loss()?;
        let price = Price {
            mechanism,
            noise: name,
            dimension: self.dimension,
            clip: self.clip,
            epsilon_total,
            delta,
            scale: latent.scale(),
            noise_length: latent.noise_length(),
            paper_epsilon_total: latent.paper_epsilon(),
            paper_true_epsilon: (mechanism == "latent-laplace")
                .then(|| Latent::true_epsilon_of_paper(self.epsilon, self.dimension)),
            asked: self.epsilon,
        };
        if self.json { print_json(&price) } else { print(&price.to_string()) }
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "`{}` on vectors of {} numbers, {}", self.mechanism, self.dimension, self.noise)?;
        writeln!(f, "  epsilon {:.4} for a whole text of any length, delta {}", self.epsilon_total, self.delta)?;
        if let Some(paper) = self.paper_epsilon_total {
            writeln!(f, "  its paper would print {paper:.4}")?;
        }
        if let Some(truly) = self.paper_true_epsilon {
            writeln!(f, "  ADePT's own noise costs {truly:.4} where it prints {}", self.asked)?;
        }
        writeln!(
            f,
            "  scale {:.4}; noise of length {:.2} on vectors of length {}",
            self.scale, self.noise_length, self.clip
        )?;
        writeln!(f, "  holds if the decoder sees the noised vector alone")?;
        if self.epsilon_total > 20.0 {
            writeln!(f, "  a total above 20 promises nothing in the worst case: rely on measured attacks")?;
        }
        Ok(())
    }
}
