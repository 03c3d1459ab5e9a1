//! Tests of projects whose dependencies lead back to them.

use super::{adds, multiplies, publish};
use crate::support::ran::says;
use crate::support::{Home, RegistryProcess, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "dependencies::circles::are_refused_by_the_build",
            are_refused_by_the_build,
        ),
        test(
            "dependencies::circles::a_package_of_the_author_s",
            a_package_of_the_author_s,
        ),
    ]
}

/// Writes the project of the tool `name` in C with `world`, which depends on `dependency` of `ada`.
fn project(ada: &Home, directory: &str, name: &str, world: &str, dependency: &str) {
    ada.write(&format!("{directory}/wit/world.wit"), world);
    let needs = format!("{dependency} = {{ repo = \"ada/{dependency}\", version = \"^1\" }}");
    let manifest = format!(
        "schema = 1\nname = \"{name}\"\nversion = \"1.0.1\"\n\
         description = \"Converts.\"\n[build]\nlanguage = \"c\"\n[dependencies]\n{needs}\n"
    );
    ada.write(&format!("{directory}/tool.toml"), manifest);
}

fn are_refused_by_the_build() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    publish(&ada, "units", "1.0.0", &multiplies("units", 2), &[], |_| {});
    let trip = adds("trip", &["units"]);
    publish(&ada, "trip", "1.0.0", &trip, &[("units", "^1")], |_| {});
    let tour = adds("tour", &["trip"]);
    publish(&ada, "tour", "1.0.0", &tour, &[("trip", "^1")], |_| {});

    let world = "package ada:units@1.0.0;\n\n/// Conversions.\ninterface convert {\n    \
        /// Doubles it.\n    \
        scale: func(x: u32) -> u32;\n}\n\nworld tool {\n    export convert;\n}\n";
    for (needs, circle) in [
        ("trip", "ada/units calls trip, which calls ada/units"),
        (
            "tour",
            "ada/units calls tour, which calls trip, which calls ada/units",
        ),
        ("units", "ada/units calls ada/units"),
    ] {
        let name = format!("around-{needs}");
        project(&ada, &name, "units", world, needs);
        let refused = ada.run(["build", &name]);
        says(&refused, 1, &format!("in a circle: {circle}"));
        says(
            &refused,
            1,
            &format!("take `{needs}` out of [dependencies]"),
        );
        let written = ada.work().join(&name).join("wit/deps");
        assert!(!written.exists(), "{needs}: something was written");
    }
}

/// An author who has the WIT of a dependency at a place of their own gets no second copy, with
/// which nothing could be built.
fn a_package_of_the_author_s() {
    let registry = RegistryProcess::start();
    let ada = registry.member("ada");
    publish(&ada, "units", "1.0.0", &multiplies("units", 2), &[], |_| {});
    let world = "package tools:trip;\n\nworld tool {\n    import ada:units/convert@1.0.0;\n}\n";
    project(&ada, "trip", "trip", world, "units");
    let copy =
        "package ada:units@1.0.0;\n\ninterface convert {\n    scale: func(x: u32) -> u32;\n}\n";
    ada.write("trip/wit/deps/mine/units.wit", copy);
    // The WIT is read to its end: what is missing is a function.
    says(&ada.run(["build", "trip"]), 1, "exports no function");
    assert!(!ada.work().join("trip/wit/deps/ada-units-1.0.0").exists());

    // What offers an interface that the author defines calls nothing of theirs.
    let world = "package ada:units@1.0.0;\n\ninterface convert {\n    scale: func(x: u32) -> u32;\n}\n\n\
        world tool {\n    import convert;\n}\n";
    project(&ada, "host", "host", world, "units");
    says(&ada.run(["build", "host"]), 1, "exports no function");
    assert!(!ada.work().join("host/wit/deps").exists());
}
