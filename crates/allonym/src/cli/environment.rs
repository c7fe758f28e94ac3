//! Settings from the environment: unknown names are refused, as they are in a file.

use allonym::Failure;
use clap::Command;

const PREFIX: &str = "ALLONYM_";

/// Refuses `ALLONYM_..` variables that no flag reads: a misspelt one would silently do nothing.
pub(super) fn check(cli: &Command) -> Result<(), Failure> {
    let known = known(cli);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with(PREFIX) && !known.contains(&name) {
            let hint = match closest(&name, &known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    "each flag of `allonym anonymize --help` has a variable, such as `ALLONYM_MAX_TOKENS`".to_owned()
                }
            };
            return Err(Failure::new(format!("the environment sets `{name}`, which is no setting"), hint));
        }
    }
    Ok(())
}

/// The variables that some flag reads, of a command and all below it.
fn known(command: &Command) -> Vec<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_env());
    let own = own.map(|name| name.to_string_lossy().into_owned());
    own.chain(command.get_subcommands().flat_map(known)).collect()
}

/// The known name that differs in the fewest letters, if it is close.
fn closest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    known.iter().map(|k| (distance(name, k), k.as_str())).min().filter(|(far, _)| *far <= 3).map(|(_, k)| k)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn a_near_miss_gets_a_suggestion_and_a_far_one_does_not() {
        let known = vec!["ALLONYM_MECHANISM".to_owned(), "ALLONYM_SEED".to_owned()];
        assert_eq!(closest("ALLONYM_MECANISM", &known), Some("ALLONYM_MECHANISM"));
        assert_eq!(closest("ALLONYM_SOMETHING_ELSE", &known), None);
    }
}
