//! Tests of output to full devices, closed pipes and files, and of arguments read from pipes.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::support::adder::with_adder;
use crate::support::loading::load;
use crate::support::picture::picture_file;
use crate::support::{Home, Need, Ran, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("output::a_full_device", a_full_device),
        test("output::a_closed_pipe", a_closed_pipe),
        test("output::files_are_replaced_whole", files_are_replaced_whole)
            .needs(&[Need::RustGuests]),
        test("output::a_pipe_is_written_to", a_pipe_is_written_to).needs(&[Need::RustGuests]),
        test("output::standard_output", standard_output).needs(&[Need::RustGuests]),
        test("output::nowhere_to_write", nowhere_to_write).needs(&[Need::RustGuests]),
        test("output::arguments_from_pipes", arguments_from_pipes).needs(&[Need::RustGuests]),
    ]
}

/// Commands that print data, in each of the ways there are.
const PRINTS: [&str; 6] = [
    "list",
    "list --json",
    "call adder.add a=20 b=22",
    "export --format mcp",
    "inspect ./adder.wasm",
    "--help",
];

fn ended(mut command: Command, stdout: Stdio) -> Output {
    let child = command.stdout(stdout).stderr(Stdio::piped()).spawn();
    let child = child.expect("the command starts");
    child.wait_with_output().expect("the command ends")
}

fn a_full_device() {
    let home = with_adder();
    for line in PRINTS {
        let full = File::options().write(true).open("/dev/full");
        let full = full.expect("a device that is always full");
        let output = ended(home.command(line.split_whitespace()), full.into());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}:\n{said}");
        if line != "--help" {
            assert!(
                said.contains("error: standard output cannot be written\ncaused by: No space left"),
                "{line}:\n{said}"
            );
        }
    }
}

/// With its reader gone, a command prints no error and exits with 141, as for SIGPIPE.
fn a_closed_pipe() {
    let home = with_adder();
    for line in &PRINTS[..5] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut words: Vec<&str> = line.split_whitespace().collect();
        words.push("--quiet");
        let output = ended(home.command(words), writer.into());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(141), "{line}:\n{said}");
        assert!(!said.contains("error"), "{line}:\n{said}");
    }
}

/// A person with the tool that shrinks pictures, and a picture.
fn with_thumbnail() -> Home {
    let home = Home::new();
    load(&home, &guests::built("thumbnail").to_string_lossy(), &[]);
    home.write("picture.png", picture_file(64, 32));
    home
}

fn shrink_to(place: &str) -> [&str; 6] {
    [
        "call",
        "thumbnail.shrink",
        "picture=@picture.png",
        "longest_side=16",
        "--output",
        place,
    ]
}

const JPEG: &[u8] = b"\xff\xd8\xff";

fn files_are_replaced_whole() {
    let home = with_thumbnail();
    let ran = home.run(shrink_to("new.png"));
    assert_eq!(ran.ok(), "", "what was written is not spoken of again");
    assert!(ran.stderr().contains("bytes of image/jpeg to"));
    let written = fs::read(home.work().join("new.png")).expect("the file");
    assert!(written.starts_with(JPEG));

    let private = home.write("private.png", "old");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).expect("a mode");
    home.run(shrink_to("private.png")).ok();
    assert_eq!(fs::read(&private).expect("the file"), written);
    let mode = fs::metadata(&private)
        .expect("the file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);

    let target = home.write("elsewhere/target.png", "old");
    let link = home.work().join("link.png");
    symlink("elsewhere/target.png", &link).expect("a link");
    home.run(shrink_to("link.png")).ok();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&target).expect("the file"), written);
    assert_eq!(
        fs::read_dir(home.work().join("elsewhere"))
            .expect("files")
            .count(),
        1,
        "nothing is left beside it"
    );
}

#[track_caller]
fn named_pipe(home: &Home, name: &str) -> std::path::PathBuf {
    let path = home.work().join(name);
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo starts").success());
    path
}

fn a_pipe_is_written_to() {
    let home = with_thumbnail();
    let path = named_pipe(&home, "pipe");
    let reader = thread::spawn({
        let path = path.clone();
        move || fs::read(path).expect("the pipe is read")
    });
    home.run(shrink_to("pipe")).ok();
    assert!(reader.join().expect("the reader ends").starts_with(JPEG));
    let there = fs::symlink_metadata(&path).expect("the pipe");
    assert!(there.file_type().is_fifo(), "it is still a pipe");
}

fn standard_output() {
    let home = with_thumbnail();
    let output = ended(home.command(shrink_to("-")), Stdio::piped());
    assert!(output.status.success());
    home.run(shrink_to("small.jpg")).ok();
    let written = fs::read(home.work().join("small.jpg")).expect("the file");
    assert_eq!(output.stdout, written, "these bytes and nothing else");
    assert!(!home.work().join("-").exists());
    let both = home.run([&shrink_to("-")[..], &["--json"]].concat());
    refused(&both, "--json and --output - both want standard output");
}

#[track_caller]
fn refused(ran: &Ran, expect: &str) {
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    let said = ran.stderr();
    assert!(said.starts_with(&format!("error: {expect}")), "{said}");
    assert!(said.contains("\nhint: "), "{said}");
}

/// A call may have consequences: where its answer goes is looked at first.
fn nowhere_to_write() {
    let home = with_thumbnail();
    home.write("directory/file", "");
    symlink("nothing", home.work().join("broken")).expect("a link");
    let before = home.files();
    for (place, expect) in [
        ("directory", "is a directory"),
        ("broken", "is a broken link"),
        ("missing/small.png", "missing to write in"),
    ] {
        let ran = home.run(shrink_to(place));
        assert_eq!(ran.code(), 1, "{place}:\n{}", ran.stderr());
        let said = ran.stderr();
        assert!(said.contains(expect), "{place}:\n{said}");
        assert!(said.contains("\nhint: "), "{place}:\n{said}");
    }
    assert_eq!(home.files(), before);
}

fn arguments_from_pipes() {
    let home = Home::new();
    load(&home, &guests::built("text-stats").to_string_lossy(), &[]);
    let count = "call text_stats.count_words text=@-";
    assert_eq!(home.run_with_input(count, "one two three").ok().trim(), "3");

    let path = named_pipe(&home, "words");
    let writer = thread::spawn(move || fs::write(path, "one two").expect("the pipe is written"));
    let ran = home.tool("call text_stats.count_words text=@words");
    writer.join().expect("the writer ends");
    assert_eq!(ran.ok().trim(), "2");

    let endless = home.tool("call text_stats.count_words text=@/dev/zero");
    refused(&endless, "argument `text` cannot be read from /dev/zero");
}
