use std::io;

use clap_mangen::Man;

/// The manual: the program's page, then what each command takes.
pub(crate) fn page(declaration: clap::Command) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing into memory does not fail.
    let _ = write(declaration, &mut page);
    page
}

fn write(mut declaration: clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    declaration.build();
    let commands: Vec<clap::Command> = declaration
        .get_subcommands()
        .filter(|c| c.get_name() != "help")
        .cloned()
        .collect();
    Man::new(declaration).render(page)?;
    for command in commands {
        page.extend(format!(".SH \"AGPM {}\"\n", command.get_name().to_uppercase()).bytes());
        let man = Man::new(command);
        man.render_synopsis_section(page)?;
        man.render_description_section(page)?;
        man.render_options_section(page)?;
    }
    Ok(())
}
