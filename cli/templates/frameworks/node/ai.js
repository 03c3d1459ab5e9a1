// The AI SDK, of which a package's tools have what they are made with. What calls a model fails.

export * from "@ai-sdk/provider-utils";
export {
  convertToModelMessages, generateObject, generateText, stepCountIs, streamObject, streamText,
} from "tool-node-ai-absent";
