// Settings of vitest for @huggingface/hub's tests: one file after the other, reported as JSON.

import { appendFileSync } from "node:fs";
import { basename } from "node:path";

/** Writes a line for each test: `{"test": …, "outcome": "passed" | "failed" | "skipped", "asked": …, "why": …}`. */
const report = {
	onTestCaseResult(test) {
		const { state, errors } = test.result();
		const line = {
			test: `${basename(test.module.moduleId)} > ${test.fullName}`,
			outcome: state,
			asked: test.meta().asked ?? false,
			why: errors?.[0]?.message ?? "",
		};
		appendFileSync(process.env.CONFORMANCE_REPORT, `${JSON.stringify(line)}\n`);
	},
};

export default {
	test: {
		include: ["src/lib/*.spec.ts"],
		setupFiles: ["./hold_back.mjs"],
		reporters: [report],
		fileParallelism: false,
		testTimeout: 60_000,
	},
};
