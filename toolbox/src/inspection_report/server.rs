//! Says of an MCP server what starts it, what its cage keeps from it, and what nobody can know.

use tool_hub_agent::characters::escape_line;
use tool_hub_manifest::{ServerDescription, ServerProcess, ServerStart};

use super::detail::Detail;
use super::details::row;

/// Lines on the server.
pub(super) fn lines(server: &ServerDescription, detail: Detail) -> Vec<String> {
    let mut lines = start_lines(&server.start, detail);
    let calls_itself = format!("{} {}", server.name, server.version);
    lines.push(row("calls self", &escape_line(&calls_itself)));
    lines
}

/// Lines on how a server is started or reached, before anything of it is known.
pub fn start_lines(start: &ServerStart, detail: Detail) -> Vec<String> {
    match start {
        ServerStart::Process(process) => process_lines(process, detail),
        ServerStart::Remote { url } => vec![
            String::new(),
            "A remote service, not a component".to_owned(),
            row("at", &escape_line(url.as_str())),
            "  its code cannot be inspected, and it may change at any time".to_owned(),
            "  whatever agents send it, its owner has".to_owned(),
        ],
    }
}

fn process_lines(process: &ServerProcess, detail: Detail) -> Vec<String> {
    let program = process.program.display().to_string();
    let words = process.arguments.iter().map(String::as_str);
    let words: Vec<&str> = std::iter::once(program.as_str()).chain(words).collect();
    let mut lines = vec![
        String::new(),
        "A process, not a component".to_owned(),
        row("starts", &escape_line(&words.join(" "))),
    ];
    for packages in &process.packages {
        let hashed = match &packages.digest {
            Some(digest) if detail == Detail::Everything => format!(" ({digest})"),
            Some(_) => " (hashed before each start)".to_owned(),
            None => " (whoever changes it changes the server)".to_owned(),
        };
        let path = escape_line(&packages.path.display().to_string());
        lines.push(row("reads", &format!("{path}{hashed}")));
    }
    for file in &process.files {
        let path = escape_line(&file.path.display().to_string());
        let hashed = match detail {
            Detail::Everything => file.digest.to_string(),
            Detail::Decision => "hashed before each start".to_owned(),
        };
        lines.push(row("file", &format!("{path} ({hashed})")));
    }
    let words = [
        "nobody has inspected its code; it runs as you, in a cage",
        "the cage keeps from it: your files, the network, your other programs, your variables",
        "it does not keep from it: the names and sizes of files that it guesses, the system's",
        "programs in /usr, users' names, and what the machine is busy with",
    ];
    lines.extend(words.map(|line| format!("  {line}")));
    lines
}
