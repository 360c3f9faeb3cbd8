//! A number that tells two tables apart.

use super::{Column, Scale, Table};
use crate::data::Value;

/// The start and the factor of the hash of Fowler, Noll and Vo.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// A text that is the same for tables with the same names, rows, order and scales, on any machine,
/// and another one for others. A file of a study keeps it in place of the rows: its trials are where
/// the rows stand in the unit cube, so that one other row may move them all.
pub(crate) fn fingerprint(table: &Table) -> String {
    let mut hash = Hash(START);
    for (name, column) in table.names().zip(&table.rows.columns) {
        hash.text(name);
        match column {
            Column::Line(Scale { log, bounds, .. }) => {
                hash.bytes(&[1, u8::from(*log)]);
                bounds.iter().flatten().for_each(|bound| hash.number(*bound));
            }
            Column::Names(_) => hash.bytes(&[0]),
        }
    }
    for row in 0..table.len() {
        table.values(row).iter().for_each(|value| hash.value(value));
    }
    format!("{:016x}", hash.0)
}

struct Hash(u64);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0 =
            bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FACTOR));
    }

    fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: f64) {
        // The two zeros are one value.
        self.bytes(&(number + 0.0).to_bits().to_le_bytes());
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Name(name) => {
                self.bytes(&[2]);
                self.text(name);
            }
            Value::Flag(flag) => self.bytes(&[3, u8::from(*flag)]),
            value => match value.number() {
                Some(number) => {
                    self.bytes(&[4]);
                    self.number(number);
                }
                None => self.bytes(&[5]),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, f64)]) -> Table {
        let rows = rows.iter().map(|(name, size)| vec![Value::from(*name), Value::from(*size)]);
        Table::new(["name", "size"], rows.collect()).unwrap()
    }

    #[test]
    fn tables_that_differ_in_anything_have_others() {
        let same = table(&[("a", 1.0), ("b", 2.0)]);
        let with_absent = Table::new(
            ["name", "size"],
            vec![vec!["a".into(), Value::from(1.0)], vec!["b".into(), Value::Absent]],
        );
        let renamed =
            Table::new(["name", "height"], (0..2).map(|row| same.values(row)).collect::<Vec<_>>());
        let all = [
            same.clone(),
            table(&[("a", 1.0), ("b", 3.0)]),
            table(&[("b", 2.0), ("a", 1.0)]),
            table(&[("a", 1.0), ("b", 2.0), ("c", 1.5)]),
            same.clone().log("size").unwrap(),
            same.clone().within("size", 1.0, 9.0).unwrap(),
            with_absent.unwrap(),
            renamed.unwrap(),
        ];
        let found: Vec<String> = all.iter().map(fingerprint).collect();
        for (at, one) in found.iter().enumerate() {
            assert!(!found[..at].contains(one), "{at}");
        }
        assert_eq!(found[0], fingerprint(&table(&[("a", 1.0), ("b", 2.0)])));
        // Files have it, so it must stay what it is.
        assert_eq!(found[0], "3189f9cb169d12ee");
    }
}
