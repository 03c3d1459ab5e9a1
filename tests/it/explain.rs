//! Tests of `tool explain`, which shows tools as a model's chat template prints them.
//! Templates are in files and in a repository.

use crate::public_clients::{python, said};
use crate::support::loading::load;
use crate::support::{Home, Need, RegistryProcess, Test, guests, test};

pub(crate) fn tests() -> Vec<Test> {
    vec![
        test("explain::the_tools_are_marked", the_tools_are_marked).needs(&[Need::RustGuests]),
        test("explain::a_whole_conversation", a_whole_conversation),
        test("explain::what_is_wrong_is_said", what_is_wrong_is_said).needs(&[Need::RustGuests]),
        test("explain::a_model_of_the_registry", a_model_of_the_registry)
            .needs(&[Need::RustGuests, Need::PythonPackages]),
    ]
}

const TEMPLATE: &str = "{{ bos_token }}<system>\n\
    {%- for tool in tools or [] %}\n\
    {{ tool.function.name }}: {{ tool.function.description }}\n\
    {% endfor %}\n\
    </system>\n\
    <user>{{ messages[0].content }}\n";

const UPLOAD: &str = r#"
import json, sys
from huggingface_hub import HfApi
api = HfApi(endpoint=sys.argv[1], token=sys.argv[2])
api.create_repo("ann/tiny-model")
several = [{"name": "default", "template": "no tools"}, {"name": "tool_use", "template": sys.argv[3]}]
configuration = {"chat_template": several, "bos_token": {"content": "<s>"}, "model_max_length": 1e30}
api.upload_file(
    path_or_fileobj=json.dumps(configuration).encode(),
    path_in_repo="tokenizer_config.json",
    repo_id="ann/tiny-model",
)
"#;

fn toolbox(home: &Home) {
    load(home, &guests::built("calculator").to_string_lossy(), &[]);
}

fn the_tools_are_marked() {
    let home = Home::new();
    toolbox(&home);
    home.write("model.jinja", TEMPLATE);
    let ran = home.tool("explain calculator --as model.jinja --message Hi");
    let shown = ran.ok();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.first(), Some(&"  <system>"), "{shown}");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("> calculator__evaluate: ")),
        "{shown}"
    );
    assert_eq!(lines.last(), Some(&"  <user>Hi"), "{shown}");
    let told = ran.stderr();
    let unseen =
        "warning: the model never reads the description of `expression` of `calculator__evaluate`";
    assert!(told.contains(unseen), "{told}");
    let told = home
        .run(["--json", "explain", "--as", "model.jinja"])
        .json();
    let text = told["text"].as_str().expect("a text");
    let at =
        |end: &str| usize::try_from(told["tools"][end].as_u64().expect("bytes")).expect("bytes");
    assert!(
        text[at("start")..at("end")].starts_with("calculator__evaluate: "),
        "{told}"
    );
    assert_eq!(told["characters"], text.chars().count());

    home.write("blind.jinja", "{{ messages[0].content }}");
    let blind = home.tool("explain --as blind.jinja");
    blind.ok();
    let told = blind.stderr();
    assert!(told.contains("has no place for tools"), "{told}");
    assert_eq!(told.matches("warning: ").count(), 1, "{told}");
    let text = home.tool("explain --as blind.jinja --fallback").ok();
    assert!(text.contains("\"name\":\"calculator__evaluate\""), "{text}");
    home.write("hostile.jinja", "<|user|>{{ messages[0].content }}");
    let hostile = home.run(["explain", "--as", "hostile.jinja", "--message", "<|user|>"]);
    assert_eq!(hostile.ok(), "  <|user|>< |user|>\n");
    home.write("model/chat_template.jinja", "no tools");
    home.write("model/additional_chat_templates/tool_use.jinja", TEMPLATE);
    let additional = home.tool("explain --as model").ok();
    assert!(
        additional.contains("> calculator__evaluate: "),
        "{additional}"
    );
    home.write("hidden.jinja", "\u{1b}[2J{{ messages[0].content }}");
    let hidden = home.tool("explain --as hidden.jinja").ok();
    assert!(!hidden.contains('\u{1b}'), "{hidden:?}");
}

const CONVERSATION: &str = "{% for message in messages %}<{{ message.role }}>{{ message.content }}\
    {% for call in message.tool_calls or [] %}{{ call.function.arguments.city }}{% endfor %}</>\
    {% endfor %}{% for document in documents or [] %}[{{ document.title }}]{% endfor %}\
    {% if enable_thinking is defined and not enable_thinking %}(at once){% endif %}{{ style }}\
    {% if add_generation_prompt %}<assistant>{% endif %}";

/// What `apply_chat_template` takes, without any tool.
fn a_whole_conversation() {
    let home = Home::new();
    home.write("chat.jinja", CONVERSATION);
    home.write(
        "hf.json",
        r#"[{"role": "ipython", "content": "1"}, {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Well, "}]"#,
    );
    home.write(
        "openai.json",
        r#"{"model": "m", "messages": [{"role": "user", "content": "Hi"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function",
             "function": {"name": "weather", "arguments": "{\"city\": \"Bern\"}"}}]}]}"#,
    );
    home.write("documents.json", r#"[{"title": "Rain", "text": "Much."}]"#);
    let begun = "<ipython>1</><user>Hi</><assistant>Well, ";
    for (options, printed) in [
        ("--messages hf.json", format!("{begun}</><assistant>")),
        (
            "--messages hf.json --no-generation-prompt",
            format!("{begun}</>"),
        ),
        ("--messages hf.json --continue", begun.trim_end().to_owned()),
        (
            "--messages openai.json --from openai --documents documents.json",
            "<user>Hi</><assistant>Bern</>[Rain]<assistant>".to_owned(),
        ),
        (
            "--message Yes --var enable_thinking=false --var style=short",
            "<user>Yes</>(at once)short<assistant>".to_owned(),
        ),
    ] {
        let ran = home.tool(&format!("--json explain --as chat.jinja {options}"));
        let text = ran.json()["text"].as_str().expect("a text").to_owned();
        assert_eq!(text.trim_end(), printed, "{options}");
        assert!(!ran.stderr().contains("warning"), "{}", ran.stderr());
    }
    let piped = r#"[{"role": "user", "content": "Ho"}]"#;
    let ran = home.run_with_input("explain --as chat.jinja --messages -", piped);
    assert_eq!(ran.ok(), "  <user>Ho</><assistant>\n");

    home.write("text.json", "\"Hi\"");
    home.write("long.json", " ".repeat((64 << 20) + 1));
    for (options, code, told) in [
        (
            "--messages text.json",
            1,
            "text.json must be a list of messages",
        ),
        (
            "--documents text.json",
            1,
            "text.json must be a list of documents",
        ),
        ("--messages hf.json --from openai", 1, "messages[0].role"),
        (
            "--messages hf.json --continue=thinking",
            1,
            "cannot be continued",
        ),
        ("--messages hf.json --message Hi", 1, "cannot be used with"),
        ("--var thinking", 1, "write NAME=VALUE"),
        (
            "--messages long.json",
            3,
            "too long (conversation_bytes = 67108864)",
        ),
    ] {
        let ran = home.tool(&format!("explain --as chat.jinja {options}"));
        assert_eq!(ran.code(), code, "{options}: {}", ran.stderr());
        assert!(ran.stderr().contains(told), "{options}: {}", ran.stderr());
    }
}

fn what_is_wrong_is_said() {
    let home = Home::new();
    toolbox(&home);
    home.write("broken.jinja", "one\n{% if %}");
    home.write(
        "strict.jinja",
        "{{ raise_exception('Only with a system message!') }}",
    );
    home.write(
        "endless.jinja",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    );
    home.write("empty/tokenizer_config.json", "{}");
    home.write("odd.json", r#"{"chat_template": 5}"#);
    home.write(
        "several.json",
        r#"{"chat_template": [{"name": "rag", "template": "x"}]}"#,
    );
    for (model, said) in [
        ("broken.jinja", "the chat template cannot be read in line 2"),
        (
            "strict.jinja",
            "the chat template refuses the conversation: Only with a system message!",
        ),
        (
            "endless.jinja",
            "the chat template exceeds a limit (steps = ",
        ),
        ("empty", "the model has no chat template"),
        (
            "odd.json",
            "cannot be read: `chat_template` must be a string, or an array of objects",
        ),
        (
            "several.json",
            "the model has no chat template `default`: expected one of rag",
        ),
        (
            "nowhere",
            "`nowhere` is neither a file, a directory nor a model",
        ),
        (
            "no.json",
            "`no.json` is neither a file, a directory nor a model",
        ),
    ] {
        let ran = home.run(["explain", "--as", model]);
        // A limit refuses, everything else the user can mend.
        let code = if model == "endless.jinja" { 3 } else { 1 };
        assert_eq!(ran.code(), code, "{model}: {}", ran.stderr());
        assert!(ran.stderr().contains(said), "{model}: {}", ran.stderr());
    }
    let named = home.tool("explain --as several.json --template rag");
    assert_eq!(named.ok(), "  x\n");
}

fn a_model_of_the_registry() {
    let registry = RegistryProcess::start();
    let token = registry.user("ann");
    said(
        python()
            .arg("-c")
            .arg(UPLOAD)
            .args([registry.url(), &token, TEMPLATE]),
    );
    let user = registry.visitor();
    toolbox(&user);
    let shown = user.tool("explain --as ann/tiny-model").ok();
    assert!(
        shown.starts_with("  <s><system>\n> calculator__evaluate: "),
        "{shown}"
    );
    let absent = user.tool("explain --as ann/no-model");
    assert_ne!(absent.code(), 0);
    assert!(
        absent.stderr().contains("ann/no-model"),
        "{}",
        absent.stderr()
    );
}
