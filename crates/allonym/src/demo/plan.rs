//! What a review says, before anyone says it: a list of clauses drawn without a look at the author.

use super::domain::{self, Aspect, Domain};
use super::draw::{chance, pick};
use super::opinions::{AWFUL, SUPERB};
use allonym_dp::PrivacyRng;

/// The content of one review.
pub(super) struct Plan {
    /// Whether the reviewer is pleased.
    pub(super) pleased: bool,
    /// Whether the past tense must be used.
    pub(super) over: bool,
    pub(super) steps: Vec<Step>,
}

/// A clause and how it continues what comes before.
pub(super) struct Step {
    pub(super) link: Link,
    pub(super) clause: Clause,
}

/// How a clause relates to the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// A new thought.
    Next,
    /// More of the same.
    And,
    /// The opposite.
    But,
    /// The reason.
    Because,
}

/// What is said.
pub(super) enum Clause {
    /// A sentence of the tables, its content slots filled.
    Statement(String),
    /// A conclusion, which closing words fit.
    Verdict(String),
    /// An aspect with an opinion; a `mild` opinion takes a word of degree.
    Judgement { noun: String, plural: bool, opinion: &'static str, mild: bool, good: bool },
}

impl Plan {
    /// Draws the content of a review; praise and complaint are equally likely.
    pub(super) fn draw(rng: &mut PrivacyRng) -> Self {
        let pleased = rng.below(2) == 1;
        let domain = pick(rng, domain::ALL);
        let mut draft = Draft::begin(rng, domain);
        let length = 5 + rng.below(4) as usize;
        let mut steps = Vec::new();

        let verdict_first = chance(rng, 25);
        let verdict_last = !verdict_first || chance(rng, 40);
        if verdict_first {
            let verdict = draft.verdict(rng, pleased);
            steps.push(Step { link: Link::Next, clause: verdict });
        }
        let facts = if chance(rng, 15) { 0 } else { 1 + usize::from(length > 5 && chance(rng, 50)) };
        let body = (length - facts - usize::from(verdict_first) - usize::from(verdict_last)).max(2);
        if !verdict_first {
            draft.tell(rng, facts, &mut steps);
        }
        draft.argue(rng, body, pleased, &mut steps);
        if verdict_first {
            draft.tell(rng, facts, &mut steps);
        }
        if verdict_last {
            let verdict = draft.verdict(rng, pleased);
            steps.push(Step { link: Link::Next, clause: verdict });
        }
        Self { pleased, over: domain.over, steps }
    }
}

/// What is left to say about one thing, in the order in which it will be said.
struct Draft {
    domain: &'static Domain,
    thing: &'static str,
    facts: Vec<&'static str>,
    aspects: Vec<Aspect>,
    delights: Vec<&'static str>,
    troubles: Vec<&'static str>,
    praise: Vec<&'static str>,
    blame: Vec<&'static str>,
}

impl Draft {
    fn begin(rng: &mut PrivacyRng, domain: &'static Domain) -> Self {
        let thing = pick(rng, domain.things);
        let mut shuffled = |tables: &[&[&'static str]]| {
            let mut items = tables.concat();
            rng.shuffle(&mut items);
            items
        };
        let facts = shuffled(&[domain.facts]);
        let delights = shuffled(&[domain.delights]);
        let troubles = shuffled(&[domain.troubles]);
        // The domain's own conclusions are few, so they count three times.
        let praise = shuffled(&[domain::PRAISE, domain.praise, domain.praise, domain.praise]);
        let blame = shuffled(&[domain::BLAME, domain.blame, domain.blame, domain.blame]);
        let mut aspects = domain.aspects.to_vec();
        rng.shuffle(&mut aspects);
        Self { domain, thing, facts, aspects, delights, troubles, praise, blame }
    }

    /// Adds neutral facts.
    fn tell(&mut self, rng: &mut PrivacyRng, count: usize, steps: &mut Vec<Step>) {
        for _ in 0..count {
            let Some(fact) = self.facts.pop() else { return };
            steps.push(Step { link: Link::Next, clause: Clause::Statement(self.fill(rng, fact)) });
        }
    }

    /// Adds opinions and events; at most one of them speaks against the verdict.
    fn argue(&mut self, rng: &mut PrivacyRng, count: usize, pleased: bool, steps: &mut Vec<Step>) {
        let contrary = if count > 2 && chance(rng, 40) { Some(rng.below(count as u64) as usize) } else { None };
        let mut judged_before = false;
        for place in 0..count {
            let good = pleased != (contrary == Some(place));
            let judge = chance(rng, 58);
            let turn = contrary.is_some_and(|c| (c == place && place > 0) || (c == 0 && place == 1));
            let link = if turn {
                Link::But
            } else if place == 0
                && matches!(steps.last(), Some(Step { clause: Clause::Verdict(_), .. }))
                && good == pleased
            {
                Link::Because
            } else if judge && judged_before && chance(rng, 75) {
                Link::And
            } else {
                Link::Next
            };
            let clause = if judge { self.judgement(rng, good) } else { self.event(rng, good) };
            // After an exception, "too" would not fit.
            judged_before = judge && contrary != Some(place);
            steps.push(Step { link, clause });
        }
    }

    fn judgement(&mut self, rng: &mut PrivacyRng, good: bool) -> Clause {
        // The tables hold fourteen aspects and a review judges at most eight times: a list of three is only made
        // while enough are left.
        if chance(rng, 12) && self.aspects.len() > 9 {
            let [a, b, c] = [0; 3].map(|_| self.aspects.pop().map_or("", |aspect| aspect.noun));
            let noun = format!("{a}, {b}{{,}} and {c}");
            let opinion = pick(rng, if good { SUPERB } else { AWFUL });
            return Clause::Judgement { noun, plural: true, opinion, mild: false, good };
        }
        let aspect = self.aspects.pop().unwrap_or(self.domain.aspects[0]);
        let mild = chance(rng, 80);
        let words = match (mild, good) {
            (true, true) => aspect.opinions.good,
            (true, false) => aspect.opinions.bad,
            (false, true) => SUPERB,
            (false, false) => AWFUL,
        };
        let opinion = pick(rng, words);
        Clause::Judgement { noun: aspect.noun.to_owned(), plural: aspect.plural, opinion, mild, good }
    }

    fn event(&mut self, rng: &mut PrivacyRng, good: bool) -> Clause {
        let event = if good { self.delights.pop() } else { self.troubles.pop() };
        Clause::Statement(self.fill(rng, event.unwrap_or_default()))
    }

    fn verdict(&mut self, rng: &mut PrivacyRng, pleased: bool) -> Clause {
        let verdict = if pleased { self.praise.pop() } else { self.blame.pop() };
        let verdict = verdict.unwrap_or_default();
        self.praise.retain(|other| *other != verdict);
        self.blame.retain(|other| *other != verdict);
        Clause::Verdict(self.fill(rng, verdict))
    }

    /// Fills the content slots of a clause.
    fn fill(&self, rng: &mut PrivacyRng, clause: &str) -> String {
        let mut filled = clause.replace("<thing>", self.thing);
        for (slot, table) in [("<person>", domain::PEOPLE), ("<when>", domain::TIMES)] {
            if filled.contains(slot) {
                filled = filled.replace(slot, pick(rng, table));
            }
        }
        if filled.contains("<n>") {
            filled = filled.replace("<n>", &format!("{{{}}}", 2 + rng.below(8)));
        }
        filled
    }
}
