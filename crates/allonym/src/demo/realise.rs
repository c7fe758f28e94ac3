//! From content to sentences: the author's words, links and set phrases are put around the clauses of a plan.

use super::choices::NUMBERS;
use super::draw::chance;
use super::habits::Habits;
use super::plan::{Clause, Link, Plan};
use super::surface::finish;
use allonym_dp::PrivacyRng;

/// Sentences of a review at most.
const MOST_SENTENCES: usize = 6;
/// Clauses of a sentence at most.
const MOST_CLAUSES: usize = 3;

/// Writes a plan as the author would.
pub(super) fn realise(plan: &Plan, habits: &Habits, rng: &mut PrivacyRng) -> String {
    let mut writer = Writer { habits, rng, sentences: Vec::new(), clauses: 0 };
    let last = plan.steps.len() - 1;
    for (place, step) in plan.steps.iter().enumerate() {
        let mut clause = writer.clause(&step.clause, plan.over);
        if place == 0 && writer.chance(habits.opens) {
            clause = writer.phrase("opening") + &clause;
        }
        if place == last && matches!(step.clause, Clause::Verdict(_)) && writer.chance(habits.closes) {
            let clause = writer.phrase("closing") + &clause;
            writer.add(Link::Next, &clause, true);
        } else {
            writer.add(step.link, &clause, false);
        }
    }
    if writer.sentences.len() < MOST_SENTENCES && writer.chance(habits.tails) {
        let tail = writer.choose("tail");
        writer.add(Link::Next, &tail, true);
    }
    let sentences = writer.sentences;
    finish(sentences, plan.pleased, habits, rng)
}

/// A review in the making.
struct Writer<'a> {
    habits: &'a Habits,
    rng: &'a mut PrivacyRng,
    /// Sentences without capital and full stop.
    sentences: Vec<String>,
    /// Clauses of the last sentence.
    clauses: usize,
}

impl Writer<'_> {
    fn chance(&mut self, percent: u64) -> bool {
        chance(self.rng, percent)
    }

    fn choose(&mut self, name: &str) -> String {
        self.habits.choose(name, self.rng).unwrap_or_default().to_owned()
    }

    /// A link or a set phrase, without its comma if the author drops it. A comma that alone joins clauses stays.
    fn phrase(&mut self, name: &str) -> String {
        let phrase = self.choose(name);
        let droppable = phrase != ", ~" && self.chance(self.habits.drops_commas);
        if droppable { phrase.replace(',', "") } else { phrase }
    }

    fn clause(&mut self, clause: &Clause, over: bool) -> String {
        let text = match clause {
            Clause::Statement(text) | Clause::Verdict(text) => text.clone(),
            Clause::Judgement { noun, plural, opinion, mild, good } => {
                let opinion = self.opinion(opinion, *mild, *good);
                let frame = if self.chance(self.habits.frames) { self.choose("frame") } else { "~ @ *".to_owned() };
                let told = over || frame.contains("thought");
                let present = !told && self.chance(self.habits.present);
                let verb = match (present, plural) {
                    (true, true) => "are",
                    (true, false) => "is",
                    (false, true) => "were",
                    (false, false) => "was",
                };
                let judgement = frame.replace('~', noun).replace('@', verb).replace('*', &opinion);
                let hedged = frame.starts_with('~') && self.chance(self.habits.hedges);
                if hedged { self.phrase("hedge") + &judgement } else { judgement }
            }
        };
        let text = self.fill(&text);
        self.aside(text)
    }

    /// The opinion with a word of degree, if the author wants one here.
    fn opinion(&mut self, opinion: &str, mild: bool, good: bool) -> String {
        if mild && !good && self.chance(self.habits.softens) {
            format!("{} {opinion}", self.choose("slightly"))
        } else if self.chance(self.habits.intensifies) {
            format!("{} {opinion}", self.choose(if mild { "very" } else { "absolutely" }))
        } else {
            opinion.to_owned()
        }
    }

    /// Fills the style slots of a clause.
    fn fill(&mut self, clause: &str) -> String {
        let mut filled = String::new();
        let mut rest = clause;
        while let Some((before, (slot, after))) =
            rest.split_once('{').and_then(|(before, tail)| Some((before, tail.split_once('}')?)))
        {
            filled.push_str(before);
            let word = match slot.parse::<usize>() {
                Ok(number) if self.chance(self.habits.digits) => number.to_string(),
                Ok(number) => NUMBERS[number - 2].to_owned(),
                Err(_) if slot == "," => if self.chance(self.habits.oxford) { "," } else { "" }.to_owned(),
                Err(_) => self.choose(slot),
            };
            filled.push_str(&word);
            // A word may be left out ("the scarf I lost"); its space goes too.
            rest = if word.is_empty() && slot != "," { after.strip_prefix(' ').unwrap_or(after) } else { after };
        }
        filled + rest
    }

    /// Sets an aside off from its clause.
    fn aside(&mut self, clause: String) -> String {
        let Some((before, (aside, after))) =
            clause.split_once('[').and_then(|(before, tail)| Some((before, tail.split_once(']')?)))
        else {
            return clause;
        };
        let marked = self.choose("aside").replace('~', aside);
        // At the end of a clause the closing comma or dash is dropped.
        let marked = if after.is_empty() { marked.trim_end_matches([',', '-', ' ']) } else { &marked };
        format!("{}{marked}{after}", before.trim_end())
    }

    /// Adds a clause to the review by the author's way to link.
    fn add(&mut self, link: Link, clause: &str, alone: bool) {
        let may_join = !self.sentences.is_empty() && self.clauses < MOST_CLAUSES && !alone;
        let full = self.sentences.len() >= MOST_SENTENCES;
        let mut template = match link {
            Link::Next if may_join && self.chance(self.habits.joins) => self.phrase("link-next"),
            Link::Next => ". ~".to_owned(),
            Link::And => self.phrase("link-and"),
            Link::But => self.phrase("link-but"),
            Link::Because => self.phrase("link-because"),
        };
        if !template.starts_with(". ") && !may_join {
            template = ". ~".to_owned();
        }
        if let Some(rest) = template.strip_prefix(". ").filter(|_| full) {
            template = format!("; {rest}");
        }
        let text = template.replace('~', clause);
        match (text.strip_prefix(". "), self.sentences.last_mut()) {
            (None, Some(sentence)) => {
                sentence.push_str(&text);
                self.clauses += 1;
            }
            (begun, _) => {
                self.sentences.push(begun.unwrap_or(&text).to_owned());
                self.clauses = 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::content_words;
    use super::*;
    use std::collections::BTreeSet;

    /// The content words of the text that an author makes of a plan, sorted.
    fn content(plan: u64, author: u64, lexemes: &BTreeSet<&str>) -> Vec<String> {
        let plan = Plan::draw(&mut PrivacyRng::reproducible(plan));
        let mut rng = PrivacyRng::reproducible(author);
        let text = realise(&plan, &Habits::draw(&mut rng), &mut rng).to_lowercase();
        let words = text.split(|c: char| !c.is_alphabetic());
        let mut content: Vec<String> = words.filter(|word| lexemes.contains(word)).map(str::to_owned).collect();
        content.sort();
        content
    }

    #[test]
    fn authors_keep_the_content_words_of_a_plan() {
        let lexemes = content_words().collect();
        for plan in 0..100 {
            let words = content(plan, 0, &lexemes);
            for author in 1..10 {
                assert_eq!(content(plan, author, &lexemes), words, "plan {plan}, author {author}");
            }
        }
    }
}
