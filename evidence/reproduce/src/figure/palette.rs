//! Which method has which look.

use chart::LOOKS;

/// What has the same color in every picture.
const KNOWN: [(&str, usize); 17] = [
    ("RS", 6),
    ("LogEI", 0),
    ("LogEIPC", 0),
    ("LogEICC", 4),
    ("TS", 3),
    ("UCB", 2),
    ("MES", 7),
    ("MFMES", 7),
    ("PBGI", 5),
    ("PBGI-D", 1),
    ("hindsight", 7),
    ("EI-PUC", 4),
    ("EI-PUC-CC", 2),
    ("2-B-MS-EI_p", 3),
    ("2-B-MS-EI", 6),
    ("4-B-MS-EI_p", 5),
    ("4-B-MS-EI", 1),
];

/// A look for each name: its own if it is free, and else the first one that is.
pub fn looks(names: &[&str]) -> Vec<&'static str> {
    let own = |name: &str| KNOWN.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot);
    let mut slots: Vec<Option<usize>> = vec![None; names.len()];
    for (place, name) in names.iter().enumerate() {
        slots[place] = own(name).filter(|slot| !slots.contains(&Some(*slot)));
    }
    for place in 0..names.len() {
        if slots[place].is_none() {
            slots[place] = (0..).find(|slot| !slots.contains(&Some(*slot)));
        }
    }
    slots.into_iter().flatten().map(|slot| LOOKS[slot % LOOKS.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_look_of_its_own() {
        let names = ["LogEI", "LogEIPC", "a", "b", "c", "d", "e", "f", "g", "RS"];
        let looks = looks(&names);
        assert_eq!(looks.len(), names.len());
        for (place, look) in looks.iter().enumerate() {
            assert!(!looks[..place].contains(look), "{}", names[place]);
        }
        assert_eq!((looks[0], looks[9]), (LOOKS[0], LOOKS[6]));
    }
}
