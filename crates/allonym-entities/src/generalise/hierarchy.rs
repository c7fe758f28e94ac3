//! What lies in what: a city in a region, a region in a country; a firm among its kind.

use allonym_text::key;
use std::collections::{HashMap, HashSet};
use thiserror::Error;

/// How many steps there may be above a name.
const STEPS: usize = 8;

/// A file of a hierarchy that is none.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum HierarchyError {
    /// A line with one name only, or with an empty one first.
    #[error("line {line}: a name and what it lies in are expected, with commas between")]
    Line {
        /// The line's number.
        line: usize,
    },
    /// A number of people that is none.
    #[error("line {line}: the last column is the number of people, and is none here")]
    People {
        /// The line's number.
        line: usize,
    },
    /// A name that lies in itself, by way of others.
    #[error("line {line}: what is named there would lie in itself")]
    Cycle {
        /// The line's number.
        line: usize,
    },
    /// A name with two parents.
    #[error("line {line}: the first name was put into something else before")]
    Twice {
        /// The line's number.
        line: usize,
    },
    /// More steps than there may be.
    #[error("line {line}: there are more than {STEPS} steps above the first name")]
    Deep {
        /// The line's number.
        line: usize,
    },
}

/// Names and what they lie in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hierarchy {
    /// By the name without capitals: the name as it is released, and what it lies in, step by step.
    nodes: HashMap<String, (String, Vec<String>)>,
    /// How many people live there, where that is public.
    people: HashMap<String, u64>,
    /// Whether every line says all there is above its name; else the last name of a line may go on in another.
    complete: bool,
}

impl Hierarchy {
    /// Reads lines of names, each lying in the next: `Camden,London,United Kingdom`. A line may go on where another ended. Names with commas stand in quotes.
    ///
    /// A table with a head whose last column is `people` (`city,region,country,people`) has one whole path on each line; what is said there of a
    /// country holds for a region of the same name too, and not the other way round.
    ///
    /// # Errors
    /// When a line has no parent, a name has two, or lies in itself.
    pub fn parse(text: &str) -> Result<Self, HierarchyError> {
        let (mut hierarchy, mut counted) = (Self::default(), HashSet::new());
        for (place, line) in text.lines().enumerate() {
            let mut cells = cells(line);
            if place == 0 && cells.last().is_some_and(|last| key(last) == "people") {
                hierarchy.complete = true;
                continue;
            }
            if cells.iter().all(String::is_empty) {
                continue;
            }
            let line = place + 1;
            let number: Option<u64> = match hierarchy.complete.then(|| cells.pop().unwrap_or_default()) {
                Some(number) if !number.is_empty() => {
                    Some(number.parse().map_err(|_| HierarchyError::People { line })?)
                }
                _ => None,
            };
            if cells.first().is_none_or(String::is_empty) {
                return Err(HierarchyError::Line { line });
            }
            // A city may lie in a country without a region, or in a region of its own name.
            let mut names: Vec<String> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
            if names.len() < 2 {
                return Err(HierarchyError::Line { line });
            }
            if let Some(number) = number {
                hierarchy.add_people(&names, number, &mut counted);
            }
            names.dedup_by_key(|name| known(name));
            hierarchy.add(&names, line)?;
        }
        Ok(hierarchy)
    }

    fn add_people(&mut self, names: &[String], number: u64, counted: &mut HashSet<(Vec<String>, u64)>) {
        let own = self.people.entry(known(&names[0])).or_default();
        *own = number.max(*own);
        // What lies there lives in all that is above. A city that is listed by several names is one: it has the same path and number.
        let above: Vec<String> = names[1..].iter().map(|name| known(name)).collect();
        if counted.insert((above.clone(), number)) {
            for name in above.into_iter().filter(|name| *name != known(&names[0])) {
                let people = self.people.entry(name).or_default();
                *people = people.saturating_add(number);
            }
        }
    }

    fn add(&mut self, names: &[String], line: usize) -> Result<(), HierarchyError> {
        for place in 0..names.len() {
            let (name, above) = (&names[place], &names[place + 1..]);
            match self.nodes.get_mut(&known(name)) {
                None => drop(self.nodes.insert(known(name), (name.clone(), above.to_vec()))),
                Some(node) if self.complete && above.len() < node.1.len() => *node = (name.clone(), above.to_vec()),
                Some(_) if self.complete => {}
                Some(node) if node.1.is_empty() => node.1 = above.to_vec(),
                Some(node) if place == 0 && !above.is_empty() && known(&node.1[0]) != known(&above[0]) => {
                    return Err(HierarchyError::Twice { line });
                }
                Some(_) => {}
            }
        }
        let steps = self.above(&names[0]);
        let mut seen: Vec<String> = steps.iter().map(|step| known(step)).collect();
        seen.sort_unstable();
        if seen.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(HierarchyError::Cycle { line });
        }
        if steps.len() > STEPS + 1 { Err(HierarchyError::Deep { line }) } else { Ok(()) }
    }

    /// The name as it is released and what it lies in, step by step; nothing, if it is not known.
    pub fn above(&self, name: &str) -> Vec<&str> {
        let mut steps = Vec::new();
        let mut next = self.nodes.get(&known(name));
        while let Some((name, above)) = next {
            if steps.is_empty() {
                steps.push(name.as_str());
            }
            steps.extend(above.iter().map(String::as_str));
            // More steps than may be, or a name that lies in itself: found when its line is read.
            let goes_on = !self.complete && !above.is_empty() && steps.len() <= 2 * STEPS;
            next = above.last().filter(|_| goes_on).and_then(|last| self.nodes.get(&known(last)));
        }
        steps
    }

    /// How many people live there, where that is public: for a region, in its cities.
    pub fn people(&self, name: &str) -> Option<u64> {
        self.people.get(&known(name)).copied()
    }

    /// The most steps above a name, and the name itself.
    pub fn deepest(&self) -> usize {
        self.nodes.values().map(|(name, _)| self.above(name).len()).max().unwrap_or(1)
    }

    /// Whether it says anywhere how many people there are.
    pub fn has_people(&self) -> bool {
        !self.people.is_empty()
    }

    /// Whether it knows nothing.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// A name without capitals, its words one space apart.
pub(super) fn known(name: &str) -> String {
    key(&name.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// The cells of a line: commas between them, quotes around those that have one.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            letter => cell.push(letter),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lie_in_what_their_lines_say() {
        let places =
            Hierarchy::parse("Camden,London\nLondon,England,United Kingdom\n\"Washington, D.C.\",United States\n")
                .unwrap();
        assert_eq!(places.above("CAMDEN"), ["Camden", "London", "England", "United Kingdom"]);
        assert_eq!(places.above("england"), ["England", "United Kingdom"]);
        assert_eq!(places.above("washington,  d.c."), ["Washington, D.C.", "United States"]);
        assert!(places.above("Atlantis").is_empty());
    }

    #[test]
    fn a_table_has_a_whole_path_on_each_line() {
        let text = "city,region,country,people\nAtlanta,Georgia,United States,500\nTbilisi,Tbilisi,Georgia,1000\nPerth,,Australia,5\nMexico,Mexico City,Mexico,9\n";
        let places = Hierarchy::parse(text).unwrap();
        assert_eq!(places.above("tbilisi"), ["Tbilisi", "Georgia"], "the country, not the state");
        assert_eq!(places.above("atlanta"), ["Atlanta", "Georgia", "United States"]);
        assert_eq!(places.above("GEORGIA"), ["Georgia"], "who says no more means the larger");
        assert_eq!(places.above("Mexico"), ["Mexico"]);
        assert_eq!(places.above("perth"), ["Perth", "Australia"]);
        let again = format!("{text}Tiflis,Tbilisi,Georgia,1000\n");
        assert_eq!(Hierarchy::parse(&again).unwrap().people("tbilisi"), Some(1000), "one city by two names");
        let people = ["atlanta", "united states", "Georgia", "nowhere"].map(|name| places.people(name));
        assert_eq!(people, [Some(500), Some(500), Some(1500), None]);
    }

    #[test]
    fn a_name_that_lies_in_itself_is_refused() {
        assert_eq!(Hierarchy::parse("a,b\nb,c\nc,a\n"), Err(HierarchyError::Cycle { line: 3 }));
        assert_eq!(Hierarchy::parse("New York,New York,US\n").unwrap().above("new york"), ["New York", "US"]);
    }

    #[test]
    fn other_bad_lines_are_named() {
        assert_eq!(Hierarchy::parse("a,b\nc\n"), Err(HierarchyError::Line { line: 2 }));
        assert_eq!(Hierarchy::parse("city,people\nfoo\n"), Err(HierarchyError::People { line: 2 }));
        assert_eq!(Hierarchy::parse("city,region,people\n,b,5\n"), Err(HierarchyError::Line { line: 2 }));
        assert_eq!(Hierarchy::parse("a,b\na,c\n"), Err(HierarchyError::Twice { line: 2 }));
        let deep: String = (0..12).rev().map(|i| format!("n{i},n{}\n", i + 1)).collect();
        assert!(matches!(Hierarchy::parse(&deep), Err(HierarchyError::Deep { .. })));
    }
}
