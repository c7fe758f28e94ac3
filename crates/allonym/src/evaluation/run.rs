//! An evaluation from files to a datasheet.

use super::classes::Classes;
use super::lined_up::LinedUp;
use super::load::Loaded;
use super::plan::{Attack, Plan};
use super::reconstruction::reconstruction;
use super::utility::utility;
use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::settings::Settings;
use allonym_eval::attack::{Finding, Side, Sides, Split, attribution, detection, verification};
use allonym_eval::attacker::{self, Attacker};
use allonym_eval::features::style_change;
use allonym_eval::report::{Datasheet, Protocol, Release, Sample};
use allonym_eval::utility::label_kept;
use std::path::{Path, PathBuf};

/// The attacker that tells labels, and detects releases.
const READER: &str = "word-svm";
const DETECTOR: &str = "char-svm";

/// Measures everything that the plan asks for. `progress` hears what is being done.
///
/// # Errors
/// When a file cannot be read, files do not line up, or there is nothing to attack.
pub fn evaluate(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Result<Datasheet, Failure> {
    let attackers: Vec<&dyn Attacker> =
        plan.attackers.iter().map(|name| attacker::find(name)).collect::<Result<_, _>>()?;
    progress("reading");
    let mut wanted = vec![plan.author_column.0.clone(), plan.label_column.0.clone()];
    wanted.extend(plan.targets.iter().cloned());
    let named = [&plan.author_column, &plan.label_column].into_iter().filter(|(_, named)| *named).map(|(c, _)| c);
    let named: Vec<String> = named.chain(&plan.targets).cloned().collect();
    let reading = plan.reading();
    let original = Loaded::read(&plan.original, &reading, &wanted, &named)?;
    Run { plan, attackers, original: &original, remarks: Vec::new(), before: Vec::new() }.all(progress)
}

struct Run<'a> {
    plan: &'a Plan,
    attackers: Vec<&'static dyn Attacker>,
    original: &'a Loaded,
    remarks: Vec<String>,
    /// What is found in originals: the same for every release, kept once.
    before: Vec<Finding>,
}

/// A column to be told from texts, at the records that have it and that are lined up.
struct Target {
    name: String,
    classes: Classes,
    split: Split,
}

impl<'a> Run<'a> {
    fn all(mut self, progress: &mut dyn FnMut(&str)) -> Result<Datasheet, Failure> {
        let empty = self.original.texts.iter().filter(|text| text.trim().is_empty()).count();
        if empty > 0 {
            let all = self.original.texts.len();
            self.remark(format!("{empty} of {all} originals are empty: nothing speaks for any author in them."));
        }
        let reading = self.plan.reading();
        let mut releases = Vec::new();
        let mut lined_up_by = String::new();
        for (number, path) in self.plan.released.iter().enumerate() {
            progress(&format!("reading {}", path.display()));
            let released = Loaded::read(path, &reading, &[], &[])?;
            let lined = LinedUp::of(self.original, &released, &self.plan.id_column, self.plan.allow_missing)?;
            if lined.missing > 0 {
                self.remark(format!(
                    "{} records are in only one of {} and the originals, and were left out.",
                    lined.missing, released.source.name
                ));
            }
            lined_up_by.clone_from(&lined.by);
            releases.push(self.release(number, path, &released, &lined, progress)?);
        }
        if self.plan.released.is_empty() {
            let all: Vec<usize> = (0..self.original.texts.len()).collect();
            self.before = self.attacks(&all, &self.texts(), None, progress)?;
        }
        let protocol = self.protocol(lined_up_by)?;
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

    fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    fn release(
        &mut self,
        number: usize,
        path: &Path,
        released: &Loaded,
        lined: &LinedUp,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Release, Failure> {
        let records: Vec<usize> = lined.pairs.iter().map(|(record, _)| *record).collect();
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
        let mut findings = self.attacks(&records, &originals, Some(&texts), progress)?;
        // What was found in originals is said once.
        let (before, after): (Vec<Finding>, Vec<Finding>) =
            findings.drain(..).partition(|f| f.tested_on == Side::Original);
        if number == 0 {
            self.before = before;
        }
        let [original, release] =
            [&originals, &texts].map(|texts| records.iter().map(|r| texts[*r]).collect::<Vec<&str>>());
        let (settings, guarantee) = self.run_file(path)?;
        let asked = |attack: Attack| self.plan.attacks.contains(&attack);
        let reconstruction = match &settings {
            Some(settings) if asked(Attack::Reconstruction) => reconstruction(settings, &original, &release)?,
            _ => None,
        };
        let mut kept =
            if self.plan.utility { utility(self.plan, &original, &release, progress)? } else { Default::default() };
        if self.plan.utility
            && let Some(target) = self.target(&self.plan.label_column.0, &records, None)?
        {
            progress("learning labels");
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
        let samples = (self.plan.samples > 0).then(|| self.samples(&records, &texts));
        Ok(Release {
            name: path
                .file_stem()
                .map_or_else(|| released.source.name.clone(), |stem| stem.to_string_lossy().into_owned()),
            source: released.source.clone(),
            guarantee,
            settings: settings.and_then(|settings| serde_json::to_value(&settings).ok()),
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
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<Finding>, Failure> {
        let plan = self.plan;
        let asked = |attack: Attack| plan.attacks.contains(&attack);
        let mut findings = Vec::new();
        let author = self.target(&plan.author_column.0, records, plan.authors)?;
        if author.is_none() && plan.targets.is_empty() && (asked(Attack::Attribution) || asked(Attack::Verification)) {
            self.remark(format!("There is no column `{}`, so nobody was attributed.", plan.author_column.0));
        }
        let mut targets: Vec<(Target, &'static str, Vec<usize>)> = Vec::new();
        targets.extend(author.map(|target| (target, "author", plan.together.clone())));
        for column in &plan.targets {
            targets.extend(self.attribute(column, records)?.map(|target| (target, "attribute", vec![1])));
        }
        for (target, kind, together) in &targets {
            let original = target.of(originals);
            let release = released.map(|released| target.of(released));
            let sides = Sides { original: &original, released: release.as_deref() };
            let Classes { of_records, count, .. } = &target.classes;
            if asked(Attack::Attribution) {
                for attacker in &self.attackers {
                    progress(&format!("{} looks for `{}`", attacker.name(), target.name));
                    let name = if *kind == "author" { "author" } else { &target.name };
                    findings.extend(attribution(*attacker, name, sides, of_records, *count, &target.split, together)?);
                }
            }
            if asked(Attack::Verification) && *kind == "author" {
                progress("verifying authors");
                match verification(sides, of_records, 0.5, plan.seed) {
                    Ok(found) => findings.extend(found),
                    Err(allonym_eval::EvalError::NothingToTest) => {
                        self.remarks.push("Too few authors have two texts to verify any.".to_owned());
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        if asked(Attack::Detection)
            && let Some(released) = released
        {
            progress("telling releases from originals");
            let [original, release] =
                [originals, released].map(|texts| records.iter().map(|r| texts[*r]).collect::<Vec<&str>>());
            match detection(attacker::find(DETECTOR)?, &original, &release, plan.test_share, plan.seed) {
                Ok(found) => findings.push(found),
                Err(allonym_eval::EvalError::NothingToTest) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(findings)
    }

    /// A column of the originals, divided so that every class is learned.
    fn target(&mut self, column: &str, records: &[usize], most: Option<usize>) -> Result<Option<Target>, Failure> {
        let Some(classes) = self.classes(column, records, most)? else { return Ok(None) };
        let split = Split::by_class(&classes.of_records, self.plan.test_share, self.plan.seed)?;
        Ok(Some(Target { name: column.to_owned(), classes, split }))
    }

    /// A column that says something about the author: nobody is on both sides, or the attack would only know them again.
    fn attribute(&mut self, column: &str, records: &[usize]) -> Result<Option<Target>, Failure> {
        let Some(classes) = self.classes(column, records, None)? else { return Ok(None) };
        let authors =
            self.original.column(&self.plan.author_column.0).map(|values| Classes::of(values, &classes.records, None));
        let split = match authors {
            Some(authors) if authors.records.len() == classes.records.len() && authors.count > 2 => {
                Split::by_group(&authors.of_records, self.plan.test_share, self.plan.seed)?
            }
            _ => Split::by_class(&classes.of_records, self.plan.test_share, self.plan.seed)?,
        };
        Ok(Some(Target { name: column.to_owned(), classes, split }))
    }

    fn classes(&mut self, column: &str, records: &[usize], most: Option<usize>) -> Result<Option<Classes>, Failure> {
        let Some(values) = self.original.column(column) else { return Ok(None) };
        let classes = Classes::of(values, records, most);
        classes.at_least_two(column)?;
        if classes.missing > 0 {
            let (missing, all) = (classes.missing, records.len());
            self.remark(format!("{missing} of {all} records have no `{column}` and were left out where it counts."));
        }
        Ok(Some(classes))
    }

    fn protocol(&mut self, lined_up_by: String) -> Result<Protocol, Failure> {
        let all: Vec<usize> = (0..self.original.texts.len()).collect();
        let target = self.target(&self.plan.author_column.0, &all, self.plan.authors)?;
        let column = |(name, _): &(String, bool)| self.original.column(name).map(|_| name.clone());
        Ok(Protocol {
            records: target.as_ref().map_or(all.len(), |target| target.classes.records.len()),
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

    /// The settings beside a release, and what they promise.
    fn run_file(&mut self, release: &Path) -> Result<(Option<Settings>, Option<Vec<String>>), Failure> {
        let mut name = release.as_os_str().to_owned();
        name.push(".run.toml");
        let path = PathBuf::from(name);
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok((None, None)) };
        let Ok(settings) = toml::from_str::<Settings>(&text) else {
            self.remark(format!("{} is no run file of this version, and was not used.", path.display()));
            return Ok((None, None));
        };
        let checked = Settings { ledger: None, ..settings.clone() }.check()?;
        let mut guarantee = Pipeline::new(&checked)?.guarantee()?;
        guarantee.not_protected.push("what leaves beside the text: other columns, and the order of the records".into());
        let lines = guarantee.to_string().lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        Ok((Some(settings), Some(lines)))
    }

    fn samples(&self, records: &[usize], released: &[&str]) -> Vec<Sample> {
        let ids = self.original.column(&self.plan.id_column);
        let step = (records.len() / self.plan.samples.max(1)).max(1);
        let sample = |record: &usize| Sample {
            id: ids.and_then(|ids| ids[*record].clone()).unwrap_or_else(|| (record + 1).to_string()),
            original: self.original.texts[*record].clone(),
            released: released[*record].to_owned(),
        };
        records.iter().step_by(step).take(self.plan.samples).map(sample).collect()
    }
}

impl Target {
    /// The texts of the records that count.
    fn of<'a>(&self, texts: &[&'a str]) -> Vec<&'a str> {
        self.classes.records.iter().map(|record| texts[*record]).collect()
    }
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
