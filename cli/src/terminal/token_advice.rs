//! Hints for a user whom a registry did not let in: which token it was shown, and how to log in.

use tool_hub_toolbox::Settings;
use tool_hub_toolbox::settings::tokens::TokenOrigin;
use url::Url;

/// Hints for a user whom `endpoint` did not let in: which token it was shown, why it was not
/// shown another one, and how to log in.
pub(crate) fn of(endpoint: &Url, settings: &Settings) -> Vec<String> {
    let shown = endpoint.origin().ascii_serialization();
    let login = format!("log in with: tool login --endpoint {endpoint}");
    let hint = match settings.token_origin(endpoint) {
        // An error in the token files was reported before.
        Err(_) => return Vec::new(),
        Ok(Some(TokenOrigin::Variable)) => format!("the token in HF_TOKEN was sent to {shown}"),
        Ok(Some(TokenOrigin::Stored)) => {
            format!("the token stored by `tool login` was sent to {shown}; {login}")
        }
        Ok(Some(TokenOrigin::HubFile)) => format!(
            "the token stored by `hf auth login` was sent to {shown}; to use another one, {login}"
        ),
        Ok(None) => match settings.token_variable_is_for() {
            Some(hub) => format!(
                "no token was sent to {shown}: HF_TOKEN is for {}, the registry of HF_ENDPOINT; {login}",
                hub.origin().ascii_serialization()
            ),
            None => format!("no token was sent to {shown}; {login}"),
        },
    };
    vec![hint]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tool_hub_toolbox::variables::{HOME, Variables};

    use super::*;

    const HUB: &str = "https://hub.example.org/base";
    const OTHER: &str = "https://other.example.org";

    fn settings(home: &Path) -> Settings {
        let user = home.to_owned();
        let variables = Variables::new(move |name| match name {
            HOME => Some(user.clone().into_os_string()),
            "HF_ENDPOINT" => Some(HUB.into()),
            "HF_TOKEN" => Some("hf_environment".into()),
            _ => None,
        });
        Settings::resolve(variables, home.to_owned(), None).unwrap()
    }

    #[test]
    fn advice_names_the_token_and_the_way_in() {
        let home = tempfile::tempdir().unwrap();
        let settings = settings(home.path());
        let advice = |at: &str| of(&at.parse().unwrap(), &settings).join("\n");
        assert_eq!(
            advice(HUB),
            "the token in HF_TOKEN was sent to https://hub.example.org"
        );
        assert_eq!(
            advice(OTHER),
            "no token was sent to https://other.example.org: HF_TOKEN is for \
             https://hub.example.org, the registry of HF_ENDPOINT; log in with: tool login \
             --endpoint https://other.example.org/"
        );
        let mut stored = settings.credentials().unwrap();
        stored.keep(&OTHER.parse().unwrap(), "hf_other").unwrap();
        assert_eq!(
            advice(OTHER),
            "the token stored by `tool login` was sent to https://other.example.org; log in \
             with: tool login --endpoint https://other.example.org/"
        );
        for text in [advice(HUB), advice(OTHER)] {
            assert!(!text.contains("hf_"), "{text}");
        }
    }
}
