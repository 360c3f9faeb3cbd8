//! The circles of a graph.

use std::collections::{BTreeMap, BTreeSet};

/// The strongly connected components with more than one node. In such a component each node has a
/// way to each other node.
pub fn circles<'a>(edges: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<BTreeSet<&'a str>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        next.keys().map(|&from| (from, reach(from, &next))).collect();
    let mut circles = BTreeSet::new();
    for (from, there) in &reached {
        let circle: BTreeSet<&str> = there
            .iter()
            .copied()
            .filter(|to| reached.get(to).is_some_and(|back| back.contains(from)))
            .collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// All nodes at the end of a way of one edge or more.
fn reach<'a>(from: &'a str, next: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for &to in next.get(node).into_iter().flatten() {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

#[test]
fn circles_are_found_and_ways_are_not() {
    let edges = [
        ("a", "b"),
        ("b", "c"),
        ("c", "b"),
        ("c", "d"),
        ("d", "e"),
        ("e", "f"),
        ("f", "d"),
        ("a", "f"),
    ];
    assert_eq!(circles(edges), [BTreeSet::from(["b", "c"]), BTreeSet::from(["d", "e", "f"])]);
    assert!(circles([("a", "b"), ("b", "c"), ("a", "c"), ("c", "c")]).is_empty());
}
