//! The tables of a ledger, and the rules that the file itself enforces.
//!
//! `entry` and `line` are the journal: nothing in them is changed or taken away, and a line comes before its entry or
//! not at all. `limits`, the balances and `unbounded` are derived from the journal, in the same transaction, to be found quickly.

use crate::limit::Scope;
use rusqlite::{Connection, Result};

/// Marks the file as ours (`Alny`); SQLite keeps it in the header.
pub(crate) const APPLICATION_ID: i32 = 0x416c_6e79;

/// The version of the tables. Version 1 (Allonym 0.1) has no losses without a bound; its ledgers are used as they are until the
/// first of these is written.
pub(crate) const VERSION: i32 = 2;

/// The oldest version that is still used.
pub(crate) const OLDEST: i32 = 1;

/// Tables and rules of version 1.
const STATEMENTS: [&str; 16] = [
    "CREATE TABLE entry (sequence INTEGER PRIMARY KEY, key BLOB UNIQUE, previous BLOB NOT NULL, body TEXT NOT NULL, \
     hash BLOB NOT NULL) STRICT",
    "CREATE TABLE line (sequence INTEGER NOT NULL, place INTEGER NOT NULL, record BLOB NOT NULL, author BLOB, \
     PRIMARY KEY (sequence, place)) STRICT, WITHOUT ROWID",
    "CREATE TABLE limits (scope TEXT PRIMARY KEY, epsilon INTEGER NOT NULL, delta INTEGER NOT NULL) \
     STRICT, WITHOUT ROWID",
    "CREATE TABLE record_balance (tag BLOB PRIMARY KEY, epsilon INTEGER NOT NULL, delta INTEGER NOT NULL, \
     lines INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE author_balance (tag BLOB PRIMARY KEY, epsilon INTEGER NOT NULL, delta INTEGER NOT NULL, \
     lines INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_is_next BEFORE INSERT ON entry \
     WHEN NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM entry) \
     BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER line_is_kept BEFORE DELETE ON line BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER line_stays BEFORE UPDATE ON line BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER line_precedes_its_entry BEFORE INSERT ON line \
     WHEN NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM entry) \
     BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER limit_is_kept BEFORE DELETE ON limits BEGIN SELECT RAISE(ABORT, 'kept'); END",
    "CREATE TRIGGER record_balance_is_kept BEFORE DELETE ON record_balance BEGIN SELECT RAISE(ABORT, 'kept'); END",
    "CREATE TRIGGER record_balance_never_falls BEFORE UPDATE ON record_balance \
     WHEN NEW.epsilon < OLD.epsilon OR NEW.delta < OLD.delta BEGIN SELECT RAISE(ABORT, 'kept'); END",
    "CREATE TRIGGER author_balance_is_kept BEFORE DELETE ON author_balance BEGIN SELECT RAISE(ABORT, 'kept'); END",
    "CREATE TRIGGER author_balance_never_falls BEFORE UPDATE ON author_balance \
     WHEN NEW.epsilon < OLD.epsilon OR NEW.delta < OLD.delta BEGIN SELECT RAISE(ABORT, 'kept'); END",
];

/// What version 2 adds: whose loss has no bound.
const UNBOUNDED: [&str; 3] = [
    "CREATE TABLE unbounded (scope TEXT NOT NULL, tag BLOB NOT NULL, PRIMARY KEY (scope, tag)) STRICT, WITHOUT ROWID",
    "CREATE TRIGGER unbounded_is_kept BEFORE DELETE ON unbounded BEGIN SELECT RAISE(ABORT, 'kept'); END",
    "CREATE TRIGGER unbounded_stays BEFORE UPDATE ON unbounded BEGIN SELECT RAISE(ABORT, 'kept'); END",
];

/// Makes the tables in a new file.
pub(crate) fn create(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    STATEMENTS.iter().try_for_each(|statement| connection.execute_batch(statement))?;
    upgrade(connection)
}

/// Gives a ledger of version 1 the table of version 2. To be called in a transaction that writes.
pub(crate) fn upgrade(connection: &Connection) -> Result<()> {
    if keeps_unbounded(connection)? {
        return Ok(());
    }
    UNBOUNDED.iter().try_for_each(|statement| connection.execute_batch(statement))?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Whether the ledger can hold losses without a bound. Another process may have changed that since it was opened.
pub(crate) fn keeps_unbounded(connection: &Connection) -> Result<bool> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))? >= VERSION)
}

/// An expression that says whether a tag of a scope has a loss without a bound.
pub(crate) fn is_unbounded(connection: &Connection, scope: Scope, tag: &str) -> Result<String> {
    Ok(match keeps_unbounded(connection)? {
        true => format!("EXISTS (SELECT 1 FROM unbounded WHERE scope = '{scope}' AND unbounded.tag = {tag})"),
        false => "0".to_owned(),
    })
}

/// Whether tables and rules are word for word those of the ledger's version.
pub(crate) fn holds(connection: &Connection) -> Result<bool> {
    // Names that begin with `sqlite_` are SQLite's own, such as the statistics of ANALYZE.
    let mut query = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@'")?;
    let mut found: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    let added: &[&str] = if keeps_unbounded(connection)? { &UNBOUNDED } else { &[] };
    let mut expected: Vec<&str> = STATEMENTS.iter().chain(added).copied().collect();
    found.sort_unstable();
    expected.sort_unstable();
    Ok(found == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        create(&connection).unwrap();
        connection
            .execute_batch(
                "INSERT INTO line VALUES (1, 1, x'01', NULL); INSERT INTO entry VALUES (1, NULL, x'00', '{}', x'00');
                 INSERT INTO limits VALUES ('record', 1, 0); INSERT INTO record_balance VALUES (x'01', 5, 0, 1);
                 INSERT INTO author_balance VALUES (x'01', 5, 0, 1); INSERT INTO unbounded VALUES ('record', x'01');",
            )
            .unwrap();
        connection
    }

    #[test]
    fn a_new_file_has_the_tables_it_should() {
        assert!(holds(&ledger()).unwrap());
    }

    #[test]
    fn a_missing_rule_is_noticed() {
        let connection = ledger();
        connection.execute_batch("DROP TRIGGER line_stays").unwrap();
        assert!(!holds(&connection).unwrap());
    }

    #[test]
    fn a_ledger_of_version_1_is_good_before_and_after_it_is_upgraded() {
        let connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", OLDEST).unwrap();
        STATEMENTS.iter().for_each(|statement| connection.execute_batch(statement).unwrap());
        assert!(holds(&connection).unwrap() && !keeps_unbounded(&connection).unwrap());
        upgrade(&connection).unwrap();
        upgrade(&connection).unwrap();
        assert!(holds(&connection).unwrap() && keeps_unbounded(&connection).unwrap());
    }

    #[test]
    fn the_file_forbids_to_change_what_is_written() {
        let forbidden = [
            "DELETE FROM entry",
            "UPDATE entry SET body = '[]'",
            "INSERT OR REPLACE INTO entry VALUES (1, NULL, x'00', '[]', x'00')",
            "INSERT INTO entry VALUES (3, NULL, x'00', '[]', x'00')",
            "DELETE FROM line",
            "UPDATE line SET record = x'02'",
            "INSERT OR REPLACE INTO line VALUES (1, 1, x'02', NULL)",
            "INSERT INTO line VALUES (1, 2, x'02', NULL)",
            "DELETE FROM limits",
            "DELETE FROM record_balance",
            "UPDATE record_balance SET epsilon = 4",
            "DELETE FROM author_balance",
            "UPDATE author_balance SET epsilon = 4",
            "DELETE FROM unbounded",
            "UPDATE unbounded SET tag = x'02'",
        ];
        for statement in forbidden {
            assert!(ledger().execute_batch(statement).is_err(), "{statement}");
        }
    }
}
