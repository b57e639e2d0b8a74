//! `[merge]` and `[strategies]`.

use agpm_text::Value;

use crate::json_schema::{
    Key, any_of, described, extended, list_of, matching, of_type, one_of_words, reference,
    required, table, words_or_own,
};
use crate::manifest::{EMPTY, ITEMS, MERGE, RULE, STRATEGY};
use crate::strategy::{BUILT_IN, OPERATIONS, Operation, Separator};

/// The word whose operation has an argument.
const BY_KEY: &str = "by-key";
const BY_KEY_FORM: &str = "^by-key:[^:]+(:(replace|deep))?$";

pub(super) fn merge() -> Value {
    let files = any_of([strategy_name(), reference("merge")]);
    extended(
        of_type("object"),
        Value::map([("additionalProperties", files)]),
    )
}

pub(super) fn own() -> Value {
    let built_in = Value::map([("not", one_of_words(built_in()))]);
    let own = extended(of_type("object"), Value::map([("propertyNames", built_in)]));
    extended(
        own,
        Value::map([("additionalProperties", reference("strategy"))]),
    )
}

pub(super) fn definitions() -> Vec<(&'static str, Value)> {
    let command = extended(
        list_of(of_type("string")),
        Value::map([("minItems", 1_usize.into())]),
    );
    let mut keys = strategy_keys();
    keys.push((
        "command",
        "A program that merges two files: `%base` is the lower, `%new` the higher.",
        command,
    ));
    vec![
        ("merge", table(&MERGE, strategy_keys())),
        ("strategy", table(&STRATEGY, keys)),
        ("rule", rule()),
        (
            "operation",
            described(
                "What happens to a place where several layers have a say.",
                operation(|_| true),
            ),
        ),
        (
            "list-operation",
            described("What happens to lists.", operation(Operation::is_for_lists)),
        ),
    ]
}

fn strategy_keys() -> Vec<Key> {
    let lists = any_of([
        reference("list-operation"),
        with_operation("list-operation"),
    ]);
    let rules = any_of([reference("operation"), reference("rule")]);
    let pointers = Value::map([("pattern", "^(/|$)".into())]);
    let rules = Value::map([
        ("type", "object".into()),
        ("propertyNames", pointers),
        ("additionalProperties", rules),
    ]);
    vec![
        (
            "strategy",
            "The strategy that this one is built on.",
            strategy_name(),
        ),
        ("lists", "What happens to lists.", lists),
        (
            "separator",
            "What stands between the bodies of Markdown files.",
            one_of_words(words(Separator::ALL)),
        ),
        (
            "rules",
            "What happens at single places, by pointer; `*` is one step, `**` many.",
            rules,
        ),
        (
            "unset",
            "Places that are deleted from the result, as pointers.",
            list_of(matching("^/")),
        ),
    ]
}

/// A table that says what happens, or only what empty maps and lists do.
fn rule() -> Value {
    let says = ["op", BY_KEY, "empty"].map(|key| required(&[key]));
    extended(rule_table("operation"), any_of(says))
}

fn with_operation(operation: &str) -> Value {
    extended(
        rule_table(operation),
        any_of([required(&["op"]), required(&[BY_KEY])]),
    )
}

fn rule_table(operation: &str) -> Value {
    let key = extended(
        of_type("string"),
        Value::map([("minLength", 1_usize.into())]),
    );
    table(
        &RULE,
        vec![
            ("op", "What happens.", reference(operation)),
            (
                BY_KEY,
                "The key that items of a list are told apart by.",
                key,
            ),
            (
                "items",
                "What happens to two items with one key.",
                one_of_words(words(ITEMS)),
            ),
            (
                "empty",
                "What an empty map or list over one that is not empty does.",
                one_of_words(words(EMPTY)),
            ),
        ],
    )
}

/// The operations that fit, by their words, each with what it does.
fn operation(fits: impl Fn(&Operation) -> bool) -> Value {
    let meant = |word: &str| match word {
        BY_KEY => format!("{BY_KEY}:id").parse::<Operation>().ok(),
        word => word.parse::<Operation>().ok(),
    };
    let fitting = OPERATIONS
        .iter()
        .filter(|(word, _)| meant(word).is_some_and(|one| fits(&one)));
    any_of(fitting.map(|(word, does)| match *word {
        BY_KEY => described(does, matching(BY_KEY_FORM)),
        word => Value::map([("description", (*does).into()), ("const", word.into())]),
    }))
}

fn strategy_name() -> Value {
    words_or_own(built_in())
}

fn built_in() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|built_in| built_in.name)
}

fn words<T>(table: &'static [(&'static str, T)]) -> impl Iterator<Item = &'static str> {
    table.iter().map(|(word, _)| *word)
}
