//! From the lines of a reservation to the balances.
//!
//! Lines are grouped by their tag and balances are visited in the order of tags. SQLite sorts on the disk where it must,
//! and pages are touched one after another, so a million records take seconds and the memory of a cache.

use crate::amount::Amount;
use crate::error::LedgerError;
use crate::limit::Scope;
use crate::loss::Loss;
use crate::schema::is_unbounded;
use crate::tag::Tag;
use rusqlite::{Result, Row, Transaction};

/// What is known while balances are visited.
pub(crate) struct Tally {
    /// What each line costs.
    pub(crate) each: Loss,
    /// The most that each line could cost: what is left, by the number of lines, of whoever has the least.
    pub(crate) fits: Option<Amount>,
    /// Who would pass a limit; of several, the one whose first line comes first.
    pub(crate) refused: Option<Refused>,
}

/// Somebody for whom a limit would be passed.
pub(crate) struct Refused {
    pub(crate) scope: Scope,
    pub(crate) needed: Amount,
    pub(crate) left: Amount,
    /// Whether nothing is left because an earlier release had no bound.
    pub(crate) unbounded: bool,
    tag: Tag,
    first: i64,
}

/// The lines of one tag, and its balance before them.
struct Group {
    tag: Tag,
    count: i64,
    first: i64,
    before: Amount,
    lines: i64,
    unbounded: bool,
}

impl Group {
    fn read(row: &Row<'_>) -> Result<Self> {
        let before = Amount { epsilon_nano: row.get(3)?, delta_atto: row.get(4)? };
        let (count, first, lines, unbounded) = (row.get(1)?, row.get(2)?, row.get(5)?, row.get(6)?);
        Ok(Self { tag: row.get(0)?, count, first, before, lines, unbounded })
    }
}

impl Tally {
    /// Adds the lines of a reservation to all balances of a scope, as long as none passes the limit.
    pub(crate) fn settle(
        &mut self,
        transaction: &Transaction<'_>,
        sequence: i64,
        scope: Scope,
        limit: Option<Amount>,
        file: &str,
    ) -> Result<(), LedgerError> {
        let storage = LedgerError::storage(file);
        let unbounded = is_unbounded(transaction, scope, "new.tag").map_err(storage)?;
        let groups = format!(
            "SELECT new.tag, count, first, coalesce(epsilon, 0), coalesce(delta, 0), coalesce(lines, 0), {unbounded} \
             FROM (SELECT {scope} AS tag, count(*) AS count, min(place) AS first FROM line \
             WHERE sequence = ?1 AND {scope} IS NOT NULL GROUP BY {scope}) AS new \
             LEFT JOIN {scope}_balance AS old ON old.tag = new.tag"
        );
        let replace = format!(
            "INSERT INTO {scope}_balance (tag, epsilon, delta, lines) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (tag) \
             DO UPDATE SET epsilon = excluded.epsilon, delta = excluded.delta, lines = excluded.lines"
        );
        let mut groups = transaction.prepare(&groups).map_err(storage)?;
        let mut replace = transaction.prepare(&replace).map_err(storage)?;
        for group in groups.query_map([sequence], Group::read).map_err(storage)? {
            let Group { tag, count, first, before, lines, unbounded } = group.map_err(storage)?;
            let needed = self.each.added().checked_times(count);
            let after = needed.and_then(|needed| needed.checked_add(before));
            let (Some(needed), Some(after)) = (needed, after) else {
                return Err(LedgerError::Overflow { scope, place: first.unsigned_abs() });
            };
            if let Some(limit) = limit {
                // What costs nothing passes even where nothing is left.
                let left = if unbounded { Amount::default() } else { limit.left_after(before) };
                let share = left.shared_by(count);
                self.fits = Some(self.fits.map_or(share, |fits| fits.min(share)));
                if !needed.within(left) && self.refused.as_ref().is_none_or(|refused| first < refused.first) {
                    self.refused = Some(Refused { scope, needed, left, unbounded, tag, first });
                }
            }
            // After a refusal nothing will be kept, but the rest is read for what would fit.
            if self.refused.is_none() {
                let sum = (tag, after.epsilon_nano, after.delta_atto, lines + count);
                replace.execute(sum).map_err(storage)?;
            }
        }
        if self.each.is_unbounded() {
            let mark = format!(
                "INSERT OR IGNORE INTO unbounded (scope, tag) \
                 SELECT DISTINCT '{scope}', {scope} FROM line WHERE sequence = ?1 AND {scope} IS NOT NULL"
            );
            transaction.execute(&mark, [sequence]).map_err(storage)?;
        }
        Ok(())
    }
}

impl Refused {
    /// The place of the line with which the limit would be passed.
    pub(crate) fn place(&self, transaction: &Transaction<'_>, sequence: i64, each: Amount) -> Result<u64> {
        // So many lines still fit; a part that costs nothing does not count.
        let fitting = |left: i64, each: i64| left.checked_div(each).unwrap_or(i64::MAX);
        let before =
            fitting(self.left.epsilon_nano, each.epsilon_nano).min(fitting(self.left.delta_atto, each.delta_atto));
        let scope = self.scope;
        let query =
            format!("SELECT place FROM line WHERE sequence = ?1 AND {scope} = ?2 ORDER BY place LIMIT 1 OFFSET ?3");
        transaction.query_row(&query, (sequence, self.tag, before), |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
    }
}
