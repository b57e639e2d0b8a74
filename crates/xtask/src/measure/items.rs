//! The functions, types and expressions of a file.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::source::SourceFile;

#[derive(Clone)]
pub(super) struct FunctionFigures {
    pub(super) name: String,
    pub(super) lines: usize,
    pub(super) tokens: usize,
    /// A tuple is counted as its parts, `self` as one.
    pub(super) arguments: usize,
    pub(super) tuple_parameters: usize,
}

/// The counted things of one file, or the sum of several.
#[derive(Clone, Default)]
pub(super) struct ItemCounts {
    pub(super) functions: Vec<FunctionFigures>,
    pub(super) type_names: Vec<String>,
    pub(super) structs: usize,
    pub(super) newtypes: usize,
    pub(super) fields: usize,
    pub(super) string_fields: usize,
    pub(super) long_closures: usize,
    /// Where a `match` distinguishes `true` and `false`.
    pub(super) bool_matches: Vec<String>,
}

impl ItemCounts {
    pub(super) fn of(file: &SourceFile) -> Self {
        let mut visitor = ItemVisitor {
            file,
            items: Self::default(),
        };
        visitor.visit_file(&file.syntax);
        visitor.items
    }

    pub(super) fn append(&mut self, other: Self) {
        self.functions.extend(other.functions);
        self.type_names.extend(other.type_names);
        self.structs += other.structs;
        self.newtypes += other.newtypes;
        self.fields += other.fields;
        self.string_fields += other.string_fields;
        self.long_closures += other.long_closures;
        self.bool_matches.extend(other.bool_matches);
    }
}

struct ItemVisitor<'a> {
    file: &'a SourceFile,
    items: ItemCounts,
}

impl ItemVisitor<'_> {
    fn add_function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let first = signature.span();
        let last = block.span();
        let bytes = first.byte_range().start..last.byte_range().end;
        let tuples = signature.inputs.iter().filter_map(tuple_parts);
        let hidden: usize = tuples.clone().map(|parts| parts.saturating_sub(1)).sum();
        self.items.functions.push(FunctionFigures {
            name: signature.ident.to_string(),
            lines: last.end().line + 1 - first.start().line,
            tokens: self.file.tokens_in(&bytes),
            arguments: signature.inputs.len() + hidden,
            tuple_parameters: tuples.count(),
        });
    }
}

impl<'ast> Visit<'ast> for ItemVisitor<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add_function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add_function(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.add_function(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.items.type_names.push(item.ident.to_string());
        self.items.structs += 1;
        let is_newtype = matches!(&item.fields, syn::Fields::Unnamed(_)) && item.fields.len() == 1;
        self.items.newtypes += usize::from(is_newtype);
        // The text of a newtype is what it is for: it is no plain string to anybody else.
        if !is_newtype {
            self.items.fields += item.fields.len();
            let strings = item.fields.iter().filter(|field| is_string(&field.ty));
            self.items.string_fields += strings.count();
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.items.type_names.push(item.ident.to_string());
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.items.type_names.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init
            && let syn::Expr::Closure(closure) = &*init.expr
            && let syn::Expr::Block(body) = &*closure.body
        {
            self.items.long_closures += usize::from(body.block.stmts.len() > 1);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        if expression.arms.iter().any(|arm| is_bool_literal(&arm.pat)) {
            let line = expression.span().start().line;
            let location = format!("{}:{line}", self.file.path.display());
            self.items.bool_matches.push(location);
        }
        visit::visit_expr_match(self, expression);
    }
}

/// The number of parts if the parameter is a tuple or a reference to one, whatever its type is called.
fn tuple_parts(argument: &syn::FnArg) -> Option<usize> {
    let syn::FnArg::Typed(typed) = argument else {
        return None;
    };
    if let syn::Pat::Tuple(pattern) = &*typed.pat {
        return Some(pattern.elems.len());
    }
    let mut ty = &*typed.ty;
    while let syn::Type::Reference(reference) = ty {
        ty = &reference.elem;
    }
    match ty {
        syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => Some(tuple.elems.len()),
        _ => None,
    }
}

fn is_string(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(reference) => is_string(&reference.elem),
        syn::Type::Path(path) => path.path.segments.last().is_some_and(is_string_segment),
        _ => false,
    }
}

fn is_string_segment(segment: &syn::PathSegment) -> bool {
    let name = segment.ident.to_string();
    if ["String", "str"].contains(&name.as_str()) {
        return true;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return false;
    };
    ["Option", "Cow", "Box", "Rc", "Arc"].contains(&name.as_str())
        && arguments.args.iter().any(|argument| match argument {
            syn::GenericArgument::Type(ty) => is_string(ty),
            _ => false,
        })
}

fn is_bool_literal(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Lit(literal) => matches!(literal.lit, syn::Lit::Bool(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn items(text: &str) -> ItemCounts {
        let file = SourceFile::parse(Path::new("x.rs"), text).expect("the text is Rust");
        ItemCounts::of(&file)
    }

    #[test]
    fn a_tuple_is_measured_as_its_parts() {
        let found = items(
            "impl X { fn f(&self, (a, b): (u8, u8), c: &(u8, u8, u8), d: (), (e, f): Pair) {} }",
        );
        let [function] = found.functions.as_slice() else {
            panic!("one function");
        };
        assert_eq!(function.arguments, 9);
        assert_eq!(function.tuple_parameters, 3);
        assert_eq!(function.name, "f");
    }

    #[test]
    fn functions_have_lines_and_tokens() {
        let found = items("/// Says one.\n#[inline]\npub fn one() -> u8 {\n    1\n}\n");
        assert_eq!(found.functions[0].lines, 3);
        assert_eq!(found.functions[0].tokens, 9);
    }

    #[test]
    fn strings_are_seen_through_what_holds_them() {
        let found = items(
            "struct A { a: String, b: Option<&'static str>, c: Vec<String>, d: Cow<'static, str>, e: u8 }\
             struct Name(String); struct Pair(u8, String);",
        );
        assert_eq!(found.structs, 3);
        assert_eq!(found.newtypes, 1);
        assert_eq!(found.fields, 7);
        assert_eq!(found.string_fields, 4);
    }

    #[test]
    fn only_a_named_closure_with_statements_is_long() {
        let found = items(
            "fn f() { let a = |x| x + 1; let b = |x| { let y = x; y }; let c = |x| { x }; \
             g(|x| { let y = x; y }); match a { true => 1, _ => 2 }; match (a, b) { (true, _) => 1 } }",
        );
        assert_eq!(found.long_closures, 1);
        assert_eq!(found.bool_matches.len(), 1);
    }
}
