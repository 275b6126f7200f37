// The parts of three libraries that adapters use. The libraries themselves are no devDependencies: they are large or need
// a newer Node (docs/decisions/047-libraries-of-embedders.md). `npm run test:peers` compiles the adapters with the real
// types, without this file.

declare module '@google/genai' {
  export interface FunctionCall {
    id?: string
    name?: string
    args?: Record<string, unknown>
  }
  export interface Part {
    text?: string
    functionCall?: FunctionCall
    functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> }
    inlineData?: { mimeType?: string; data?: string }
  }
  export interface Content {
    role?: string
    parts?: Part[]
  }
  export interface GenerateContentResponse {
    candidates?: { content?: Content }[]
  }
  export interface Tool {
    functionDeclarations?: { name?: string; description?: string; parametersJsonSchema?: unknown }[]
  }
}

declare module '@openai/agents' {
  export interface FunctionTool<_Context> {
    type: 'function'
    name: string
    description: string
    parameters: object
    strict: boolean
  }
  export function tool(options: {
    name: string
    description: string
    parameters: { type: 'object'; properties: object; required: string[]; additionalProperties: true }
    strict: false
    execute: (input: unknown, context?: unknown, details?: { signal?: AbortSignal }) => Promise<unknown>
    errorFunction: (context: unknown, error: unknown) => string
  }): FunctionTool<unknown>
}

declare module '@mastra/core/tools' {
  export interface Tool {
    id: string
    description: string
  }
  export function createTool(options: {
    id: string
    description: string
    inputSchema: object
    execute: (input: unknown, context?: { abortSignal?: AbortSignal }) => Promise<unknown>
    toModelOutput: (output: unknown) => unknown
  }): Tool
}
