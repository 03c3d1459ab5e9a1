// Keeps @huggingface/hub's tests from asking other machines, and notes which ask the registry.
// A test that does not says nothing about it.

import { afterEach, beforeEach } from "vitest";

const registry = process.env.HF_ENDPOINT;
const send = globalThis.fetch;
// Files that tests fetch from the web for no other end than to upload them.
const anyFile = /^https:\/\/huggingface\.co\/(gpt2|spaces\/\w+\/push-model-from-web)\/(raw|resolve)\//;
let asked = false;

globalThis.fetch = async (input, init) => {
	const url = new URL(input instanceof Request ? input.url : input);
	if (anyFile.test(url.href)) {
		return send(`${registry}/hub.js/any/resolve/main/file.json`, init);
	}
	if (!["127.0.0.1", "localhost"].includes(url.hostname) && url.protocol.startsWith("http")) {
		throw new Error(`asks the public Hub: ${url}`);
	}
	asked ||= url.href.startsWith(registry);
	return send(input, init);
};

beforeEach(() => {
	asked = false;
});

afterEach(({ task }) => {
	task.meta.asked = asked;
});
