//! Which column is what, and which of the others may pass.

use crate::error::IoError;
use serde::Serialize;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The names of the columns that Allonym knows, and what is to become of the others.
#[derive(Clone, Debug)]
pub struct Columns {
    /// The column that holds the text.
    pub text: String,
    /// The column that names the record.
    pub id: String,
    /// The column that names the author.
    pub author: String,
    /// The column that holds a label.
    pub label: String,
    /// Columns that must exist because the user named them.
    pub required: Vec<String>,
    /// Whether the author column is carried through. It gives the author away.
    pub keep_author: bool,
    /// Columns that are dropped besides the author's.
    pub drop: Vec<String>,
    /// Columns that stay behind where there are any, since the release is to hide what they say. Upper case and spaces at the ends make no difference.
    pub withheld: Vec<String>,
    /// Whether readers hand out ids and authors, as a ledger needs them. The id's column must then exist.
    pub keys: bool,
    /// Columns whose values readers hand out, for the owner's own evaluation. They need not exist.
    pub values: Vec<String>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            text: "text".into(),
            id: "id".into(),
            author: "author".into(),
            label: "label".into(),
            required: Vec::new(),
            keep_author: false,
            drop: Vec::new(),
            withheld: Vec::new(),
            keys: false,
            values: Vec::new(),
        }
    }
}

impl Columns {
    /// Whether a column names the author: `Author` and `author ` do too.
    pub(crate) fn is_author(&self, column: &str) -> bool {
        folded(column) == folded(&self.author)
    }

    /// The columns of a header that hold the id and the author's name.
    pub(crate) fn places(&self, header: &[String]) -> (Option<usize>, Option<usize>) {
        let place = |is: &dyn Fn(&String) -> bool| header.iter().position(is);
        let author = place(&|name| *name == self.author).or_else(|| place(&|name| self.is_author(name)));
        (place(&|name| *name == self.id), author)
    }

    /// Where each column stands whose values are handed out.
    pub(crate) fn value_places(&self, header: &[String]) -> Vec<Option<usize>> {
        self.values.iter().map(|wanted| header.iter().position(|name| name == wanted)).collect()
    }

    /// The columns that must be there: the text's, and those that the user named or the ledger needs.
    pub(crate) fn expected(&self) -> impl Iterator<Item = &String> {
        let id = self.keys.then_some(&self.id);
        self.required.iter().chain(&self.drop).chain(id)
    }

    /// The flag that names a column.
    pub(crate) fn flag(&self, column: &str) -> &'static str {
        match column {
            _ if column == self.text => "--text-column",
            _ if self.drop.iter().any(|dropped| dropped == column) => "--drop",
            _ if column == self.author => "--author-column",
            _ if column == self.label => "--label-column",
            // Last: where nothing is looked up, another column stands for the id.
            _ if column == self.id => "--id-column",
            _ => "--target",
        }
    }

    /// Whether a column other than the text leaves with the release.
    pub(crate) fn carries(&self, column: &str) -> bool {
        let withheld = self.withheld.iter().any(|withheld| folded(withheld) == folded(column));
        let stays = withheld || self.is_author(column) && !self.keep_author;
        !stays && !self.drop.iter().any(|dropped| dropped == column)
    }

    /// Checks a header: the text column exists once, and so does every column that the user named.
    pub(crate) fn check(&self, header: &[String]) -> Result<usize, IoError> {
        for column in self.expected().chain([&self.text]) {
            if !header.contains(column) {
                return Err(self.missing(column, header.iter().map(String::as_str)));
            }
        }
        if self.keys {
            // Which of two columns says who it is must not be guessed.
            let twice = |is: &dyn Fn(&String) -> bool| header.iter().filter(|name| is(name)).count() > 1;
            let authors = header.iter().filter(|name| **name == self.author).count();
            if twice(&|name| *name == self.id) {
                return Err(IoError::RepeatedColumn { column: self.id.clone() });
            }
            if authors > 1 || (authors == 0 && twice(&|name| self.is_author(name))) {
                return Err(IoError::RepeatedColumn { column: self.author.clone() });
            }
        }
        let mut places = header.iter().enumerate().filter(|(_, name)| **name == self.text).map(|(place, _)| place);
        match (places.next(), places.next()) {
            (Some(place), None) => Ok(place),
            _ => Err(IoError::RepeatedColumn { column: self.text.clone() }),
        }
    }

    /// The error for a column that is not there.
    pub(crate) fn missing<'a>(&self, column: &str, there: impl Iterator<Item = &'a str>) -> IoError {
        let mut count = 0;
        let mut similar = None;
        for name in there {
            count += 1;
            if folded(name) == folded(column) {
                similar = Some(name.to_owned());
            }
        }
        IoError::MissingColumn { column: column.to_owned(), there: count, similar, flag: self.flag(column) }
    }
}

/// A name without what people do not see in it.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// What was read and what passes, for the owner to see.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Records read.
    pub records: u64,
    /// Columns that leave as they came.
    pub carried: Vec<String>,
    /// Columns that were left out.
    pub dropped: Vec<String>,
    /// Records whose id had been seen before; `None` when the file has no ids or too many to remember.
    pub repeated_ids: Option<u64>,
    /// Anything else the owner should know.
    #[serde(skip)]
    pub remarks: Vec<String>,
}

impl Report {
    /// Notes the columns of a file, or of a record with columns of its own.
    pub(crate) fn note_columns<'a>(&mut self, names: impl IntoIterator<Item = &'a str>, columns: &Columns) {
        // Keys of JSON records may be without number; the list for people is not.
        const MOST: usize = 10_000;
        for name in names {
            if name == columns.text {
                continue;
            }
            let list = if columns.carries(name) { &mut self.carried } else { &mut self.dropped };
            if list.iter().any(|known| known == name) {
                continue;
            }
            if list.len() < MOST {
                list.push(name.to_owned());
            } else if self.remarks.is_empty() {
                self.remarks
                    .push(format!("there are more than {MOST} columns; the rest is treated alike but not listed"));
            }
        }
    }
}

/// Notices ids that occur twice, in bounded memory.
pub(crate) struct Ids {
    seen: HashSet<u64>,
    repeated: u64,
    hasher: RandomState,
    overflowed: bool,
}

impl Ids {
    /// 4 million hashes take about 64 MB.
    const MOST: usize = 4_000_000;

    pub(crate) fn new() -> Self {
        Self { seen: HashSet::new(), repeated: 0, hasher: RandomState::new(), overflowed: false }
    }

    pub(crate) fn note(&mut self, id: &[u8]) {
        if self.overflowed {
            return;
        }
        if !self.seen.insert(self.hasher.hash_one(id)) {
            self.repeated += 1;
        }
        if self.seen.len() >= Self::MOST {
            self.overflowed = true;
            self.seen = HashSet::new();
        }
    }

    pub(crate) fn repeated(&self) -> Option<u64> {
        let any = self.repeated > 0 || !self.seen.is_empty();
        (any && !self.overflowed).then_some(self.repeated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_author_stays_behind_unless_kept() {
        assert!(!Columns::default().carries("author"));
        assert!(Columns { keep_author: true, ..Columns::default() }.carries("author"));
        assert!(Columns::default().carries("id"));
        assert!(!Columns::default().carries("Author ") && Columns::default().carries("co-author"));
    }

    #[test]
    fn a_text_column_that_is_missing_or_twice_there_is_refused() {
        let columns = Columns::default();
        assert_eq!(columns.check(&header(&["id", "text"])).unwrap(), 1);
        assert!(matches!(columns.check(&header(&["id"])), Err(IoError::MissingColumn { .. })));
        assert!(matches!(columns.check(&header(&["text", "text"])), Err(IoError::RepeatedColumn { .. })));
    }

    #[test]
    fn what_is_to_be_hidden_stays_behind_however_its_column_is_written() {
        let columns = Columns { withheld: vec!["Gender".into()], ..Columns::default() };
        assert!(!columns.carries("gender ") && !columns.carries("Gender") && columns.carries("age"));
        assert!(columns.check(&["text".to_owned()]).is_ok(), "it need not exist");
    }

    #[test]
    fn a_column_to_drop_must_exist() {
        let columns = Columns { drop: vec!["date".into()], ..Columns::default() };
        assert!(matches!(columns.check(&header(&["text"])), Err(IoError::MissingColumn { .. })));
    }

    #[test]
    fn with_keys_the_id_must_be_there_and_nobody_is_guessed() {
        let columns = Columns { keys: true, ..Columns::default() };
        let check = |names: &[&str]| columns.check(&header(names)).map_err(|error| error.to_string());
        assert_eq!(check(&["text", "id"]), Ok(0));
        assert!(check(&["text", "ID"]).unwrap_err().contains("did you mean `ID`?"));
        assert!(check(&["text", "id", "id"]).unwrap_err().contains("`id` occurs twice"));
        assert!(check(&["text", "id", "Author", "AUTHOR"]).unwrap_err().contains("`author` occurs twice"));
        assert_eq!(check(&["text", "id", "Author", "author"]), Ok(0));
        assert_eq!(columns.places(&header(&["text", "id", "Author", "author"])), (Some(1), Some(3)));
        assert_eq!(columns.places(&header(&["text", "Author "])), (None, Some(1)));
    }

    #[test]
    fn repeated_ids_are_counted() {
        let mut ids = Ids::new();
        assert_eq!(ids.repeated(), None);
        for id in ["a", "b", "a", "a"] {
            ids.note(id.as_bytes());
        }
        assert_eq!(ids.repeated(), Some(2));
    }
}
