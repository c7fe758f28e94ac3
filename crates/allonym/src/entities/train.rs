//! Trains a tagger, and tests one.

use crate::failure::Failure;
use allonym_entities::tagger::{Annotated, Knowledge, LISTS, Learning, Scores, Tagger, learn};
use allonym_io::read_text;
use allonym_text::{Activity, CancelToken, Event, Observer, Progress, Stage, Unit};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is to be learned, and from what.
#[derive(Clone, Debug)]
pub struct EntityTraining {
    /// Annotated files.
    pub data: Vec<PathBuf>,
    /// A directory with clusters.tsv, senses.tsv and lists of names, any of them.
    pub lists: Option<PathBuf>,
    /// Public texts that nobody marked, one a line: what is surely found in them is learned too.
    pub more_text: Option<PathBuf>,
    /// How sure the tagger must be of a sentence of those.
    pub sure: f64,
    /// The directory to write.
    pub out: PathBuf,
    /// The kinds of names.
    pub kinds: Vec<String>,
    /// How it learns.
    pub learning: Learning,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct EntityReport {
    /// Tokens that people marked.
    pub tokens: usize,
    /// Tokens of other texts.
    pub more_tokens: usize,
    /// Features with a score.
    pub features: usize,
    /// The size of the tagger's file.
    pub bytes: usize,
    /// The mean loss of a token in the last pass, in nats.
    pub loss: f64,
}

/// How well names are found in an annotated file.
#[derive(Clone, Debug, Serialize)]
pub struct Tested {
    /// By kind, and `all`: F1, precision, recall and how many there are.
    pub kinds: Vec<(String, f64, f64, f64, usize)>,
    /// Tokens of names that are found as a name of any kind.
    pub coverage: f64,
    /// The F1 of lists alone.
    pub lists_alone: f64,
    /// On one core.
    pub tokens_a_second: f64,
    /// Tokens there.
    pub tokens: usize,
}

fn read(path: &Path, kinds: &[String]) -> Result<Annotated, Failure> {
    let text = read_text(path)?;
    let hint = "a token and its label (O, B-PER, I-PER, ..) on each line, a blank line after each sentence";
    Annotated::parse(&text, kinds).map_err(|error| Failure::new(format!("{}: {error}", path.display()), hint))
}

/// Trains a tagger and writes it.
///
/// # Errors
/// When a file cannot be read or written, or a setting is out of range.
pub fn train_entities(
    training: &EntityTraining,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<EntityReport, Failure> {
    let learning = &training.learning;
    if learning.epochs == 0 || !(0.0..1.0).contains(&learning.dropped) || !(0.0..=1.0).contains(&learning.varied) {
        let message = "`epochs` is at least 1, `dropped` below 1 and `varied` at most 1";
        return Err(Failure::new(message, "leave them out for what is usual"));
    }
    if training.out.exists() {
        let message = format!("{} is there already", training.out.display());
        return Err(Failure::refusal(message, "choose another directory, or move it away"));
    }
    let data: Vec<Annotated> =
        training.data.iter().map(|path| read(path, &training.kinds)).collect::<Result<_, _>>()?;
    let knowledge = training.lists.as_deref().map_or_else(|| Ok(Knowledge::default()), knowledge)?;
    let tokens = data.iter().map(Annotated::tokens).sum();
    let mut loss = 0.0;
    let mut learned = |data: &[Annotated], learning: &Learning, knowledge: Knowledge, what: &str| {
        learn(training.kinds.clone(), knowledge, data, learning, cancel, |epoch, found| {
            loss = found;
            let label = &format!("{what}: pass {epoch} of {}, loss {found:.4}", learning.epochs);
            observer.event(&Event::Progress(Progress {
                stage: Stage { activity: Activity::Training, label },
                done: epoch as u64,
                total: Some(learning.epochs as u64),
                unit: Unit::Epochs,
                records: None,
                training: None,
            }));
        })
    };
    let mut more_tokens = 0;
    let tagger = match &training.more_text {
        None => learned(&data, learning, knowledge, "learning")?,
        Some(path) => {
            let texts = read_text(path)?;
            // The first tagger keeps all that it learned: it only marks.
            let first = Learning { negligible: 0.0, ..learning.clone() };
            let first = learned(&data, &first, knowledge, "learning to mark")?;
            cancel.check()?;
            let more = first.marked(texts.lines(), 0.4, training.sure);
            more_tokens = more.tokens();
            let all = [data, vec![more]].concat();
            learned(&all, learning, first.knowledge().clone(), "learning")?
        }
    };
    let file = tagger.to_file();
    let writing = |error: std::io::Error| {
        Failure::new(format!("cannot write {}: {}", training.out.display(), error.kind()), "choose another directory")
    };
    std::fs::create_dir_all(&training.out).map_err(writing)?;
    std::fs::write(training.out.join("tagger.bin"), &file).map_err(writing)?;
    Ok(EntityReport { tokens, more_tokens, features: tagger.features(), bytes: file.len(), loss })
}

/// Clusters and lists of a directory, as far as they are there.
fn knowledge(directory: &Path) -> Result<Knowledge, Failure> {
    let mut knowledge = Knowledge::default();
    let mut any = false;
    let mut text = |name: String| -> Result<Option<String>, Failure> {
        let path = directory.join(name);
        any |= path.exists();
        Ok(path.exists().then(|| read_text(&path)).transpose()?)
    };
    if let Some(lines) = text("clusters.tsv".into())? {
        knowledge.add_clusters(&lines);
    }
    if let Some(lines) = text("senses.tsv".into())? {
        knowledge.add_senses(&lines);
    }
    for list in LISTS {
        if let Some(lines) = text(format!("{list}.txt"))? {
            knowledge.add_names(list, &lines);
        }
    }
    if any {
        return Ok(knowledge);
    }
    let names = format!("clusters.tsv, senses.tsv or {}.txt", LISTS.join(".txt, "));
    Err(Failure::new(format!("{} has no list", directory.display()), format!("it needs {names}")))
}

/// Tests a tagger on an annotated file; with `names_only`, descriptions that it marks (`my father`) do not count.
///
/// # Errors
/// When the file cannot be read.
pub fn test_entities(tagger: &Tagger, path: &Path, eagerness: f32, names_only: bool) -> Result<Tested, Failure> {
    let mut test = read(path, tagger.kinds())?;
    if names_only {
        test = test.names_only();
    }
    let (mut scores, mut lists) = (Scores::new(tagger.kinds().len()), Scores::new(tagger.kinds().len()));
    let mut seconds = 0.0;
    for document in &test.documents {
        let tokens: Vec<Vec<&str>> =
            document.iter().map(|sentence| sentence.tokens.iter().map(String::as_str).collect()).collect();
        let parts: Vec<&[&str]> = tokens.iter().map(Vec::as_slice).collect();
        let start = Instant::now();
        let found = tagger.tag(&parts, eagerness);
        seconds += start.elapsed().as_secs_f64();
        for ((sentence, found), part) in document.iter().zip(&found).zip(&parts) {
            scores.add(&sentence.spans, found);
            lists.add(&sentence.spans, &tagger.by_lists(part));
        }
    }
    let rows = tagger.kinds().iter().cloned().zip(scores.kinds.iter().copied());
    let rows = rows.chain([("all".to_owned(), scores.all())]);
    let kinds = rows.map(|(name, c)| (name, c.f1(), c.precision(), c.recall(), c.there)).collect();
    let tokens = test.tokens();
    let tokens_a_second = tokens as f64 / seconds.max(1e-9);
    Ok(Tested { kinds, coverage: scores.coverage(), lists_alone: lists.all().f1(), tokens_a_second, tokens })
}
