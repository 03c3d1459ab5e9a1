//! A project in Python with WIT of its own, from which componentize-py makes a component.

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
