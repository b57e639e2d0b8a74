//! The page of a code is Markdown with a fixed shape, so its examples can be run.

/// A page, split into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPage<'a> {
    /// The meaning of the code, in one sentence.
    pub summary: &'a str,
    /// An input that gets exactly this code.
    pub fails: PageExample<'a>,
    /// The same input, fixed.
    pub passes: PageExample<'a>,
}

/// Files and the command to run on them; without a command the files are only read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageExample<'a> {
    /// Name and content of each file.
    pub files: Vec<(&'a str, &'a str)>,
    /// The command line, without the leading `$ `.
    pub command: Option<&'a str>,
}

impl<'a> ErrorPage<'a> {
    /// Reads a page; `None` if a part is missing.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (head, examples) = text.split_once("\n## Fails\n")?;
        let (fails, passes) = examples.split_once("\n## Passes\n")?;
        let summary = head.lines().skip(1).find(|line| !line.trim().is_empty())?;
        Some(ErrorPage {
            summary,
            fails: PageExample::parse(fails),
            passes: PageExample::parse(passes),
        })
    }
}

impl<'a> PageExample<'a> {
    fn parse(mut rest: &'a str) -> Self {
        let mut example = PageExample::default();
        while let Some(open) = find_fence(rest) {
            let before = rest[..open].trim_end();
            let info_end = rest[open..]
                .find('\n')
                .map_or(rest.len(), |at| open + at + 1);
            let content_end = find_fence(&rest[info_end..]).map_or(rest.len(), |at| info_end + at);
            let content = &rest[info_end..content_end];
            if rest[open..].starts_with("```console") {
                example.command = content.lines().find_map(|line| line.strip_prefix("$ "));
            } else {
                let name = before
                    .lines()
                    .next_back()
                    .unwrap_or_default()
                    .trim_matches('`');
                example.files.push((name, content));
            }
            rest = &rest[(content_end + "```\n".len()).min(rest.len())..];
        }
        example
    }
}

/// The start of the next line that opens or closes a fence.
fn find_fence(text: &str) -> Option<usize> {
    if text.starts_with("```") {
        Some(0)
    } else {
        text.find("\n```").map(|at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_summary_and_two_examples() {
        let text = "# a/b\n\nSays it.\n\nMore.\n\n## Fails\n\n`x.json`\n```json\n{\n```\n\n```console\n$ agpm merge x.json\n```\n\n## Passes\n\n`x.json`\n```json\n{}\n```\n";
        let page = ErrorPage::parse(text).expect("the page is whole");
        assert_eq!(page.summary, "Says it.");
        assert_eq!(page.fails.files, [("x.json", "{\n")]);
        assert_eq!(page.fails.command, Some("agpm merge x.json"));
        assert_eq!(
            page.passes,
            PageExample {
                files: vec![("x.json", "{}\n")],
                command: None
            }
        );
    }
}
