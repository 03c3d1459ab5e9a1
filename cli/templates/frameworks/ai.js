// Stands in for the AI SDK: a tool is what it is made of, and whatever calls a model does nothing.

export const tool = (options) => options;
export const dynamicTool = tool;

const absent = (name) => () => {
  throw new Error(`\`${name}\` is a part of a framework that this tool runs without`);
};
export const generateText = absent("generateText");
export const streamText = absent("streamText");
export const generateObject = absent("generateObject");
export const streamObject = absent("streamObject");
export const stepCountIs = absent("stepCountIs");
export const convertToModelMessages = absent("convertToModelMessages");
