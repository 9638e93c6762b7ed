//! A parameter of a tool, and its schema.

use serde_json::{Value, json};

/// The kind of values that a parameter takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamKind {
    Text,
    /// Texts.
    List,
    /// A truth value, with its default.
    Switch(bool),
    /// A whole number, with its default.
    Number(u64),
    /// One of these texts. The first is the default.
    Choice(&'static [&'static str]),
}

/// A parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) kind: ParamKind,
    pub(crate) is_required: bool,
    /// The flag of `hs`, with an equals sign if it has the value.
    pub(crate) flag: &'static str,
    /// What a model has to know.
    text: &'static str,
}

impl Param {
    pub(crate) const fn new(
        name: &'static str,
        kind: ParamKind,
        flag: &'static str,
        text: &'static str,
    ) -> Param {
        Param { name, kind, is_required: false, flag, text }
    }

    pub(crate) const fn required(self) -> Param {
        Param { is_required: true, ..self }
    }

    /// The schema, with a type in place: some clients know neither references nor alternatives.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ParamKind::Text => json!({ "type": "string" }),
            ParamKind::List => json!({ "type": "array", "items": { "type": "string" } }),
            ParamKind::Switch(false) => json!({ "type": "boolean" }),
            ParamKind::Switch(true) => json!({ "type": "boolean", "default": true }),
            ParamKind::Number(0) => json!({ "type": "integer" }),
            ParamKind::Number(default) => json!({ "type": "integer", "default": default }),
            ParamKind::Choice(choices) => json!({ "type": "string", "enum": choices }),
        };
        schema["description"] = self.text.into();
        schema
    }
}
