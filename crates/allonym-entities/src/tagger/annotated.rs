//! Sentences with names that people marked, as such files are written: a token and its label on each line.

use super::labels::Span;
use thiserror::Error;

/// A sentence and its names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// Its tokens.
    pub tokens: Vec<String>,
    /// Its names, in their order.
    pub spans: Vec<Span>,
}

/// Documents of sentences with names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotated {
    /// Documents.
    pub documents: Vec<Vec<Sentence>>,
}

/// A file of annotated sentences that is none.
#[derive(Debug, Error)]
pub enum AnnotatedError {
    /// A line without a label.
    #[error("line {line}: a token and its label are expected")]
    Line {
        /// The line's number.
        line: usize,
    },
    /// No sentence at all.
    #[error("there is no sentence with a token and its label on each line")]
    Empty,
}

/// The kind that a label names, of those that are looked for.
fn kind_of(label: &str, kinds: &[String]) -> Option<usize> {
    let known = match label {
        "PER" | "person" | "PERSON" => "person",
        "LOC" | "GPE" | "location" | "place" | "LOCATION" => "place",
        "ORG" | "organization" | "corporation" | "group" | "ORGANIZATION" => "organisation",
        "MISC" => "other",
        other => other,
    };
    kinds.iter().position(|kind| kind == known)
}

impl Annotated {
    /// Reads lines of tokens and labels: the token first and the label last (CoNLL 2003), or the token's number, the token and the label (IOB2 with
    /// numbers). Labels may begin every name (`B-`) or only those that touch another. Labels of other kinds are taken for none.
    ///
    /// # Errors
    /// When a line has no label, or there is no sentence.
    pub fn parse(text: &str, kinds: &[String]) -> Result<Self, AnnotatedError> {
        let (mut documents, mut sentences, mut sentence) = (Vec::new(), Vec::new(), Sentence::default());
        let (mut label_before, mut marked) = (String::new(), false);
        for (place, line) in text.lines().enumerate() {
            let document = line.starts_with("-DOCSTART-") || line.starts_with("# newdoc");
            marked |= document;
            if document || line.trim().is_empty() {
                if !sentence.tokens.is_empty() {
                    sentences.push(std::mem::take(&mut sentence));
                }
                label_before.clear();
                if document && !sentences.is_empty() {
                    documents.push(std::mem::take(&mut sentences));
                }
                continue;
            }
            if sentence.tokens.is_empty() && line.starts_with("# ") && line.contains(" = ") {
                continue;
            }
            let columns: Vec<&str> =
                if line.contains('\t') { line.split('\t').collect() } else { line.split_whitespace().collect() };
            let (token, label) = match columns[..] {
                [number, token, label, _, ..] if number.parse::<u32>().is_ok() && is_label(label) => (token, label),
                [token, .., label] => (token, label),
                _ => return Err(AnnotatedError::Line { line: place + 1 }),
            };
            let label = label.trim();
            if !is_label(label) {
                return Err(AnnotatedError::Line { line: place + 1 });
            }
            sentence.add(token, label, &label_before, kinds);
            label.clone_into(&mut label_before);
        }
        if !sentence.tokens.is_empty() {
            sentences.push(sentence);
        }
        if documents.is_empty() && !marked {
            // Without marks, sentences may come from anywhere: each is a document.
            documents.extend(sentences.drain(..).map(|sentence| vec![sentence]));
        }
        if !sentences.is_empty() {
            documents.push(sentences);
        }
        if documents.is_empty() { Err(AnnotatedError::Empty) } else { Ok(Self { documents }) }
    }

    /// The same without descriptions (`my father`): only what is written with capitals, but for little words inside.
    #[must_use]
    pub fn names_only(mut self) -> Self {
        for sentence in self.documents.iter_mut().flatten() {
            let tokens = &sentence.tokens;
            sentence.spans = sentence.spans.drain(..).filter_map(|span| name_of(tokens, span)).collect();
        }
        self
    }

    /// How many tokens there are.
    pub fn tokens(&self) -> usize {
        self.documents.iter().flatten().map(|sentence| sentence.tokens.len()).sum()
    }
}

fn is_label(label: &str) -> bool {
    label == "O" || label.get(1..2) == Some("-") && matches!(&label[..1], "B" | "I" | "E" | "S" | "L" | "U")
}

/// The part of a description that is a name, if all of the rest is an article.
fn name_of(tokens: &[String], span: Span) -> Option<Span> {
    const LITTLE: [&str; 8] = ["of", "the", "and", "de", "la", "von", "'s", "-"];
    let mut range = span.tokens;
    while range.len() > 1 && matches!(tokens[range.start].to_lowercase().as_str(), "the" | "a" | "an") {
        range.start += 1;
    }
    let capital = |token: &String| token.starts_with(char::is_uppercase);
    let little = |token: &String| LITTLE.contains(&token.as_str());
    let name = tokens[range.clone()].iter().all(|token| capital(token) || little(token));
    // A capital at the beginning of a sentence says nothing.
    let says = tokens[range.clone()].iter().zip(range.clone()).any(|(token, place)| place > 0 && capital(token));
    let pronoun =
        range.len() == 1 && matches!(tokens[range.start].as_str(), "I" | "We" | "He" | "She" | "They" | "You" | "My");
    (name && says && !pronoun).then_some(Span { tokens: range, kind: span.kind })
}

impl Sentence {
    fn add(&mut self, token: &str, label: &str, before: &str, kinds: &[String]) {
        let place = self.tokens.len();
        self.tokens.push(token.to_owned());
        let Some((part, name)) = label.split_once('-') else { return };
        let Some(kind) = kind_of(name, kinds) else { return };
        let same = before.split_once('-').is_some_and(|(_, other)| other == name);
        match self.spans.last_mut() {
            Some(last) if last.tokens.end == place && same && !matches!(part, "B" | "S" | "U") => {
                last.tokens.end = place + 1;
            }
            _ => self.spans.push(Span { tokens: place..place + 1, kind }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Vec<String> {
        ["person", "place", "organisation"].map(str::to_owned).to_vec()
    }

    fn spans(text: &str) -> Vec<Vec<(std::ops::Range<usize>, usize)>> {
        let read = Annotated::parse(text, &kinds()).unwrap();
        let of = |s: &Sentence| s.spans.iter().map(|span| (span.tokens.clone(), span.kind)).collect();
        read.documents.iter().flatten().map(of).collect()
    }

    #[test]
    fn names_may_begin_with_inside_or_with_begin() {
        let text = "-DOCSTART- -X- O O\n\nAnn NNP I-NP I-PER\nLee NNP I-NP I-PER\nParis NNP I-NP I-LOC\n\nA\tB-PER\nB\tB-PER\nC\tI-ORG\n";
        assert_eq!(spans(text), [vec![(0..2, 0), (2..3, 1)], vec![(0..1, 0), (1..2, 0), (2..3, 2)]]);
    }

    #[test]
    fn numbered_lines_have_the_token_second() {
        let text = "# newdoc id = a\n# sent_id = 1\n# text = In Rome\n1\tIn\tO\t-\t-\n2\tRome\tB-LOC\t-\tann\n\n";
        assert_eq!(spans(text), [[(1..2, 1)]]);
    }

    #[test]
    fn other_kinds_are_none_and_a_line_without_a_label_is_refused() {
        assert_eq!(spans("Sun\tB-product\nset\tO\n"), [[]]);
        assert_eq!(
            Annotated::parse("a O\nb\n", &kinds()).unwrap_err().to_string(),
            "line 2: a token and its label are expected"
        );
        assert!(matches!(Annotated::parse("\n\n", &kinds()), Err(AnnotatedError::Empty)));
    }

    #[test]
    fn descriptions_are_no_names() {
        let text = "My\tB-person\nfather\tI-person\nsaw\tO\nthe\tB-organization\nBank\tI-organization\nof\tI-organization\nEngland\tI-organization\n";
        let read = Annotated::parse(text, &kinds()).unwrap().names_only();
        assert_eq!(read.documents[0][0].spans, [Span { tokens: 4..7, kind: 2 }]);
    }
}
