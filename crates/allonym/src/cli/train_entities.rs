//! `allonym train entities`.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use super::{print, print_json};
use allonym::Failure;
use allonym::entities::{EntityTraining, train_entities};
use allonym::names::tagger::Learning;
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train entities --data train.conll --lists lists --out tagger
  allonym train entities --data a.conll b.conll.gz --lists lists --more-text public.txt --out tagger
  allonym entities --tagger tagger --test test.conll

Annotated files have a token and its label (O, B-PER, I-PER, B-LOC, B-ORG, ..) on each line and a blank line after each sentence. The tagger remembers words
of its texts: train it on public ones.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Entities {
    /// Files in which people marked the names
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    data: Vec<PathBuf>,

    /// A directory with clusters.tsv, senses.tsv and lists of names (scripts/entity_lists.py)
    #[arg(long, value_name = "DIR")]
    lists: Option<PathBuf>,

    /// Public texts that nobody marked, one a line: what is surely found in them is learned too
    #[arg(long, value_name = "FILE")]
    more_text: Option<PathBuf>,

    /// How sure the first tagger must be of a sentence of those
    #[arg(long, default_value_t = 0.5, value_name = "X", requires = "more_text")]
    sure: f64,

    /// The directory to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The kinds of names, as `allonym generalize` calls them; `other` is what CoNLL calls MISC
    #[arg(long, value_delimiter = ',', default_value = "person,place,organisation", value_name = "NAMES")]
    kinds: Vec<String>,

    /// Passes over the sentences
    #[arg(long, default_value_t = Learning::default().epochs, value_name = "N")]
    epochs: usize,

    /// The length of steps
    #[arg(long, default_value_t = Learning::default().rate, value_name = "X")]
    rate: f32,

    /// The part of features that is left out while learning
    #[arg(long, default_value_t = Learning::default().dropped, value_name = "X")]
    dropped: f64,

    /// The part of sentences that is also learned without capitals and misspelt
    #[arg(long, default_value_t = Learning::default().varied, value_name = "X")]
    varied: f64,

    /// Features that say less than this are left out of the tagger
    #[arg(long, default_value_t = Learning::default().negligible, value_name = "X")]
    negligible: f32,

    /// Where random choices begin
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Entities {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let learning = Learning {
            epochs: self.epochs,
            rate: self.rate,
            dropped: self.dropped,
            varied: self.varied,
            negligible: self.negligible,
            seed: self.seed,
            ..Learning::default()
        };
        let training = EntityTraining {
            data: self.data,
            lists: self.lists,
            more_text: self.more_text,
            sure: self.sure,
            out: self.out,
            kinds: self.kinds,
            learning,
        };
        let terminal = Terminal::new(Lines::EveryStage);
        let report = train_entities(&training, &terminal, interrupt.token())?;
        drop(terminal);
        if self.json {
            return print_json(&report);
        }
        print(&format!(
            "{} tokens that people marked, {} of other texts; {} features, {} bytes\n\ntest it: allonym entities --tagger {} --test FILE\n",
            report.tokens,
            report.more_tokens,
            report.features,
            report.bytes,
            training.out.display()
        ))
    }
}
