//! An evaluation from files to a datasheet.

use super::classes::Classes;
use super::encoder::encoder;
use super::lined_up::LinedUp;
use super::load::{Loaded, printable};
use super::plan::{Attack, Plan};
use super::reconstruction::reconstruction;
use super::run_file::{RunFile, shown};
use super::target::Target;
use super::utility::utility;
use crate::failure::Failure;
use allonym_eval::attack::{Finding, Side, Sides, Target as Told, attribution, detection, verification};
use allonym_eval::attacker::{self, Attacker};
use allonym_eval::features::style_change;
use allonym_eval::report::{Datasheet, Protocol, Release, Sample, Utility};
use allonym_eval::utility::{Remembered, label_kept};
use allonym_text::{Activity, CancelToken, Observer};
use std::path::Path;

/// The attacker that tells labels.
const READER: &str = "word-svm";

/// Measures everything that the plan asks for. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read, files do not line up, or there is nothing to attack.
pub fn evaluate(plan: &Plan, observer: &dyn Observer, cancel: &CancelToken) -> Result<Datasheet, Failure> {
    let attackers: Vec<&dyn Attacker> =
        plan.attackers.iter().map(|name| attacker::find(name)).collect::<Result<_, _>>()?;
    observer.begin(Activity::Reading, "reading");
    cancel.check()?;
    let mut wanted = vec![plan.author_column.0.clone(), plan.label_column.0.clone()];
    wanted.extend(plan.targets.iter().cloned());
    let named = [&plan.id_column, &plan.author_column, &plan.label_column]
        .into_iter()
        .filter(|(_, named)| *named)
        .map(|(c, _)| c);
    let named: Vec<String> = named.chain(&plan.targets).cloned().collect();
    let reading = plan.reading();
    let original = Loaded::read(&plan.original, &reading, &wanted, &named)?;
    Run { plan, attackers, original: &original, remarks: Vec::new(), before: Vec::new(), encoder: None }
        .all(observer, cancel)
}

/// An evaluation under way.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    attackers: Vec<&'static dyn Attacker>,
    pub(super) original: &'a Loaded,
    remarks: Vec<String>,
    /// What is found in originals: the same for every release, kept once.
    before: Vec<Finding>,
    /// What compares meaning, and its name: it keeps what it made of the originals.
    encoder: Option<(Remembered<'a>, String)>,
}

/// A release that was read.
struct Opened<'p> {
    path: &'p Path,
    released: Loaded,
    lined: LinedUp,
    run_file: Option<RunFile>,
}

impl<'a> Run<'a> {
    fn all(mut self, observer: &dyn Observer, cancel: &CancelToken) -> Result<Datasheet, Failure> {
        let empty = self.original.texts.iter().filter(|text| text.trim().is_empty()).count();
        if empty > 0 {
            let all = self.original.texts.len();
            self.remark(format!("{empty} of {all} originals are empty: nothing speaks for any author in them."));
        }
        let reading = self.plan.reading();
        let named: Vec<String> = self.plan.id_column.1.then(|| self.plan.id_column.0.clone()).into_iter().collect();
        let (mut files, mut lined_up_by) = (Vec::new(), String::new());
        // Records that every release has, so that all of them are held against the same originals.
        let mut common = vec![true; self.original.texts.len()];
        for path in &self.plan.released {
            observer.begin(Activity::Reading, &format!("reading {}", path.display()));
            cancel.check()?;
            let mut released = Loaded::read(path, &reading, &[], &named)?;
            let run_file = RunFile::beside(path)?.unwrap_or_else(|remark| {
                self.remark(remark);
                None
            });
            let (counts, vectors) = run_file.as_ref().map_or((false, false), RunFile::is_not_text);
            if vectors {
                return Err(Failure::new(
                    format!("{} holds vectors of numbers, and no texts to measure", released.source.name),
                    "what classifiers find in vectors was measured when the model was trained, and stands in the statement of the release",
                ));
            }
            if counts {
                self.remark(format!(
                    "{} holds counts of words; it is measured as these words, in the order in which they are listed.",
                    released.source.name
                ));
                released.texts.iter_mut().for_each(|text| *text = as_words(text));
            }
            let shuffled = run_file.as_ref().is_some_and(|file| file.settings.shuffle);
            let (id, allowed) = (&self.plan.id_column.0, self.plan.allow_missing);
            let lined = LinedUp::of(self.original, &released, id, allowed, shuffled)?;
            if lined.missing > 0 {
                let (missing, name) = (lined.missing, &released.source.name);
                self.remark(format!(
                    "{missing} records are in only one of {name} and the originals, and were left out."
                ));
            }
            let mut has = vec![false; common.len()];
            lined.pairs.iter().for_each(|(record, _)| has[*record] = true);
            common.iter_mut().zip(has).for_each(|(common, has)| *common &= has);
            lined_up_by.clone_from(&lined.by);
            files.push((path, released, lined, run_file));
        }
        let records: Vec<usize> = (0..common.len()).filter(|record| common[*record]).collect();
        if records.is_empty() {
            return Err(Failure::new("no record is in all of the releases", "evaluate them one by one"));
        }
        let mut releases = Vec::new();
        for (number, (path, released, lined, run_file)) in files.into_iter().enumerate() {
            let release = Opened { path, released, lined, run_file };
            releases.push(self.release(number, release, &records, observer, cancel)?);
        }
        if self.plan.released.is_empty() {
            let all: Vec<usize> = (0..self.original.texts.len()).collect();
            self.before = self.attacks(&all, &self.texts(), None, observer, cancel)?;
        }
        let protocol = self.protocol(&records, lined_up_by)?;
        let not_protected = not_protected(&releases);
        Ok(Datasheet {
            allonym: env!("CARGO_PKG_VERSION").to_owned(),
            original: self.original.source.clone(),
            protocol,
            releases,
            before: self.before,
            remarks: self.remarks,
            not_protected,
        })
    }

    fn texts(&self) -> Vec<&'a str> {
        self.original.texts.iter().map(String::as_str).collect()
    }

    pub(super) fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    fn release(
        &mut self,
        number: usize,
        opened: Opened<'_>,
        records: &[usize],
        observer: &dyn Observer,
        cancel: &CancelToken,
    ) -> Result<Release, Failure> {
        let Opened { path, released, lined, run_file } = opened;
        // Places of originals, so that both sides have the same order.
        let mut texts: Vec<&str> = vec![""; self.original.texts.len()];
        lined.pairs.iter().for_each(|(record, place)| texts[*record] = &released.texts[*place]);
        let empty = records.iter().filter(|record| texts[**record].trim().is_empty()).count();
        if empty > 0 {
            self.remark(format!(
                "{empty} texts of {} are empty: nothing speaks for any author in them.",
                released.source.name
            ));
        }
        let originals = self.texts();
        let mut findings = self.attacks(records, &originals, Some(&texts), observer, cancel)?;
        if empty < records.len() {
            self.remark_what_is_missing(&findings, &released.source.name);
        }
        // What was found in originals is said once.
        let (before, after): (Vec<Finding>, Vec<Finding>) =
            findings.drain(..).partition(|f| f.tested_on == Side::Original);
        if number == 0 {
            self.before = before;
        }
        let (original, release) = (at(&originals, records), at(&texts, records));
        let (settings, guarantee) = run_file.map(|file| (file.settings, file.guarantee)).unzip();
        let asked = |attack: Attack| self.plan.attacks.contains(&attack);
        let reconstruction = match &settings {
            Some(settings) if asked(Attack::Reconstruction) => reconstruction(settings, &original, &release)?,
            _ => None,
        };
        let mut kept = Utility::default();
        if self.plan.utility {
            let (encoder, name) = match &self.encoder {
                Some(made) => made,
                None => {
                    let (encoder, name) = encoder(self.plan, &original)?;
                    self.encoder.insert((Remembered::of(encoder, &original), name))
                }
            };
            kept = utility(self.plan, (encoder, name), &original, &release, observer, cancel)?;
        }
        if self.plan.utility
            && let Some(target) = self.label(records)?
        {
            observer.begin(Activity::Measuring, "learning labels");
            cancel.check()?;
            let [original, release] = [&originals, &texts].map(|texts| target.of(texts));
            let Classes { of_records, count, .. } = &target.classes;
            kept.label = label_kept(
                attacker::find(READER)?,
                &target.name,
                &original,
                &release,
                of_records,
                *count,
                &target.split,
            )?;
        }
        let style = if self.plan.utility { Some(style_change(&original, &release)?) } else { None };
        let samples = (self.plan.samples > 0).then(|| self.samples(records, &texts));
        Ok(Release {
            name: path
                .file_stem()
                .map_or_else(|| released.source.name.clone(), |stem| printable(&stem.to_string_lossy())),
            source: released.source,
            guarantee,
            settings: settings.map(|settings| shown(&settings)),
            findings: after,
            reconstruction,
            utility: kept,
            style,
            samples,
        })
    }

    fn attacks(
        &mut self,
        records: &[usize],
        originals: &[&str],
        released: Option<&[&str]>,
        observer: &dyn Observer,
        cancel: &CancelToken,
    ) -> Result<Vec<Finding>, Failure> {
        let plan = self.plan;
        let asked = |attack: Attack| plan.attacks.contains(&attack);
        let mut findings = Vec::new();
        let author = self.target(&plan.author_column.0, records, plan.authors)?;
        if author.is_none() && (asked(Attack::Attribution) || asked(Attack::Verification)) {
            self.remark(format!("There is no column `{}`, so nobody was attributed.", plan.author_column.0));
        }
        let mut targets: Vec<(Target, bool, Vec<usize>)> = Vec::new();
        targets.extend(author.map(|target| (target, true, plan.together.clone())));
        for column in &plan.targets {
            targets.extend(self.attribute(column, records)?.map(|target| (target, false, vec![1])));
        }
        for (target, is_author, together) in &targets {
            let original = target.of(originals);
            let release = released.map(|released| target.of(released));
            let sides = Sides { original: &original, released: release.as_deref() };
            let Classes { of_records, count, .. } = &target.classes;
            if asked(Attack::Attribution) {
                for attacker in &self.attackers {
                    observer.begin(Activity::Attacking, &format!("{} looks for `{}`", attacker.name(), target.name));
                    cancel.check()?;
                    let what = if *is_author { Told::Author } else { Told::Column(&target.name) };
                    findings.extend(attribution(*attacker, what, sides, of_records, *count, &target.split, together)?);
                }
            }
            if asked(Attack::Verification) && *is_author {
                observer.begin(Activity::Attacking, "verifying authors");
                cancel.check()?;
                match verification(sides, of_records, 0.5, plan.seed) {
                    Ok(found) => findings.extend(found),
                    Err(allonym_eval::EvalError::NothingToTest) => {
                        self.remark("Fewer than eight authors have two texts: none was verified.".to_owned());
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        if asked(Attack::Detection)
            && let Some(released) = released
        {
            observer.begin(Activity::Attacking, "telling releases from originals");
            cancel.check()?;
            let [original, release] =
                [originals, released].map(|texts| records.iter().map(|r| texts[*r]).collect::<Vec<&str>>());
            for attacker in &self.attackers {
                match detection(*attacker, &original, &release, plan.test_share, plan.seed) {
                    Ok(found) => findings.push(found),
                    Err(allonym_eval::EvalError::NothingToTest) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(findings)
    }

    /// Attackers that could not learn from a release have not shown that it is safe.
    fn remark_what_is_missing(&mut self, findings: &[Finding], release: &str) {
        for attacker in self.attackers.clone() {
            let name = attacker.name();
            let of: Vec<&Finding> =
                findings.iter().filter(|finding| finding.attacker == name && finding.attack == "attribution").collect();
            if !of.is_empty() && of.iter().all(|finding| finding.learned_from == Side::Original) {
                self.remark(format!(
                    "{name} finds nothing to learn from in {release}: there is no adaptive attack by it."
                ));
            }
        }
    }

    fn protocol(&mut self, records: &[usize], lined_up_by: String) -> Result<Protocol, Failure> {
        let target = self.target(&self.plan.author_column.0, records, self.plan.authors)?;
        let column = |(name, _): &(String, bool)| self.original.column(name).map(|_| name.clone());
        Ok(Protocol {
            records: target.as_ref().map_or(records.len(), |target| target.classes.records.len()),
            authors: target.as_ref().map(|target| target.classes.count),
            authors_with_one_text: target.as_ref().map_or(0, |target| target.split.single),
            learned: target.as_ref().map_or(0, |target| target.split.learn.len()),
            tested: target.as_ref().map_or(0, |target| target.split.test.len()),
            test_share: self.plan.test_share,
            seed: self.plan.seed,
            author_column: column(&self.plan.author_column),
            label_column: column(&self.plan.label_column),
            lined_up_by,
        })
    }

    fn samples(&self, records: &[usize], released: &[&str]) -> Vec<Sample> {
        let ids = self.original.column(&self.plan.id_column.0);
        let step = (records.len() / self.plan.samples.max(1)).max(1);
        let sample = |record: &usize| Sample {
            id: ids.and_then(|ids| ids[*record].clone()).unwrap_or_else(|| (record + 1).to_string()),
            original: self.original.texts[*record].clone(),
            released: released[*record].to_owned(),
        };
        records.iter().step_by(step).take(self.plan.samples).map(sample).collect()
    }
}

/// The words of a release by counts, each as often as it was drawn.
fn as_words(counts: &str) -> String {
    let Ok(counts) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(counts) else {
        return counts.to_owned();
    };
    let often = |(word, count): (&String, &serde_json::Value)| vec![word.clone(); count.as_u64().unwrap_or(0) as usize];
    counts.iter().flat_map(often).collect::<Vec<_>>().join(" ")
}

/// The texts at these places.
fn at<'t>(texts: &[&'t str], places: &[usize]) -> Vec<&'t str> {
    places.iter().map(|place| texts[*place]).collect()
}

fn not_protected(releases: &[Release]) -> Vec<String> {
    let mut lines = vec![
        "What a text is about: facts, places, events that only one person could tell.".to_owned(),
        "Other columns that were released beside the text, the order of the records, and who had access to the originals.".to_owned(),
        "Attackers who know more than these do: texts of the same authors elsewhere, or better methods.".to_owned(),
    ];
    if releases.iter().any(|release| release.guarantee.is_none()) {
        lines.push(
            "Anything, formally, where a release comes without its run file: measured attacks are no promise."
                .to_owned(),
        );
    }
    lines
}
