//! Smart case: a pattern with an upper-case letter keeps its case, others match either.
//!
//! The syntax tree decides that, not the compiled classes: only the tree has letters that were
//! typed (`A`, `[A-Z]`, `\x41`) apart from names that stand for letters (`\pL`, `\W`). Letters
//! count, names do not.

use regex_syntax::ast::{self, Ast, ClassSetItem, Visitor};

/// Whether smart case makes these literal patterns insensitive.
pub(crate) fn folds_literals<'p>(patterns: impl Iterator<Item = &'p str>) -> bool {
    let mut typed = Typed::default();
    for pattern in patterns {
        pattern.chars().for_each(|c| typed.add(c));
    }
    typed.folds()
}

/// Whether smart case makes this parsed pattern insensitive.
#[cfg(test)]
pub(crate) fn folds_ast(ast: &Ast) -> bool {
    let mut typed = Typed::default();
    typed.add_all(ast);
    typed.folds()
}

/// What kinds of letters were typed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Typed {
    literal: bool,
    upper: bool,
}

impl Typed {
    fn add(&mut self, c: char) {
        self.literal = true;
        self.upper = self.upper || c.is_uppercase();
    }

    /// Adds the letters of a parsed pattern.
    pub(crate) fn add_all(&mut self, ast: &Ast) {
        match ast::visit(ast, *self) {
            Ok(typed) => *self = typed,
            Err(never) => match never {},
        }
    }

    /// A pattern without any literal (`\w+`) keeps its case: there is nothing to fold for.
    pub(crate) fn folds(&self) -> bool {
        self.literal && !self.upper
    }
}

impl Visitor for Typed {
    type Output = Typed;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Typed, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = ast {
            self.add(literal.c);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(literal) => self.add(literal.c),
            ClassSetItem::Range(range) => {
                self.add(range.start.c);
                self.add(range.end.c);
            }
            _ => {}
        }
        Ok(())
    }
}
