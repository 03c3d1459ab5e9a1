"""A conversation with a model of Transformers, whose chat template knows tools."""

from tool_hub.transformers import answers, tools


def chat(tokenizer, generate, box, task, approve):
    messages = [{"role": "user", "content": task}]
    while True:
        prompt = tokenizer.apply_chat_template(
            messages, tools=tools(box), add_generation_prompt=True, tokenize=False
        )
        message = tokenizer.parse_response(generate(prompt), prefix=prompt, tools=tools(box))
        messages.append(message)
        if not message.get("tool_calls"):
            return messages
        messages += answers(box, message["tool_calls"], approve=approve)
