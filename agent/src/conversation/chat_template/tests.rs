//! Tests that short chat templates print what Transformers prints, of errors, and of choosing one.
//! The expected texts were taken from Transformers. Templates of real models are compared with it
//! by the test `oracles`.

mod control;

use jiff::civil::date;
use serde_json::json;

use super::*;

fn chat(messages: Value) -> Chat {
    Chat {
        messages: serde_json::from_value(messages).unwrap(),
        ..Chat::default()
    }
}

fn user(text: &str) -> Chat {
    chat(json!([{"role": "user", "content": text}]))
}

#[track_caller]
fn check(template: &str, chat: &Chat, expect: &str) {
    let printed = ChatTemplate::new(template).and_then(|template| template.render(chat));
    assert_eq!(printed.as_deref(), Ok(expect), "{template}");
}

#[track_caller]
fn refused(template: &str, chat: &Chat) -> TemplateError {
    let printed = ChatTemplate::new(template).and_then(|template| template.render(chat));
    printed.expect_err(template)
}

#[test]
fn turns_and_the_beginning_of_the_next() {
    let template = "{{ bos_token }}\n\
        {%- for message in messages %}\n\
        {{- '<|' + message.role + '|>' + message['content'] | trim }}\n\
        {%- if not loop.last %}{{ '\\n' }}{% endif %}\n\
        {% endfor %}\n\
        {% if add_generation_prompt %}\n\
            <|assistant|>\n\
        {% endif %}\n";
    let mut chat = chat(json!([
        {"role": "system", "content": " Be kind. "},
        {"role": "user", "content": "Hi", "name": null},
    ]));
    chat.variables.insert("bos_token".into(), "<s>".into());
    check(template, &chat, "<s><|system|>Be kind.\n<|user|>Hi");
    chat.add_generation_prompt = true;
    check(
        template,
        &chat,
        "<s><|system|>Be kind.\n<|user|>Hi<|assistant|>\n",
    );
}

#[test]
fn json_is_python_s() {
    let mut chat = user("");
    chat.tools = Some(vec![json!({
        "name": "é<&\"'\u{1}", "numbers": [1, -2, 1.0, 0.1, 1e16, 1e-5, 123456789012345678_u64],
        "flags": [true, null], "empty": [{}, []],
    })]);
    check(
        "{{ tools[0] | tojson }}",
        &chat,
        r#"{"name": "é<&\"'\u0001", "numbers": [1, -2, 1.0, 0.1, 1e+16, 1e-05, 123456789012345678], "flags": [true, null], "empty": [{}, []]}"#,
    );
    chat.tools = Some(vec![json!({"b": "é😀", "a": [1]})]);
    for (options, expect) in [
        (
            "ensure_ascii=True",
            r#"{"b": "\u00e9\ud83d\ude00", "a": [1]}"#,
        ),
        ("sort_keys=True", r#"{"a": [1], "b": "é😀"}"#),
        ("separators=(',', ':')", r#"{"b":"é😀","a":[1]}"#),
        (
            "indent=2",
            "{\n  \"b\": \"é😀\",\n  \"a\": [\n    1\n  ]\n}",
        ),
        ("indent=none", r#"{"b": "é😀", "a": [1]}"#),
    ] {
        check(
            &format!("{{{{ tools[0] | tojson({options}) }}}}"),
            &chat,
            expect,
        );
    }
    let error = refused("{{ nothing | tojson }}", &chat);
    assert!(matches!(error, TemplateError::Failed { .. }), "{error:?}");
    let error = refused("{{ tools | map(attribute='a') | tojson }}", &chat);
    assert!(
        error.to_string().contains("not JSON serializable"),
        "{error}"
    );
}

#[test]
fn values_print_as_in_python() {
    let template = "{{ true }} {{ none }} {{ [1, 'a', 2.5] }} {{ {'k': \"it's\"} }} {{ nothing }}|\
        {{ 'a' is sequence }} {{ none is iterable }} {{ 'A b'.split() }} {{ {'x': 1}.items() | list }}";
    let expect = "True None [1, 'a', 2.5] {'k': \"it's\"} |True False ['A', 'b'] [('x', 1)]";
    check(template, &user(""), expect);
}

#[test]
fn nothing_is_no_list() {
    let template = "{% for tool in tools if tool %}x{% else %}none{% endfor %}";
    let error = refused(template, &user(""));
    let expect = "the chat template fails in line 1: 'NoneType' object is not iterable";
    assert_eq!(error.to_string(), expect);
    let mut with_tools = user("");
    with_tools.tools = Some(Vec::new());
    check(template, &with_tools, "none");
    // Neither texts nor comments are changed, whatever stands in them.
    let verbatim = "{# {% for x in none %} #}{% raw %}{% for x in y if z %}{% endraw %}\
        {{ '{% for x in y %}' }}{% for x in ['a in b', 'if %}'] %}{{ x }};{% endfor %}";
    let expect = "{% for x in y if z %}{% for x in y %}a in b;if %};";
    check(verbatim, &user(""), expect);
}

#[test]
fn what_the_assistant_wrote_is_a_scope() {
    let template = "{% set x = 'out' %}{%- generation -%} {% set x = 'in' %}{{ x }} {%- endgeneration %} {{ x }}";
    check(template, &user(""), "in out");
}

#[test]
fn reasoning_has_every_name() {
    let template = "{{ messages[0].reasoning_content }},{{ messages[0].thinking }}";
    for name in ["reasoning_content", "thinking", "reasoning"] {
        let chat = chat(json!([{"role": "assistant", (name): "Hm."}]));
        check(template, &chat, "Hm.,Hm.");
    }
}

#[test]
fn the_time_is_what_it_is_said_to_be() {
    let template = "{{ strftime_now('%d %b %Y, %A %H:%M:%S') }}";
    let mut chat = user("");
    check(template, &chat, "01 Jan 1970, Thursday 00:00:00");
    chat.now = Some(date(2026, 3, 7).at(14, 5, 9, 0));
    check(template, &chat, "07 Mar 2026, Saturday 14:05:09");
}

#[test]
fn a_template_says_why_it_refuses() {
    let template =
        "{% if messages[0].role != 'system' %}{{ raise_exception('No system!') }}{% endif %}";
    let error = refused(template, &user("Hi"));
    assert_eq!(
        error,
        TemplateError::Refused {
            message: "No system!".to_owned()
        }
    );
    let error = refused("one\n{% if %}", &user("Hi"));
    assert!(
        matches!(error, TemplateError::Syntax { line: Some(2), .. }),
        "{error:?}"
    );
    let error = refused("one\n{{ messages[0].nothing.more }}", &user("Hi"));
    assert!(
        matches!(error, TemplateError::Failed { line: Some(2), .. }),
        "{error:?}"
    );
}

#[test]
fn checks_print_nothing_and_take_nothing() {
    for (template, expect) in [
        (
            "{% macro m(a, b=[1]) -%}\n {{ a }}{{ b }}{%- endmacro %}{{ m('x', b=[2]) }}{{ m() }}",
            "x[2][1]",
        ),
        (
            "{% macro m(a) %}\n  {{ a }}\n{% endmacro %}<{{ m([1]) }}>",
            "<  [1]\n>",
        ),
        (
            "{% macro m() %}{{ caller([1], 2) }}{% endmacro %}{% call(a, b) m() -%}\n {{ a }}{{ b }}{% endcall %}",
            "[1]2",
        ),
        (
            "{% for a in [1, [2, [3]]] recursive %}{{ loop(a) if a is iterable else a }}{% endfor %}",
            "123",
        ),
        (
            "{% for a in [1, 2] + [3] if a > 1 %}{{ a }}{% else %}-{% endfor %}",
            "23",
        ),
        (
            "{% set a, b = [1], {'c': (2,)} %}{{ a }}{{ b }}",
            "[1]{'c': (2,)}",
        ),
        (
            "{% set a = 1, 2 %}{{ a }}{% set a %}x{{ a }}{% endset %}{{ a }}",
            "(1, 2)x(1, 2)",
        ),
        (
            "{% set a | upper %}x{% endset %}{% with b = a ~ 'y', c = [a] %}{{ b }}{{ c }}{% endwith %}",
            "Xy['X']",
        ),
        (
            "{% set n = namespace(a=[1]) %}{% set n.a = n.a + [2] %}{{ n.a }}{{ n.a[1:] | length }}",
            "[1, 2]1",
        ),
        (
            "{{ 2 * 3 * -1 }}{{ 'ab' * 2 }}{% set d = {'n': 3} %}{{ ' ' * d.n }}{{ (1 + 2) * d['n'] | abs }}",
            "-6abab   9",
        ),
        (
            "{% set a = [3, 1] | sort %}{{ a }}{% set a = 'b c'.split() %}{{ a[-1] }}{{ '<' | safe }}",
            "[1, 3]c<",
        ),
        (
            "{% for a in [1, 1, 2] %}{{ loop.changed(a, [a]) }}{% endfor %}",
            "TrueFalseTrue",
        ),
        (
            "a\n  {% generation %}\nb\n  {%- endgeneration -%}\n c{# {% generation %} #}",
            "a\nbc",
        ),
    ] {
        check(template, &user(""), expect);
    }
    for broken in [
        "{% set a = %}",
        "{% set a = 1) + (2 %}",
        "{% for a in %}{% endfor %}",
        "{% for a in [1]) + ([2] %}{% endfor %}",
        "{{ 1 * }}",
    ] {
        let error = refused(broken, &user(""));
        assert!(matches!(error, TemplateError::Syntax { .. }), "{error:?}");
    }
}

#[test]
fn what_python_prints_otherwise_is_refused() {
    for template in [
        "{{ '<b>' | safe + '&' }}",
        "{{ [1, 2] | map('string') }}",
        "{{ [1, 2] | select('odd') | length }}",
        "{% include 'other' %}",
        "{{ [1] * 2 }}",
    ] {
        let error = refused(template, &user(""));
        let is_refused = matches!(
            error,
            TemplateError::Failed { line: Some(1), .. }
                | TemplateError::Syntax { line: Some(1), .. }
        );
        assert!(is_refused, "{template}: {error:?}");
    }
}

#[test]
fn long_conversations_are_printed_as_short_ones() {
    let template = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}\n{% endfor %}";
    let one = json!({"role": "user", "content": " Hi "});
    let long = chat(Value::Array(vec![one; 20_000]));
    check(template, &long, &"<user>Hi\n".repeat(20_000));
    let text = "x".repeat(5_000_000);
    let template = "{% set all = messages[0:] %}{% for m in all %}{{ m.content }}{% endfor %}";
    check(template, &user(&text), &text);
}

#[test]
fn a_last_message_is_gone_on_with() {
    let continuation = |content: Value, member: &str| {
        let mut chat = chat(json!([
            {"role": "user", "content": "Hi"},
            {"role": "assistant", (member): content},
        ]));
        chat.continue_final_message = Some(member.to_owned());
        chat
    };
    let kept = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}";
    let open = continuation(json!("It is "), "content");
    check(kept, &open, "<user>Hi</user><assistant>It is ");
    let trimmed = kept.replace("m.content", "m.content | trim");
    check(&trimmed, &open, "<user>Hi</user><assistant>It is");
    let blocks = "{% for m in messages %}{% if m.content is string %}{{ m.content }}\
        {% else %}{% for b in m.content %}[{{ b.text }}]{% endfor %}{% endif %}{% endfor %}";
    let two = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]);
    check(blocks, &continuation(two, "content"), "Hi[one][two");
    let reasoning = "{% for m in messages %}({{ m.thinking }}){% endfor %}";
    check(
        reasoning,
        &continuation(json!("Hm"), "reasoning_content"),
        "()(Hm",
    );

    let why = |template: &str, chat: &Chat| match refused(template, chat) {
        TemplateError::NotContinued { why } => why,
        other => panic!("{other:?}"),
    };
    let never = why("{{ messages[0].role }}", &open);
    assert_eq!(never, "the template never reads that member");
    let unprinted = why("{{ messages[0].content }}", &open);
    assert_eq!(unprinted, "the template does not print it");
    assert_eq!(
        why(kept, &continuation(json!(3), "content")),
        "it is not a text"
    );
    let mut absent = open.clone();
    absent.continue_final_message = Some("reasoning".to_owned());
    assert_eq!(why(kept, &absent), "it has no such member");
}

#[test]
fn a_model_s_templates_are_chosen_as_transformers_does() {
    let one = r#"{"chat_template": "one", "bos_token": "<s>", "eos_token": {"content": "</s>"},
        "pad_token": null, "add_bos_token": true}"#;
    let one = ModelTemplates::from_tokenizer_config(one).unwrap();
    let tokens = json!({"bos_token": "<s>", "eos_token": "</s>"});
    assert_eq!(Value::Object(one.special_tokens().clone()), tokens);
    assert_eq!(one.choose(None, true).unwrap(), "one");
    let several = r#"{"chat_template": [{"name": "default", "template": "plain"},
        {"name": "tool_use", "template": "tools"}, {"name": "rag", "template": "documents"}]}"#;
    let several = ModelTemplates::from_tokenizer_config(several).unwrap();
    assert_eq!(several.choose(None, false).unwrap(), "plain");
    assert_eq!(several.choose(None, true).unwrap(), "tools");
    assert_eq!(several.choose(Some("rag"), true).unwrap(), "documents");
    let unknown = several.choose(Some("chat"), true).unwrap_err().to_string();
    let expect = "the model has no chat template `chat`: expected one of default, rag, tool_use";
    assert_eq!(unknown, expect);
    let none = ModelTemplates::from_tokenizer_config("{}").unwrap();
    assert!(matches!(none.choose(None, false), Err(ModelError::None)));
    let own = none.with_template(None, "own");
    assert_eq!(own.choose(None, true).unwrap(), "own");
}
