// Types of `tool-hub/openai-agents`: sandboxed functions as tools of the OpenAI Agents SDK.

import type { FunctionTool } from "@openai/agents";
import type { Tool, Toolbox, Tools } from "tool-hub";

export interface AdapterOptions {
  /** True if a person has to approve each call. By default for what calls itself destructive. */
  needsApproval?(tool: Tool): boolean;
}

/** A list of tools for an `Agent` of the OpenAI Agents SDK. */
export function tools(
  source: Toolbox | Tools | Tool[],
  options?: AdapterOptions,
): Promise<FunctionTool<any, any, any>[]>;
