use memchr::memchr;

/// A table as CSV: the header bare, every field in quotes, a line feed after every row.
pub fn to_csv<'f, R, F>(columns: &[&str], rows: R) -> String
where
    R: IntoIterator<Item = F>,
    F: IntoIterator<Item = &'f str>,
{
    let mut out = String::new();
    if columns.is_empty() {
        return out;
    }
    let bare = |column: &&str| !column.contains([',', '"', '\n', '\r']);
    for (at, column) in columns.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        // A name that would break the line is the one that cannot stand bare.
        if bare(column) { out.push_str(column) } else { quote(column, &mut out) }
    }
    out.push('\n');
    for row in rows {
        for (at, field) in row.into_iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            quote(field, &mut out);
        }
        out.push('\n');
    }
    out
}

fn quote(field: &str, out: &mut String) {
    out.push('"');
    let mut rest = field;
    while let Some(at) = memchr(b'"', rest.as_bytes()) {
        out.push_str(&rest[..=at]);
        out.push('"');
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::to_csv;

    #[test]
    fn the_header_is_bare_and_every_field_is_quoted() {
        let rows = [vec!["pm", "says \"hi\""], vec!["", "a,b\nc"]];
        let text = to_csv(&["name", "odd,one"], rows);
        assert_eq!(text, "name,\"odd,one\"\n\"pm\",\"says \"\"hi\"\"\"\n\"\",\"a,b\nc\"\n");
        assert_eq!(to_csv(&[], Vec::<Vec<&str>>::new()), "");
    }
}
