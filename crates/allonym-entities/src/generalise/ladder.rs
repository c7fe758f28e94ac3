//! What may be said in the place of a name, from the name itself to nothing.

use super::hierarchy::{Hierarchy, known};
use crate::entity::Kind;

/// What stands for anything at all.
pub const STAR: &str = "*";
/// What is left where even a star would be too rare.
pub const NOTHING: &str = "";

/// The last steps of every ladder, whatever is at its foot.
pub const LAST: [&str; 2] = [STAR, NOTHING];

/// Hierarchies by kind.
#[derive(Clone, Debug, Default)]
pub struct Ladders {
    /// Of places.
    pub places: Hierarchy,
    /// Of organisations.
    pub organisations: Hierarchy,
    /// Of people, if there is any.
    pub people: Hierarchy,
}

/// A word by which an organisation shows its kind, and the kind.
const KINDS: [(&str, &str); 52] = [
    ("university", "a university"),
    ("college", "a college"),
    ("school", "a school"),
    ("academy", "a school"),
    ("institute", "an institute"),
    ("hospital", "a hospital"),
    ("clinic", "a clinic"),
    ("bank", "a bank"),
    ("church", "a church"),
    ("museum", "a museum"),
    ("library", "a library"),
    ("ministry", "a ministry"),
    ("department", "a department"),
    ("agency", "an agency"),
    ("council", "a council"),
    ("committee", "a committee"),
    ("commission", "a commission"),
    ("court", "a court"),
    ("parliament", "a parliament"),
    ("senate", "a parliament"),
    ("congress", "a parliament"),
    ("party", "a party"),
    ("union", "a union"),
    ("association", "an association"),
    ("society", "a society"),
    ("foundation", "a foundation"),
    ("club", "a club"),
    ("fc", "a club"),
    ("team", "a team"),
    ("band", "a band"),
    ("orchestra", "an orchestra"),
    ("theatre", "a theatre"),
    ("theater", "a theatre"),
    ("hotel", "a hotel"),
    ("restaurant", "a restaurant"),
    ("cafe", "a restaurant"),
    ("grill", "a restaurant"),
    ("pizza", "a restaurant"),
    ("airlines", "an airline"),
    ("airways", "an airline"),
    ("police", "the police"),
    ("army", "an army"),
    ("times", "a newspaper"),
    ("post", "a newspaper"),
    ("news", "a newspaper"),
    ("inc", "a company"),
    ("corp", "a company"),
    ("corporation", "a company"),
    ("company", "a company"),
    ("ltd", "a company"),
    ("llc", "a company"),
    ("group", "a company"),
];

/// Months by the beginnings of their names.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Ladders {
    /// The most steps of a ladder between the name and nothing.
    pub fn steps(&self) -> usize {
        // The name with what it lies in, what stands for anything of its kind, and the star; initials and kinds are one step.
        let own = [&self.places, &self.organisations, &self.people].map(Hierarchy::deepest);
        own.into_iter().max().unwrap_or(1).max(2) + 2
    }

    /// What may be said for a name, the most particular first. It ends with the star and nothing.
    pub fn of(&self, kind: Kind, name: &str) -> Vec<String> {
        let mut forms: Vec<String> = match kind {
            Kind::Person => self.person(name),
            Kind::Place => above(&self.places, name),
            Kind::Organisation => self.organisation(name),
            Kind::Date => date(name),
            _ => Vec::new(),
        };
        forms.push(kind.anything().to_owned());
        forms.extend(LAST.map(str::to_owned));
        forms.dedup();
        forms
    }

    fn person(&self, name: &str) -> Vec<String> {
        // People's names are not written in capitals, whatever the writer did.
        let name = known(name);
        let mut forms = above(&self.people, &name);
        forms.extend(initials(&name));
        forms
    }

    fn organisation(&self, name: &str) -> Vec<String> {
        let mut forms = above(&self.organisations, name);
        if forms.len() < 2 {
            let words = known(name);
            let mut words = words.split(|c: char| !c.is_alphanumeric()).rev();
            let kind = words.find_map(|word| KINDS.iter().find(|(known, _)| *known == word));
            forms.extend(kind.map(|(_, kind)| (*kind).to_owned()));
        }
        forms
    }
}

/// The first letters of a name. None, where they would be all of it.
pub fn initials(name: &str) -> Option<String> {
    let letter = |word: &str| word.chars().find(|c| c.is_alphabetic()).map(|c| format!("{}.", c.to_uppercase()));
    let initials: Vec<String> = name.split_whitespace().filter_map(letter).collect();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    (!initials.is_empty() && initials.len() < letters).then(|| initials.join(" "))
}

/// The name in one way of writing, and what it lies in.
fn above(hierarchy: &Hierarchy, name: &str) -> Vec<String> {
    match &hierarchy.above(name)[..] {
        [] => vec![written(name)],
        steps => steps.iter().map(|step| (*step).to_owned()).collect(),
    }
}

/// A name in one way of writing, so that how somebody wrote it does not tell who it was: every word with one capital, but for names in capitals of up to
/// four letters (`NASA`), little words and letters after a break (`O'Hara`).
fn written(name: &str) -> String {
    const LITTLE: [&str; 9] = ["of", "the", "and", "de", "la", "van", "von", "der", "al"];
    let word = |(place, word): (usize, &str)| {
        let small = known(word);
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if place > 0 && LITTLE.contains(&small.as_str()) || !small.contains(char::is_alphabetic) {
            return small;
        }
        if letters <= 4 && letters > 1 && !word.contains(char::is_lowercase) {
            return word.to_owned();
        }
        let mut written = String::with_capacity(small.len());
        let mut begins = true;
        for letter in small.chars() {
            if begins && letter.is_alphabetic() {
                written.extend(letter.to_uppercase());
            } else {
                written.push(letter);
            }
            begins = matches!(letter, '-' | '\'' | '’' | '.') && written.chars().count() < 3 || letter == '-';
        }
        written
    };
    name.split_whitespace().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// Never a day: its month, and its year, where they are said.
fn date(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let is_year = |part: &&str| part.len() == 4 && part.parse().is_ok_and(|year: u32| (1900..=2100).contains(&year));
    let year = parts.iter().copied().find(|part| is_year(part));
    let month = parts.iter().find_map(|part| month(part)).or_else(|| {
        // Only a date that begins with the year says which number is the month.
        let number: usize = parts.get(1).filter(|_| parts.len() == 3 && is_year(&parts[0]))?.parse().ok()?;
        MONTHS.get(number.checked_sub(1)?).copied()
    });
    match (month, year) {
        (Some(month), Some(year)) => vec![format!("{month} {year}"), year.to_owned()],
        (Some(month), None) => vec![month.to_owned()],
        (None, Some(year)) => vec![year.to_owned()],
        (None, None) => Vec::new(),
    }
}

/// The month of this name, or of its usual short form.
fn month(word: &str) -> Option<&'static str> {
    let small = word.to_lowercase();
    MONTHS.into_iter().find(|month| {
        let full = month.to_lowercase();
        full == small || full[..3] == *small || (full == "september" && small == "sept")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(kind: Kind, name: &str) -> Vec<String> {
        let places = Hierarchy::parse("Brooklyn,New York,United States\n").unwrap();
        Ladders { places, ..Ladders::default() }.of(kind, name)
    }

    #[test]
    fn people_become_initials_and_then_a_star() {
        assert_eq!(forms(Kind::Person, "ANNA  lee-jones"), ["Anna Lee-Jones", "A. L.", "*", ""]);
        assert_eq!(forms(Kind::Person, "o'hara"), ["O'Hara", "O.", "*", ""]);
        assert_eq!(forms(Kind::Person, "王"), ["王", "*", ""], "one letter is the whole name");
        assert_eq!(forms(Kind::Person, "4711"), ["4711", "*", ""]);
    }

    #[test]
    fn places_become_what_they_lie_in() {
        assert_eq!(forms(Kind::Place, "BROOKLYN"), ["Brooklyn", "New York", "United States", "somewhere", "*", ""]);
        assert_eq!(forms(Kind::Place, "atlantis"), ["Atlantis", "somewhere", "*", ""]);
    }

    #[test]
    fn organisations_become_their_kind() {
        assert_eq!(
            forms(Kind::Organisation, "university of Oslo"),
            ["University of Oslo", "a university", "an organisation", "*", ""]
        );
        assert_eq!(forms(Kind::Organisation, "Acme Inc."), ["Acme Inc.", "a company", "an organisation", "*", ""]);
        assert_eq!(forms(Kind::Organisation, "NASA"), ["NASA", "an organisation", "*", ""]);
    }

    #[test]
    fn a_day_is_never_said() {
        assert_eq!(forms(Kind::Date, "3 March 2024"), ["March 2024", "2024", "a date", "*", ""]);
        assert_eq!(forms(Kind::Date, "2024-03-12")[..2], ["March 2024", "2024"]);
        assert_eq!(forms(Kind::Date, "03/12/2024")[0], "2024", "which number is the month is not known");
        assert_eq!(forms(Kind::Date, "12/3/24")[0], "a date");
        assert_eq!(forms(Kind::Date, "Oct. 5")[0], "October");
        for other in ["0958 hours", "a decade ago", "junior year", "tomorrow"] {
            assert_eq!(forms(Kind::Date, other)[0], "a date", "{other}");
        }
    }

    #[test]
    fn numbers_are_never_said() {
        assert_eq!(forms(Kind::Phone, "+44 20 7946 0958"), ["a phone number", "*", ""]);
        assert_eq!(forms(Kind::Email, "a@b.org"), ["an e-mail address", "*", ""]);
    }
}
