//! Tests of what the settings take from which variable, file and default.

use super::*;

struct Unheard;

impl Notices for Unheard {
    fn notice(&self, _: &Notice<'_>) {}
}

#[test]
fn a_mirror_is_shown_no_token_of_its_registry() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().to_owned();
    let variables = Variables::new(move |name| match name {
        "HOME" | "TOOL_HUB_HOME" => Some(directory.clone().into()),
        "HF_ENDPOINT" => Some("https://tools.example".into()),
        "HF_TOKEN" => Some("hf_secret".into()),
        _ => None,
    });
    let mirrors = "[mirrors]\n\"https://tools.example\" = \"https://mirror.example\"\n";
    std::fs::write(home.path().join("config.toml"), mirrors).unwrap();
    let settings = Settings::resolve(variables, home.path().to_owned(), None).unwrap();
    let registry: Url = "https://tools.example/".parse().unwrap();
    let reading = settings.client(&registry, &Unheard).unwrap();
    assert_eq!(reading.endpoint(), &registry);
    let shown = format!("{reading:?}");
    assert!(shown.contains("signed_in: false"), "{shown}");
    let writing = settings.writing_client(&registry, &Unheard).unwrap();
    assert_eq!(writing.endpoint(), &registry);
    let shown = format!("{writing:?}");
    assert!(shown.contains("signed_in: true"), "{shown}");
    let other: Url = "https://tools.example.org/".parse().unwrap();
    assert_eq!(settings.mirror_of(&other), None);
}
