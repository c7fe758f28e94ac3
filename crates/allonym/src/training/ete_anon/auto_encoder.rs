//! The stage in which the auto-encoder is trained, or one that was trained before.

use super::super::basis::Prepared;
use super::super::parts::Shares;
use super::super::stage::Stage;
use super::settings::EteAnonTraining;
use crate::failure::Failure;
use crate::spending::Accounting;
use allonym_dp::PrivacyRng;
use allonym_ledger::Cost;
use allonym_models::Embeddings;
use allonym_models::ete_anon::{AutoEncoder, Reconstruction};
use allonym_nn::training::TrainingSettings;
use allonym_nn::{Card, Protection};
use allonym_text::{Activity, CancelToken, Document, Observer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the auto-encoder of a directory is that a training left: inside, or the directory itself.
pub(crate) fn trained_in(directory: &Path) -> Result<PathBuf, Failure> {
    let within = directory.join("auto-encoder");
    match [within.as_path(), directory].into_iter().find(|place| place.join("card.toml").is_file()) {
        Some(place) => Ok(place.to_owned()),
        None => Err(Failure::new(
            format!("`{}` has no auto-encoder", directory.display()),
            "name a directory where `train ete-anon` trained one; a run with `--auto-encoder` has none of its own",
        )),
    }
}

/// An auto-encoder before its training.
pub(super) enum Ready {
    /// To be trained.
    New { model: Box<AutoEncoder>, prepared: Box<Prepared>, plan: Box<TrainingSettings>, cost: Cost },
    /// Trained before.
    Trained { model: Box<AutoEncoder>, card: Box<Card>, hash: Option<String> },
}

/// An auto-encoder after it.
pub(super) struct Trained {
    pub(super) model: AutoEncoder,
    pub(super) card: Card,
    pub(super) records: Option<[usize; 3]>,
    pub(super) reconstruction: Option<Reconstruction>,
    pub(super) stopped: bool,
}

impl Ready {
    pub(super) fn prepare(settings: &EteAnonTraining, observer: &dyn Observer) -> Result<Self, Failure> {
        let basis = &settings.basis;
        if let Some(directory) = &settings.auto_encoder {
            let (model, card) = AutoEncoder::open(&trained_in(directory)?)?;
            let hash = crate::evaluation::load::hash(&basis.data);
            return Ok(Self::Trained { model: Box::new(model), card: Box::new(card), hash });
        }
        let preset = settings.preset()?;
        let vocabulary = basis.words(preset.vocabulary)?;
        let vectors = match &settings.embeddings {
            None => None,
            Some(path) => {
                observer.begin(Activity::Reading, "reading word vectors");
                let embeddings = Embeddings::read(path)?;
                let (vectors, _) = match preset.unknown {
                    Some(variance) => embeddings.with_normal(&vocabulary, variance),
                    None => embeddings.for_vocabulary(&vocabulary),
                };
                Some(Arc::new(vectors))
            }
        };
        let mut rng = PrivacyRng::reproducible(basis.seed);
        let model = AutoEncoder::new(settings.network(preset), Arc::new(vocabulary), vectors, &mut rng)?;
        observer.begin(Activity::Reading, "reading texts");
        let prepared = basis.prepare(Shares::USUAL, |text| {
            let mut sequences = model.sequences(&Document::read(text));
            // The price of private training is that of one example of a record.
            sequences.truncate(if basis.private.is_some() { 1 } else { 2 });
            sequences
        })?;
        let plan = settings.plan(preset, prepared.training.len());
        let cost = basis.report_cost(std::slice::from_ref(&plan), prepared.training.len(), observer)?;
        Ok(Self::New { model: Box::new(model), prepared: Box::new(prepared), plan: Box::new(plan), cost })
    }

    pub(super) fn model(&self) -> &AutoEncoder {
        match self {
            Self::New { model, .. } | Self::Trained { model, .. } => model,
        }
    }

    /// The hash of the texts.
    pub(super) fn hash(&self) -> Option<&String> {
        match self {
            Self::New { prepared, .. } => prepared.hash.as_ref(),
            Self::Trained { hash, .. } => hash.as_ref(),
        }
    }

    /// What a record spends on the auto-encoder; an agent learns without noise.
    pub(super) fn cost(&self) -> Cost {
        match self {
            Self::New { cost, .. } => *cost,
            Self::Trained { .. } => Cost::Unbounded,
        }
    }

    pub(super) fn train(
        self,
        settings: &EteAnonTraining,
        accounting: &Accounting,
        observer: &dyn Observer,
        cancel: &CancelToken,
    ) -> Result<Trained, Failure> {
        let basis = &settings.basis;
        let (mut model, prepared, plan) = match self {
            Self::New { model, prepared, plan, .. } => (*model, prepared, plan),
            Self::Trained { model, mut card, .. } => {
                // The agent learns from these texts too, and without noise.
                if !basis.public {
                    card.guarantee = Protection::Unprotected;
                }
                let (records, reconstruction) = (None, None);
                return Ok(Trained { model: *model, card: *card, records, reconstruction, stopped: false });
            }
        };
        let stage = Stage { basis, name: "auto-encoder", plan: &plan, earlier_steps: 0, cancel, accounting };
        let (card, stopped) = stage.train(&mut model, &prepared, observer)?;
        let mut reconstruction = None;
        if !stopped {
            model.save(&basis.out.join("auto-encoder"), &card)?;
            observer.begin(Activity::Measuring, "measuring reconstruction");
            let plain = basis.private.is_none();
            reconstruction = plain.then(|| model.reconstruction(prepared.test.for_owner())).transpose()?;
        }
        Ok(Trained { model, card, records: Some(prepared.records), reconstruction, stopped })
    }
}
