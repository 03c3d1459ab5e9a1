// Stands in for the transports of MCP's SDK.

export class StdioServerTransport {}
export class SSEServerTransport {}
export class StreamableHTTPServerTransport {}
