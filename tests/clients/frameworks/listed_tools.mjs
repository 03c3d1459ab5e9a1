// Prints what a framework lists of the tools in a file, and what they answer to calls.
// The arguments are the framework, the file and a JSON list of calls. Standard output has a JSON
// object: of each tool its description, the schema of its arguments, and its answers.

const [framework, file, said] = process.argv.slice(2);
const module = await import(file);
const found = {};

async function mcp() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
  const [here, there] = InMemoryTransport.createLinkedPair();
  await module.server.connect(there);
  const client = new Client({ name: "lister", version: "1" });
  await client.connect(here);
  for (const it of (await client.listTools()).tools) found[it.name] = [it.description, it.inputSchema, []];
  return async (name, given) => {
    const result = await client.callTool({ name, arguments: given });
    const text = result.content.map((it) => it.text).join("");
    return result.isError ? { error: text } : text;
  };
}

async function vercel() {
  const { asSchema } = await import("ai");
  const tools = { ...module.tools };
  for (const [name, it] of Object.entries(tools)) {
    found[name] = [it.description, await asSchema(it.inputSchema).jsonSchema, []];
  }
  return async (name, given) => {
    const taken = await asSchema(tools[name].inputSchema).validate(given);
    const answer = await tools[name].execute(taken.value, {});
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  };
}

const call = await { mcp, vercel }[framework]();
for (const [name, given] of JSON.parse(said)) found[name][2].push(await call(name, given));
console.log(JSON.stringify(found));
process.exit(0);
