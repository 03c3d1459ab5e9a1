// Stands in for the types of MCP's SDK, of which errors are values.

export class McpError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const ErrorCode = { InvalidParams: -32602, InternalError: -32603, InvalidRequest: -32600, MethodNotFound: -32601 };
