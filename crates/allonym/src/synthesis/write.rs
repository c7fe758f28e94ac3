//! Writes synthetic texts: through the writers of every release, or for their owner alone where no bound holds.

use super::settings::SynthesisSettings;
use crate::failure::Failure;
use allonym_dp::{ExitText, ForOwner, Guarantee, Synthetic};
use allonym_io::{Format, NewTable, create};
use allonym_text::{Private, Vocabulary, detokenise};

/// Rows that are written at a time.
const ROWS_AT_ONCE: usize = 4096;

/// Writes the texts of all labels, in turns.
pub(super) fn write(
    settings: &SynthesisSettings,
    format: Format,
    vocabulary: &Vocabulary,
    (labels, columns): (&[&str], Vec<Vec<Vec<u32>>>),
    guarantee: &Guarantee,
) -> Result<(), Failure> {
    let others: Vec<&str> = settings.label_column.as_deref().into_iter().collect();
    let table = NewTable::new(format, &settings.text_column, &others);
    let count = labels.len();
    let text = |row: usize| {
        let ids: &Vec<u32> = &columns[row % count][row / count];
        detokenise(ids.iter().filter_map(|id| vocabulary.word(*id)))
    };
    let cells = |row: usize| others.iter().map(|_| labels[row % count]).collect::<Vec<&str>>();
    if Synthetic::from_dp_outputs((), guarantee).is_none() {
        let texts = Private::new((0..settings.count).map(text).collect::<Vec<String>>());
        let texts = ForOwner::show(texts, "synthesize --not-private: a model without noise can repeat what it read");
        return Ok(table.write_for_owner(&settings.out, texts, (0..settings.count).map(cells))?);
    }
    let mut writer = create(&settings.out, table.shape(), None, None)?;
    for first in (0..settings.count).step_by(ROWS_AT_ONCE) {
        let rows = first..(first + ROWS_AT_ONCE).min(settings.count);
        let texts = rows.clone().filter_map(|row| Synthetic::from_dp_outputs(text(row), guarantee));
        writer.write(table.rows(rows.clone().map(cells)), texts.map(ExitText::from).collect())?;
    }
    Ok(writer.finish()?)
}
