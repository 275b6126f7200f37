// The packages of the AI SDK are bundled into chunks of their own, loaded on demand, with their notices in THIRD-PARTY.md:
// `npm i -g plugboard && plugboard chat` works, and nothing else is installed.

/** The chunks: one for the SDK and all that providers share, which comes first, and one for each provider. */
export const modelGroups = [
  {
    name: 'ai',
    test: /node_modules[\\/](?:ai|@ai-sdk[\\/](?:gateway|provider|provider-utils)|@vercel|@opentelemetry|@standard-schema|eventsource-parser|json-schema|zod)[\\/]/,
  },
  { name: 'prices', test: /node_modules[\\/]@pydantic[\\/]/ },
  ...['openai', 'openai-compatible', 'anthropic', 'google'].map((name) => ({
    name: `ai-${name}`,
    test: new RegExp(`node_modules[\\\\/]@ai-sdk[\\\\/]${name}[\\\\/]`),
  })),
]
