//! The terminal in the README, drawn from a document whose commands the tests run.

const COMMANDS: &str = include_str!("../../../docs/images/quick-start.md");

const CHARACTER_WIDTH: f32 = 8.4;
const LINE_HEIGHT: usize = 20;
const MARGIN: usize = 20;
const TITLE_BAR: usize = 36;

/// Follows the color scheme of the reader, also inside of `<img>`.
const STYLE: &str = "    .window { fill: #ffffff; stroke: #d0d7de }
    .button { fill: #d0d7de }
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #424a53 }
    .command { fill: #0a0c10; font-weight: 600 }
    .added { fill: #116329 }
    .removed { fill: #a40e26 }
    @media (prefers-color-scheme: dark) {
      .window { fill: #0d1117; stroke: #30363d }
      .button { fill: #30363d }
      text { fill: #9ea7b3 }
      .command { fill: #f0f3f6 }
      .added { fill: #4ac26b }
      .removed { fill: #ff9492 }
    }
";

pub(crate) fn quick_start() -> String {
    draw(&lines(COMMANDS))
}

/// The lines of all `console` fences, with a blank line between two fences.
fn lines(document: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in document.lines() {
        if line == "```console" {
            fenced = true;
            if !found.is_empty() {
                found.push("");
            }
        } else if line == "```" {
            fenced = false;
        } else if fenced {
            found.push(line);
        }
    }
    found
}

fn draw(lines: &[&str]) -> String {
    let longest = lines.iter().map(|line| line.chars().count()).max();
    let columns = longest.unwrap_or_default() as f32 * CHARACTER_WIDTH;
    let width = columns.ceil() as usize + 2 * MARGIN;
    let height = TITLE_BAR + lines.len() * LINE_HEIGHT + MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" xml:space=\"preserve\">\n\
         <title>agpm adds a skill, explains a setting and undoes the change</title>\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"window\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        width - 1,
        height - 1
    );
    for button in 0..3 {
        let x = MARGIN + button * 18;
        out.push_str(&format!(
            "<circle class=\"button\" cx=\"{x}\" cy=\"18\" r=\"6\"/>\n"
        ));
    }
    for (row, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let y = TITLE_BAR + row * LINE_HEIGHT + 14;
        let text = escaped(line);
        let class = class(line);
        out.push_str(&format!(
            "<text{class} x=\"{MARGIN}\" y=\"{y}\">{text}</text>\n"
        ));
    }
    out.push_str("</svg>\n");
    out
}

fn class(line: &str) -> &'static str {
    if line.starts_with("$ ") {
        " class=\"command\""
    } else if line.starts_with("+ ") {
        " class=\"added\""
    } else if line.starts_with("- ") || line.starts_with("removed ") {
        " class=\"removed\""
    } else {
        ""
    }
}

fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_of_console_fences_are_drawn() {
        let document = "a\n```console\n$ x\ny\n```\n```toml\nz\n```\n```console\n$ w\n```\n";
        assert_eq!(lines(document), ["$ x", "y", "", "$ w"]);
    }

    #[test]
    fn lines_are_text_of_the_picture() {
        let picture = draw(&["$ a", "+ <b> & c"]);
        assert!(picture.contains("class=\"command\" x=\"20\" y=\"50\">$ a</text>"));
        assert!(picture.contains(">+ &lt;b> &amp; c</text>"));
    }
}
