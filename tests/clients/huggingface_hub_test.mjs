// Tests a registry with npm's @huggingface/hub: a repository from its creation to its deletion.
//
// usage: node huggingface_hub_test.mjs ENDPOINT TOKEN
// The package is taken from the working directory's node_modules (`npm install @huggingface/hub`).
// Prints one line a step; exits with 1 at the first thing that is not as it should be.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const hub = await import(pathToFileURL(require.resolve("@huggingface/hub")).href);
const [hubUrl, accessToken] = process.argv.slice(2);
const signed = { hubUrl, accessToken };
const run = randomBytes(4).toString("hex");

const step = (text) => console.log(`ok ${text}`);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const gitBlobId = (bytes) => createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
const collect = async (items) => {
	const all = [];
	for await (const item of items) all.push(item);
	return all;
};
const refused = async (statusCode, action) => {
	const error = await action().then(
		() => assert.fail(`not refused with ${statusCode}`),
		(error) => error,
	);
	assert.equal(error.statusCode, statusCode, `${error}`);
	assert.ok(error.requestId, "no request id on the error");
	return error;
};
const bytesOf = async (repo, path, revision = "main") => {
	const blob = await hub.downloadFile({ repo, path, revision, ...signed });
	return blob && Buffer.from(await blob.arrayBuffer());
};

const who = await hub.whoAmI(signed);
assert.equal(who.type, "user");
assert.equal(who.auth.accessToken.role, "write");
await refused(401, () => hub.whoAmI({ hubUrl, accessToken: "hf_wrong" }));
step(`whoAmI: ${who.name}`);

const repo = `${who.name}/js-life-${run}`;
const created = await hub.createRepo({
	repo,
	license: "apache-2.0",
	files: [{ path: "first.txt", content: new Blob(["first"]) }],
	...signed,
});
assert.equal(created.repoUrl, `${hubUrl}/${repo}`);
assert.match(created.id, /^[0-9a-f]{24}$/);
await refused(409, () => hub.createRepo({ repo, ...signed }));
assert.equal(await hub.repoExists({ repo, ...signed }), true);
assert.equal(await hub.repoExists({ repo: `${repo}-not`, ...signed }), false);
assert.equal((await bytesOf(repo, "first.txt")).toString(), "first");
assert.equal(await hub.countCommits({ repo, ...signed }), 1);
step("createRepo");

const settings = Buffer.from("schema = 1\nname = 'js-life'\n");
const card = `---\nlicense: mit\ntags: [tool-hub, life-${run}]\n---\n# Life\n\nCounts the numbats of ${run}.\n`;
const large = randomBytes(100_000_000);
const uploaded = await hub.uploadFiles({
	repo,
	commitTitle: "add files",
	commitDescription: "with a description",
	files: [
		{ path: "top.toml", content: new Blob([settings]) },
		{ path: "README.md", content: new Blob([card]) },
		{ path: "data/large.bin", content: new Blob([large]) },
		{ path: "data/deep/ü b.txt", content: new Blob(["deep"]) },
		{ path: "empty.txt", content: new Blob([]) },
	],
	...signed,
});
assert.match(uploaded.commit.oid, /^[0-9a-f]{40}$/);
assert.equal(sha256(await bytesOf(repo, "data/large.bin")), sha256(large));
assert.deepEqual(await bytesOf(repo, "top.toml"), settings);
assert.equal((await bytesOf(repo, "data/deep/ü b.txt")).toString(), "deep");
assert.equal((await bytesOf(repo, "empty.txt")).length, 0);
assert.equal(await bytesOf(repo, "missing.txt"), null);
step("uploadFiles and downloadFile, 100 MB with equal sha256");

const part = await hub.downloadFile({ repo, path: "data/large.bin", ...signed });
assert.deepEqual(Buffer.from(await part.slice(1000, 2000).arrayBuffer()), large.subarray(1000, 2000));
const info = await hub.fileDownloadInfo({ repo, path: "top.toml", ...signed });
assert.equal(info.size, settings.length);
assert.equal(info.etag.replaceAll('"', ""), gitBlobId(settings));
assert.equal(await hub.fileExists({ repo, path: "top.toml", ...signed }), true);
assert.equal(await hub.fileExists({ repo, path: "missing.txt", ...signed }), false);
step("ranges, fileDownloadInfo, fileExists");

const files = await collect(hub.listFiles({ repo, recursive: true, expand: true, ...signed }));
assert.deepEqual(
	files.map((file) => file.path),
	[".gitattributes", "README.md", "data", "data/deep", "data/deep/ü b.txt", "data/large.bin", "empty.txt", "first.txt", "top.toml"],
);
const listed = files.find((file) => file.path === "top.toml");
assert.equal(listed.oid, gitBlobId(settings));
assert.equal(listed.lastCommit.id, uploaded.commit.oid);
assert.equal(files.find((file) => file.path === "first.txt").lastCommit.title, "initial commit");
const infos = await hub.pathsInfo({ repo, paths: ["top.toml", "data", "missing"], expand: true, ...signed });
assert.deepEqual(infos.map((info) => [info.path, info.type]), [["top.toml", "file"], ["data", "directory"]]);
assert.equal(infos[0].lastCommit.id, uploaded.commit.oid);
step("listFiles, pathsInfo");

const model = await hub.modelInfo({ name: repo, additionalFields: ["sha", "tags", "cardData", "author"], ...signed });
assert.equal(model.sha, uploaded.commit.oid);
assert.equal(model.author, who.name);
assert.ok(model.tags.includes("tool-hub") && model.tags.includes("license:mit"), `${model.tags}`);
assert.equal(model.cardData.license, "mit");
await refused(404, () => hub.modelInfo({ name: `${repo}-not`, ...signed }));
await refused(404, () => hub.modelInfo({ name: repo, revision: "nothing", ...signed }));
step("modelInfo");

await hub.createBranch({ repo, branch: "side", ...signed });
await refused(409, () => hub.createBranch({ repo, branch: "side", ...signed }));
await hub.createBranch({ repo, branch: "bare", empty: true, ...signed });
await hub.uploadFile({ repo, branch: "side", file: { path: "side.txt", content: new Blob(["side"]) }, ...signed });
assert.equal((await bytesOf(repo, "side.txt", "side")).toString(), "side");
assert.equal(await bytesOf(repo, "side.txt"), null);
assert.deepEqual(await collect(hub.listFiles({ repo, revision: "bare", ...signed })), []);
await hub.deleteBranch({ repo, branch: "side", ...signed });
await hub.deleteBranch({ repo, branch: "bare", ...signed });
await refused(403, () => hub.deleteBranch({ repo, branch: "main", ...signed }));
step("branches");

await hub.commit({
	repo,
	title: "several",
	parentCommit: uploaded.commit.oid,
	operations: [
		{ operation: "addOrUpdate", path: "first.txt", content: new Blob(["changed"]) },
		{ operation: "delete", path: "empty.txt" },
		{ operation: "delete", path: "data/deep" },
	],
	...signed,
});
const stale = { repo, title: "late", parentCommit: uploaded.commit.oid, ...signed };
await refused(412, () =>
	hub.commit({ ...stale, operations: [{ operation: "addOrUpdate", path: "late.txt", content: new Blob(["late"]) }] }),
);
await hub.deleteFile({ repo, path: "first.txt", ...signed });
await refused(404, () => hub.deleteFile({ repo, path: "first.txt", ...signed }));
const left = await collect(hub.listFiles({ repo, recursive: true, ...signed }));
assert.deepEqual(
	left.filter((file) => file.type === "file").map((file) => file.path),
	[".gitattributes", "README.md", "data/large.bin", "top.toml"],
);
step("commit with several operations, parent commit, deleteFile");

const proposal = await hub.uploadFile({
	repo,
	isPullRequest: true,
	commitTitle: "a proposal",
	file: { path: "proposed.txt", content: new Blob(["proposed"]) },
	...signed,
});
assert.equal(proposal.pullRequestUrl, `${hubUrl}/${repo}/discussions/1`);
assert.equal((await bytesOf(repo, "proposed.txt", "refs/pr/1")).toString(), "proposed");
assert.equal(await bytesOf(repo, "proposed.txt"), null);
assert.ok((await collect(hub.listFiles({ repo, revision: "refs/pr/1", ...signed }))).some((file) => file.path === "proposed.txt"));
step("pull request");

const history = await collect(hub.listCommits({ repo, batchSize: 2, ...signed }));
assert.deepEqual(history.map((commit) => commit.title), ["Delete first.txt", "several", "add files", "initial commit"]);
assert.equal(history[2].message, "with a description");
assert.deepEqual(history[0].authors.map((author) => author.username), [who.name]);
assert.equal(await hub.countCommits({ repo, ...signed }), 4);
assert.equal((await bytesOf(repo, "first.txt", uploaded.commit.oid)).toString(), "first");
step("history");

const cacheDir = mkdtempSync(join(tmpdir(), "js-life-"));
const cached = await hub.downloadFileToCacheDir({ repo, path: "top.toml", cacheDir, ...signed });
assert.deepEqual(readFileSync(cached), settings);
const snapshot = await hub.snapshotDownload({ repo, cacheDir, ...signed });
assert.equal(sha256(readFileSync(join(snapshot, "data/large.bin"))), sha256(large));
rmSync(cacheDir, { recursive: true });
step("downloadFileToCacheDir, snapshotDownload");

const search = (query, credentials = signed) => collect(hub.listModels({ search: query, ...credentials }));
assert.deepEqual((await search({ query: `numbats ${run}`, tags: ["tool-hub"] })).map((model) => model.name), [repo]);
assert.deepEqual((await search({ owner: who.name, tags: [`life-${run}`] })).map((model) => model.name), [repo]);
assert.deepEqual(await search({ query: run, tags: ["no-such-tag"] }), []);
step("listModels");

const secret = `${who.name}/js-secret-${run}`;
await hub.createRepo({ repo: secret, visibility: "private", ...signed });
await hub.checkRepoAccess({ repo: secret, ...signed });
await refused(401, () => hub.checkRepoAccess({ repo: secret, hubUrl }));
assert.deepEqual(await search({ query: `js-secret-${run}` }, { hubUrl }), []);
assert.equal((await search({ query: `js-secret-${run}` })).length, 1);
const data = { type: "dataset", name: `${who.name}/js-data-${run}` };
await hub.createRepo({ repo: data, ...signed });
await hub.uploadFile({ repo: data, file: { path: "t.csv", content: new Blob(["1,2\n"]) }, ...signed });
assert.equal((await bytesOf(data, "t.csv")).toString(), "1,2\n");
step("private repositories, data sets");

for (const gone of [repo, secret, data]) {
	await hub.deleteRepo({ repo: gone, ...signed });
	assert.equal(await hub.repoExists({ repo: gone, ...signed }), false);
}
await refused(404, () => hub.deleteRepo({ repo, ...signed }));
step("deleteRepo");
console.log("all of it works");
