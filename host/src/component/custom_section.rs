//! Appends custom sections to a component's bytes, and finds them at its top.

use wasmparser::{Parser, Payload};

use crate::component::scan;
use crate::error::HostError;

/// Appends a custom section with `name` and `data` to a component.
pub fn append_section(name: &str, data: &[u8], component: &mut Vec<u8>) {
    let mut contents = Vec::new();
    leb128(name.len(), &mut contents);
    contents.extend_from_slice(name.as_bytes());
    contents.extend_from_slice(data);
    component.push(0);
    leb128(contents.len(), component);
    component.extend_from_slice(&contents);
}

/// The data of the first custom section with `name` at the top of `component`; those of the modules
/// and components within it are passed over.
///
/// # Errors
/// When the bytes are no component as far as the section.
pub fn section<'a>(component: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, HostError> {
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(component) {
        match payload.map_err(scan::malformed)? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if depth == 0 && section.name() == name => {
                return Ok(Some(section.data()));
            }
            _ => {}
        }
    }
    Ok(None)
}

fn leb128(mut value: usize, out: &mut Vec<u8>) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_at_the_top_only() {
        let inner = r#"(component (component (core module $m)) (core module))"#;
        let mut component = wat::parse_str(inner).unwrap();
        assert_eq!(section(&component, "a").unwrap(), None);
        let long = "x".repeat(300);
        append_section("a", long.as_bytes(), &mut component);
        append_section("a", b"second", &mut component);
        append_section("b", b"", &mut component);
        assert_eq!(section(&component, "a").unwrap(), Some(long.as_bytes()));
        assert_eq!(section(&component, "b").unwrap(), Some(&b""[..]));
        assert_eq!(section(&component, "c").unwrap(), None);
        // One within another component is that one's.
        let mut outer = wat::parse_str("(component)").unwrap();
        outer.push(4);
        leb128(component.len(), &mut outer);
        outer.extend_from_slice(&component);
        assert_eq!(section(&outer, "a").unwrap(), None);
        assert!(section(&component[..component.len() - 1], "c").is_err());
    }
}
