//! Writes the report of a test run as JUnit's XML, which continuous builds read.

use std::time::Duration;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::report::{Report, TestResult};
use crate::terminal::escape::escape;

/// The report as XML. Characters that XML cannot hold are spelled.
///
/// # Errors
/// Never, as it is written to memory.
pub(crate) fn junit(report: &Report) -> std::io::Result<Vec<u8>> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let time = seconds(report.results.iter());
    let (tests, failures) = (report.count().to_string(), report.failed().to_string());
    writer
        .create_element("testsuites")
        .with_attribute(("name", escape(&report.tool).as_str()))
        .with_attribute(("tests", tests.as_str()))
        .with_attribute(("failures", failures.as_str()))
        .with_attribute(("time", time.as_str()))
        .write_inner_content(|writer| {
            let mut suites = report.suites().into_iter();
            suites.try_for_each(|(name, results)| suite(writer, report, name, &results))
        })?;
    let mut xml = writer.into_inner();
    xml.push(b'\n');
    Ok(xml)
}

fn suite(
    writer: &mut Writer<Vec<u8>>,
    report: &Report,
    name: &str,
    results: &[&TestResult],
) -> std::io::Result<()> {
    let failed = results.iter().filter(|result| !result.passed).count();
    let class = format!("{}.{name}", report.tool);
    writer
        .create_element("testsuite")
        .with_attribute(("name", escape(name).as_str()))
        .with_attribute(("tests", results.len().to_string().as_str()))
        .with_attribute(("failures", failed.to_string().as_str()))
        .with_attribute(("time", seconds(results.iter().copied()).as_str()))
        .write_inner_content(|writer| {
            let mut results = results.iter();
            results.try_for_each(|result| case(writer, &class, result))
        })?;
    Ok(())
}

fn case(writer: &mut Writer<Vec<u8>>, class: &str, result: &TestResult) -> std::io::Result<()> {
    let name = match result.name == result.function {
        true => result.name.clone(),
        false => format!("{}: {}", result.function, result.name),
    };
    let case = writer
        .create_element("testcase")
        .with_attribute(("classname", escape(class).as_str()))
        .with_attribute(("name", escape(&name).as_str()))
        .with_attribute(("time", format!("{:.3}", result.time.as_secs_f64()).as_str()));
    if result.passed {
        case.write_empty()?;
        return Ok(());
    }
    let message = result.problems.first().map_or("it failed", String::as_str);
    let mut lines: Vec<String> = result.problems.iter().map(|it| escape(it)).collect();
    lines.extend(result.written.iter().map(|line| escape(line)));
    let repeat = result.repeat.iter();
    lines.extend(repeat.map(|repeat| format!("repeat it with: {}", escape(repeat))));
    case.write_inner_content(|writer| {
        writer
            .create_element("failure")
            .with_attribute(("message", escape(message).as_str()))
            .write_text_content(BytesText::new(&lines.join("\n")))?;
        Ok(())
    })?;
    Ok(())
}

fn seconds<'a>(results: impl Iterator<Item = &'a TestResult>) -> String {
    let time: Duration = results.map(|result| result.time).sum();
    format!("{:.3}", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_s_text_is_text() {
        let result = |passed, problem: &str| TestResult {
            suite: "tests/a.toml".to_owned(),
            name: "one".to_owned(),
            function: "f".to_owned(),
            passed,
            calls: 1,
            time: Duration::from_millis(1_500),
            problems: vec![problem.to_owned()],
            written: Vec::new(),
            arguments: None,
            repeat: None,
        };
        let report = Report {
            tool: "demo".to_owned(),
            version: "0.1.0".to_owned(),
            seed: 1,
            results: vec![result(true, ""), result(false, "</failure>\u{1b}<!--")],
            notes: Vec::new(),
        };
        let xml = String::from_utf8(junit(&report).unwrap()).unwrap();
        let expect = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="demo" tests="2" failures="1" time="3.000">
  <testsuite name="tests/a.toml" tests="2" failures="1" time="3.000">
    <testcase classname="demo.tests/a.toml" name="f: one" time="1.500"/>
    <testcase classname="demo.tests/a.toml" name="f: one" time="1.500">
      <failure message="&lt;/failure&gt;\u{1b}&lt;!--">&lt;/failure&gt;\u{1b}&lt;!--</failure>
    </testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(xml, expect);
    }
}
