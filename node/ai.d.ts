// TypeScript types of `tool-hub/ai`: sandboxed functions as tools of Vercel's AI SDK.

import type { ToolSet } from "ai";
import type { Tool, Toolbox, Tools } from "tool-hub";

export interface AdapterOptions {
  /** True if a person has to approve each call. By default for what calls itself destructive. */
  needsApproval?(tool: Tool): boolean;
}

/** An object of tools for `generateText`, `streamText` and agents of the AI SDK. */
export function tools(
  source: Toolbox | Tools | Tool[],
  options?: AdapterOptions,
): Promise<ToolSet>;
