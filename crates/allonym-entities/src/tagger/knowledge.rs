//! What is known of words beforehand: which are used alike (Brown clusters), and lists of names.

use super::hash::{Places, both, of_text, short};
use allonym_text::key;

/// Lists of names, in the order of their bits.
pub const LISTS: [&str; 7] = ["first-name", "last-name", "city", "region", "country", "organisation", "nationality"];

/// Words of the longest name that is looked up.
const LONGEST: usize = 4;

/// Clusters of words and lists of names, by hashes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    /// The path of each word, as it is written, in a tree of words that are used alike: its bits below a leading 1.
    pub(super) clusters: Vec<(u32, u32)>,
    /// The same without capitals, in a tree by word vectors.
    pub(super) senses: Vec<(u32, u32)>,
    /// The lists that each name stands in, one bit for each.
    pub(super) names: Vec<(u32, u32)>,
}

/// The same, for looking up.
#[derive(Clone, Debug)]
pub(super) struct Known {
    clusters: Places,
    senses: Places,
    names: Places,
}

impl Knowledge {
    /// Adds words with their paths in a tree of clusters, given as zeros and ones. Lines that are none are passed over; returns how many were.
    pub fn add_clusters(&mut self, lines: &str) -> usize {
        add_paths(&mut self.clusters, lines)
    }

    /// Adds words in small letters with their paths in a tree by word vectors.
    pub fn add_senses(&mut self, lines: &str) -> usize {
        add_paths(&mut self.senses, lines)
    }

    /// Adds names to the list of this name, one a line. Names of more than four words are passed over.
    pub fn add_names(&mut self, list: &str, lines: &str) -> bool {
        let Some(bit) = LISTS.iter().position(|known| *known == list) else { return false };
        for line in lines.lines() {
            let words = allonym_text::tokenise(line).map(|span| of_text(&key(&line[span]))).collect::<Vec<_>>();
            if (1..=LONGEST).contains(&words.len()) {
                let hash = words[1..].iter().fold(words[0], |hash, word| both(hash, *word));
                self.names.push((short(hash), 1 << bit));
            }
        }
        self.names.sort_unstable();
        self.names.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 |= later.1;
            }
            same
        });
        true
    }

    pub(super) fn known(&self) -> Known {
        let places = |entries: &[(u32, u32)]| Places::of(entries.iter().copied());
        Known { clusters: places(&self.clusters), senses: places(&self.senses), names: places(&self.names) }
    }
}

fn add_paths(tree: &mut Vec<(u32, u32)>, lines: &str) -> usize {
    let mut passed = 0;
    for line in lines.lines() {
        let path = line.split_once('\t').and_then(|(word, path)| Some((word, code(path.trim())?)));
        match path {
            Some((word, code)) => tree.push((short(of_text(word)), code)),
            None => passed += 1,
        }
    }
    tree.sort_unstable();
    tree.dedup_by_key(|entry| entry.0);
    passed
}

/// A path of zeros and ones as a number: a leading 1, then the path.
fn code(path: &str) -> Option<u32> {
    (path.len() < 32 && !path.is_empty() && path.bytes().all(|b| matches!(b, b'0' | b'1')))
        .then(|| path.bytes().fold(1, |code, bit| code << 1 | u32::from(bit == b'1')))
}

/// The first steps of a path; all of it, if it is shorter.
pub(super) fn beginning(code: u32, steps: u32) -> u32 {
    let len = 31 - code.leading_zeros();
    code >> len.saturating_sub(steps)
}

impl Known {
    pub(super) fn cluster(&self, form: u64) -> Option<u32> {
        self.clusters.get(short(form))
    }

    pub(super) fn sense(&self, word: u64) -> Option<u32> {
        self.senses.get(short(word))
    }

    /// The marks of a sentence's words.
    pub(super) fn marks(&self, sentence: &[&str]) -> Vec<u32> {
        let words: Vec<u64> = sentence.iter().map(|token| of_text(&key(token))).collect();
        let mut marks = vec![0; words.len()];
        self.mark(&words, &mut marks);
        marks
    }

    /// Marks the words of every name: one bit for each list and for a name of one word, its first word and those after.
    pub(super) fn mark(&self, words: &[u64], marks: &mut [u32]) {
        let lists = LISTS.len();
        for start in 0..words.len() {
            let mut hash = words[start];
            for end in start + 1..=(start + LONGEST).min(words.len()) {
                if end > start + 1 {
                    hash = both(hash, words[end - 1]);
                }
                let Some(found) = self.names.get(short(hash)) else { continue };
                if end == start + 1 {
                    marks[start] |= found;
                } else {
                    marks[start] |= found << lists;
                    marks[start + 1..end].iter_mut().for_each(|mark| *mark |= found << (2 * lists));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_several_words_are_marked_from_the_first_to_the_last() {
        let mut knowledge = Knowledge::default();
        assert!(knowledge.add_names("city", "New York\nYork\nPort of Spain and of much else\n"));
        assert!(knowledge.add_names("last-name", "York\n"));
        assert!(!knowledge.add_names("fish", "Cod\n"));
        let words = ["in", "new", "york"].map(of_text);
        let mut marks = [0; 3];
        knowledge.known().mark(&words, &mut marks);
        // One bit for each list: a name of one word, then the first of several, then the others.
        assert_eq!(marks, [0, 1 << 9, 1 << 16 | 1 << 2 | 1 << 1]);
    }

    #[test]
    fn a_path_is_cut_from_its_beginning() {
        let mut knowledge = Knowledge::default();
        assert_eq!(knowledge.add_clusters("London\t10110\nodd\t12\n\nodd\n"), 3);
        let found = knowledge.known().cluster(of_text("London")).unwrap();
        assert_eq!((found, beginning(found, 3), beginning(found, 9)), (0b110110, 0b1101, 0b110110));
        assert_eq!(knowledge.known().cluster(of_text("Paris")), None);
    }
}
