//! A study.toml that was changed after its journal was begun.

use crate::folder::Folder;

const STUDY: &str = "direction = \"minimize\"\n[parameters.x]\ntype = \"float\"\nlow = 0\nhigh = 1\n\
    [parameters.n]\ntype = \"int\"\nlow = 1\nhigh = 8\n\
    [parameters.name]\ntype = \"choice\"\nnames = [\"a\", \"b\"]\n[cost]\nfrom = \"none\"\n";

#[test]
fn a_change_is_named_by_parameter_key_and_both_values() {
    let folder = Folder::new(STUDY, "");
    folder.gittins(&["ask", "study.toml"]).exits(0);
    for (old, new, message) in [
        (
            "low = 0\n",
            "low = 0.1\n",
            "low of the parameter \"x\" is 0 in the journal, and 0.1 here",
        ),
        ("high = 8", "high = 9", "high of the parameter \"n\" is 8 in the journal, and 9 here"),
        (
            "\"int\"",
            "\"log_int\"",
            "type of the parameter \"n\" is \"int\" in the journal, and \"log_int\" here",
        ),
        (
            "\"b\"]",
            "\"c\"]",
            "names of the parameter \"name\" is [\"a\", \"b\"] in the journal, and [\"a\", \"c\"] here",
        ),
        (
            "high = 8\n",
            "high = 8\nwhen = { name = \"a\" }\n",
            "when of the parameter \"n\" is absent in the journal, and { name = [\"a\"] } here",
        ),
        ("[parameters.n]", "[parameters.m]", "the parameter \"n\" is in the journal, and not here"),
        ("[parameters.n]", "[parameters.m]", "the parameter \"m\" is here, and not in the journal"),
        ("minimize", "maximize", "direction is \"minimize\" in the journal, and \"maximize\" here"),
        (
            "[cost]",
            "[[constraints]]\nterms = { x = 1, n = 2 }\nat_most = 9\n[cost]",
            "what the constraints demand is none in the journal, and 1 x + 2 n <= 9 here",
        ),
    ] {
        folder.write("study.toml", &STUDY.replacen(old, new, 1));
        let said = folder.gittins(&["ask", "study.toml"]).exits(2);
        assert!(said.err.contains(message), "{}", said.all());
        assert!(said.err.contains("set it back, or begin another study"), "{}", said.all());
    }
    // What does not change the space is taken as it is.
    folder.write("study.toml", &format!("seed = 3\n{STUDY}"));
    folder.gittins(&["ask", "study.toml"]).exits(0);
}
