// TypeScript types of `tool-hub/langchain`: sandboxed functions as tools of LangChain.

import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Tool, Toolbox, Tools } from "tool-hub";

export interface AdapterOptions {
  /** True if a person has to approve each call. By default for what calls itself destructive. */
  needsApproval?(tool: Tool): boolean;
}

/** A list of tools for `createAgent` and models of LangChain. */
export function tools(
  source: Toolbox | Tools | Tool[],
  options?: AdapterOptions,
): Promise<StructuredToolInterface[]>;
