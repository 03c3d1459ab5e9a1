//! Fuzzes the parsers of references, names, origins and digests: each value reads back as shown.

#![no_main]

use std::fmt::{Debug, Display};
use std::str::FromStr;

use libfuzzer_sys::fuzz_target;
use tool_hub_manifest::{
    Digest, ExportName, Origin, RepoId, ToolKey, ToolName, ToolRef, VariableName,
};

fuzz_target!(|text: &str| {
    check::<ToolRef>(text);
    check::<RepoId>(text);
    check::<ToolName>(text);
    check::<ToolKey>(text);
    check::<VariableName>(text);
    check::<Origin>(text);
    check::<Digest>(text);
    check::<ExportName>(text);
});

fn check<T: FromStr + Display + PartialEq + Debug>(text: &str) {
    if let Ok(read) = text.parse::<T>() {
        let shown = read.to_string();
        match shown.parse::<T>() {
            Ok(again) => assert_eq!(again, read, "{text:?} is shown as {shown:?}"),
            Err(_) => panic!("{text:?} is shown as {shown:?}, which is refused"),
        }
    }
}
