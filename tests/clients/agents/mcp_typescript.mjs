// Lists and calls tools with a connected client, for both versions of MCP's SDK for TypeScript.

/** `callTool` makes one call, which versions spell differently. */
export async function session(client, callTool) {
  const { tools } = await client.listTools();
  return {
    names: tools.map((tool) => tool.name),
    async call(name, args) {
      const progress = [];
      const onprogress = (report) => progress.push(report);
      const result = await callTool({ name, arguments: args }, { onprogress });
      return { ...result, progress };
    },
    close: () => client.close(),
  };
}
