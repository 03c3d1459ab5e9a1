//! Projects in Python with WIT of their own: a program, or a component with its own interpreter.

use crate::support::Home;

const SOURCE: &str = include_str!("python_greeter.py");

/// Makes a project that greets people, with the WIT that projects in other languages begin with.
#[track_caller]
pub(crate) fn make_greeter(home: &Home, name: &str) {
    home.run(["new", name, "--lang", "javascript"]).ok();
    let project = home.work().join(name);
    let manifest = project.join("tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let text = text.replace("\"javascript\"", "\"python\"");
    std::fs::write(&manifest, text).expect("the manifest is written");
    std::fs::remove_file(project.join("tool.js")).expect("the source is removed");
    std::fs::write(project.join("app.py"), SOURCE).expect("the source is written");
}

/// Makes the project of [`make_greeter`] with a world that no program can have: its component holds
/// an interpreter of its own.
#[track_caller]
pub(crate) fn make_component(home: &Home, name: &str) {
    make_greeter(home, name);
    let world = home.work().join(name).join("wit/world.wit");
    let text = std::fs::read_to_string(world).expect("the WIT");
    let package = "package wasi:clocks@0.2.0;\ninterface wall-clock {\n    record datetime { \
                   seconds: u64, nanoseconds: u32 }\n    now: func() -> datetime;\n}\n";
    home.write(&format!("{name}/wit/deps/clocks/clocks.wit"), package);
    let (head, rest) = text.split_once("\nworld ").expect("a world");
    let rest = rest.replacen('{', "{\n    import wasi:clocks/wall-clock@0.2.0;", 1);
    home.write(
        &format!("{name}/wit/world.wit"),
        format!("{head}\nworld {rest}"),
    );
}
