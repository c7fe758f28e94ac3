//! What a release still says.

use super::plan::Plan;
use crate::failure::Failure;
use allonym_eval::measure::Interval;
use allonym_eval::report::{Similarity, Utility};
use allonym_eval::utility::{WordModel, bleu, similarities, words_kept};
use allonym_nn::encoder::SentenceEncoder;
use allonym_text::{Activity, CancelToken, Event, Observer, Progress, Stage, Unit};

/// Compares originals and releases; the label is compared elsewhere.
pub(super) fn utility(
    plan: &Plan,
    (encoder, name): (&dyn SentenceEncoder, &str),
    original: &[&str],
    released: &[&str],
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Utility, Failure> {
    observer.begin(Activity::Measuring, "comparing words");
    cancel.check()?;
    let words = words_kept(original, released);
    let mut utility = Utility {
        bleu: bleu(original, released),
        content_words_kept: words.content_share(),
        length_ratio: words.length_ratio(),
        words,
        ..Utility::default()
    };
    observer.begin(Activity::Measuring, "comparing meaning");
    cancel.check()?;
    utility.similarity = similarity(plan.seed, (encoder, name), original, released, observer, cancel)?;
    if let Some(path) = &plan.public_text {
        observer.begin(Activity::Measuring, "judging fluency");
        cancel.check()?;
        let public = std::fs::read_to_string(path).map_err(|error| Failure::reading("public text", path, &error))?;
        let model = WordModel::fit(&public.lines().collect::<Vec<_>>())?;
        (utility.fluency_original, utility.fluency_released) = (model.judge(original), model.judge(released));
    }
    Ok(utility)
}

fn similarity(
    seed: u64,
    (encoder, name): (&dyn SentenceEncoder, &str),
    original: &[&str],
    released: &[&str],
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Option<Similarity>, Failure> {
    let stage = Stage { activity: Activity::Measuring, label: "comparing meaning" };
    let found = similarities(encoder, original, released, |done| {
        observer.event(&Event::Progress(Progress {
            stage,
            done: done as u64,
            total: Some(original.len() as u64),
            unit: Unit::Records,
            records: None,
            training: None,
        }));
        cancel.check()
    })?;
    // Originals that have nothing to do with each other: in a random order, each with the next.
    let mut order: Vec<usize> = (0..original.len()).collect();
    allonym_dp::PrivacyRng::reproducible(seed).shuffle(&mut order);
    let sample: Vec<&str> = order.iter().take(1000).map(|place| original[*place]).collect();
    let next: Vec<&str> = sample.iter().cycle().skip(1).take(sample.len()).copied().collect();
    let unrelated: Vec<f64> =
        similarities(encoder, &sample, &next, |_| cancel.check())?.into_iter().flatten().collect();
    let empty = found.iter().filter(|cosine| cosine.is_none()).count();
    let cosines: Vec<f64> = found.into_iter().flatten().collect();
    Ok(Interval::of_mean(&cosines).map(|mean| Similarity {
        encoder: name.to_owned(),
        mean,
        unrelated: unrelated.iter().sum::<f64>() / unrelated.len().max(1) as f64,
        empty,
    }))
}
