//! Fuzzes the rendering of chat templates, and conversions of conversations between APIs' forms.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use tool_hub_agent::conversation::chat_template::{Chat, ChatTemplate, ControlTokens};
use tool_hub_agent::conversation::{Conversation, MessageDialect};

/// The most bytes of a template: longer ones only make each attempt slower.
const TEMPLATE_BYTES_MAX: usize = 4096;

fuzz_target!(|texts: (&str, &str)| {
    let (source, said) = texts;
    if source.len() > TEMPLATE_BYTES_MAX {
        return;
    }
    let messages = json!([
        {"role": "user", "content": said},
        {"role": "tool", "content": [{"type": "text", "text": said}, {"type": "text", "text": said}]},
    ]);
    let conversation = Conversation::read(MessageDialect::HuggingFace, &messages);
    let written = conversation
        .expect("messages")
        .write(MessageDialect::HuggingFace);
    assert_eq!(written.value, messages);
    if let Ok(value) = serde_json::from_str(said) {
        for &dialect in MessageDialect::ALL {
            if let Ok(conversation) = Conversation::read(dialect, &value) {
                for &to in MessageDialect::ALL {
                    let written = conversation.write(to).value;
                    Conversation::read(to, &written).expect("what was written is read");
                }
            }
        }
    }
    let Ok(template) = ChatTemplate::new(source) else {
        return;
    };
    let chat = Chat {
        messages: serde_json::from_value(messages).expect("objects"),
        tools: Some(vec![json!({"function": {"name": said}})]),
        control_tokens: ControlTokens::Broken(vec!["<|im_end|>".to_owned()]),
        tools_in_text: true,
        ..Chat::default()
    };
    let _ = template.render(&chat);
    let _ = template.render(&Chat {
        continue_final_message: Some("content".to_owned()),
        ..chat
    });
});
