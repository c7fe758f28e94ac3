//! A ledger that is open: its limits, and what was spent.

use crate::amount::Amount;
use crate::entry::{Body, Head, now};
use crate::error::LedgerError;
use crate::file;
use crate::hash::Hex;
use crate::limit::{Limit, Limits, Scope};
use crate::schema;
use crate::summary::{Spent, Summary};
use crate::tag::Tagger;
use rusqlite::{Connection, MAIN_DB, OptionalExtension, Transaction, TransactionBehavior};
use std::fmt;
use std::path::Path;

/// The longest name of a ledger or description of a reservation, in bytes.
const LONGEST: usize = 200;

/// An open ledger.
///
/// One file, one ledger; several processes may have it open. Put it on a local disk: file locks of network drives cannot
/// be relied on.
pub struct Ledger {
    pub(crate) connection: Connection,
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) tags: Tagger,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Ledger {
    /// Makes a new ledger, readable by its owner only, without limits.
    ///
    /// Ids and authors will be kept as HMAC-SHA-256 under a key from the operating system, which is stored in the file.
    ///
    /// # Errors
    /// When there is something under the name already, or it cannot be written.
    pub fn create(path: impl AsRef<Path>, name: &str) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        check_words("name", name)?;
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|_| LedgerError::NoEntropy)?;
        let body = Body::Create { at: now(), name: name.to_owned(), secret: Hex(secret) };
        file::create(path, |connection| {
            let mut fill = || {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                schema::create(&transaction)?;
                Head::NONE.append(&transaction, &body)?;
                transaction.commit()
            };
            fill().map_err(LedgerError::storage(&file::name_of(path)))
        })?;
        Self::open(path)
    }

    /// Opens a ledger. Where it may not be written it can still be read; then [`Ledger::reserve`] fails.
    ///
    /// A transaction that was interrupted is undone here. A file that is not a ledger is not touched.
    ///
    /// # Errors
    /// When there is no ledger of this version under the name, or it is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        let path = path.as_ref();
        let file = file::name_of(path);
        let connection = file::open(path)?;
        let storage = LedgerError::storage(&file);
        if !schema::holds(&connection).map_err(storage)? {
            return Err(LedgerError::Damaged { file, why: "its tables or rules are not those of a ledger" });
        }
        let first: Option<String> = connection
            .query_row("SELECT body FROM entry WHERE sequence = 1", [], |row| row.get(0))
            .optional()
            .map_err(storage)?;
        let Some(Body::Create { name, secret, .. }) = first.as_deref().and_then(Body::read) else {
            return Err(LedgerError::Damaged { file, why: "its first entry does not make a ledger" });
        };
        Ok(Self { connection, file, name, tags: Tagger::new(&secret.0) })
    }

    /// The ledger's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the file can only be read.
    pub fn is_read_only(&self) -> bool {
        self.connection.is_readonly(MAIN_DB).unwrap_or(true)
    }

    /// Sets the limit of every record or every author, from now on. A limit below what was spent refuses all that costs.
    ///
    /// # Errors
    /// When the amounts are no limit, or the file cannot be written.
    pub fn set_limit(&mut self, limit: Limit) -> Result<(), LedgerError> {
        let allowed = Amount::allowed(limit.epsilon, limit.delta)?;
        let Amount { epsilon_nano, delta_atto } = allowed;
        let body = Body::Limit { at: now(), scope: limit.scope, epsilon_nano, delta_atto };
        let (transaction, file, _) = self.write()?;
        let set = || {
            Head::read(&transaction)?.append(&transaction, &body)?;
            transaction.execute(
                "INSERT INTO limits (scope, epsilon, delta) VALUES (?1, ?2, ?3) \
                 ON CONFLICT (scope) DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta",
                (limit.scope.name(), epsilon_nano, delta_atto),
            )?;
            transaction.commit()
        };
        set().map_err(LedgerError::storage(file))
    }

    /// The limits in force.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn limits(&self) -> Result<Limits, LedgerError> {
        limits(&self.connection).map_err(LedgerError::storage(&self.file))
    }

    /// What was spent for a record.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn spent_record(&self, id: &[u8]) -> Result<Spent, LedgerError> {
        self.spent(Scope::Record, id)
    }

    /// What was spent for an author, over all records.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn spent_author(&self, author: &[u8]) -> Result<Spent, LedgerError> {
        self.spent(Scope::Author, author)
    }

    fn spent(&self, scope: Scope, name: &[u8]) -> Result<Spent, LedgerError> {
        Spent::read(&self.connection, scope, &self.tags.tag(scope, name)).map_err(LedgerError::storage(&self.file))
    }

    /// The ledger at a glance.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn summary(&self) -> Result<Summary, LedgerError> {
        Summary::read(&self.connection, &self.name).map_err(LedgerError::storage(&self.file))
    }

    /// Begins a transaction that may write, and gives what is needed inside it.
    pub(crate) fn write(&mut self) -> Result<(Transaction<'_>, &str, &Tagger), LedgerError> {
        if self.is_read_only() {
            return Err(LedgerError::ReadOnly { file: self.file.clone() });
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(LedgerError::storage(&self.file))?;
        Ok((transaction, &self.file, &self.tags))
    }
}

/// Refuses words that are too long for a label, or not printable.
pub(crate) fn check_words(setting: &'static str, words: &str) -> Result<(), LedgerError> {
    let wrong = |value: &str| {
        let allowed = "1 to 200 bytes without control characters";
        Err(LedgerError::Setting { setting, value: value.to_owned(), allowed })
    };
    match words {
        "" => wrong("empty"),
        words if words.len() > LONGEST => wrong("too long"),
        words if words.contains(char::is_control) => wrong("not printable"),
        _ => Ok(()),
    }
}

pub(crate) fn limits(connection: &Connection) -> rusqlite::Result<Limits> {
    let mut limits = Limits::default();
    let mut query = connection.prepare_cached("SELECT epsilon, delta FROM limits WHERE scope = ?1")?;
    for scope in Scope::ALL {
        let amount = |row: &rusqlite::Row<'_>| Ok(Amount { epsilon_nano: row.get(0)?, delta_atto: row.get(1)? });
        if let Some(limit) = query.query_row([scope.name()], amount).optional()? {
            limits.set(scope, limit);
        }
    }
    Ok(limits)
}
