//! The tables of a ledger, and the rules that the file itself enforces.
//!
//! `entry` and `line` are the journal: nothing in them is changed or taken away, and a line comes before its entry or
//! not at all. `limits` and the balances are derived from the journal, in the same transaction, to be found quickly.

use rusqlite::{Connection, Result};

/// Marks the file as ours (`Alny`); SQLite keeps it in the header.
pub(crate) const APPLICATION_ID: i32 = 0x416c_6e79;

/// The version of the tables.
pub(crate) const VERSION: i32 = 1;

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

/// Makes the tables in a new file.
pub(crate) fn create(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    STATEMENTS.iter().try_for_each(|statement| connection.execute_batch(statement))
}

/// Whether tables and rules are word for word those of [`create`].
pub(crate) fn holds(connection: &Connection) -> Result<bool> {
    // Names that begin with `sqlite_` are SQLite's own, such as the statistics of ANALYZE.
    let mut query = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@'")?;
    let mut found: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    let mut expected = STATEMENTS;
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
                 INSERT INTO author_balance VALUES (x'01', 5, 0, 1);",
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
        ];
        for statement in forbidden {
            assert!(ledger().execute_batch(statement).is_err(), "{statement}");
        }
    }
}
