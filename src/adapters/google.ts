import type { Content, FunctionCall, GenerateContentResponse, Part, Tool } from '@google/genai'
import type { View } from '../index.ts'
import { isObject } from '../model/json.ts'
import { offerTools } from './compiled-tools.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'
import { createRunner } from './model-calls.ts'
import type { Answer, RunOptions } from './model-calls.ts'
import { imagesOf } from './result-images.ts'
import { requireTexts, unreadable } from './run-input.ts'

export type { AdapterOptions, RunOptions }

export interface GoogleTools {
  /** For `config.tools`; empty if there are no tools. */
  readonly tools: Tool[]
  /**
   * Runs the function calls of a response and returns the parts of the next user content; empty if there are none. Also
   * takes the content with these calls, or the list of calls.
   */
  readonly run: (
    response: Pick<GenerateContentResponse, 'candidates'> | Content | readonly FunctionCall[],
    options?: RunOptions,
  ) => Promise<Part[]>
}

/**
 * Returns the tools of a view as Google's Gen AI SDK takes them, as they are now. Call it again before each turn to follow changes.
 *
 * @example
 * const { tools, run } = await toGoogle(host)
 * const response = await client.models.generateContent({ model, contents, config: { tools } })
 * contents.push(response.candidates[0].content, { role: 'user', parts: await run(response) })
 */
export async function toGoogle(view: View, options: AdapterOptions = {}): Promise<GoogleTools> {
  const offered = await offerTools(view, ['gemini'], options)
  const run = createRunner(view, offered, options)
  return {
    // The API refuses an empty list of declarations.
    tools: offered.length === 0 ? [] : [{ functionDeclarations: offered.map(toDeclaration) }],
    async run(given, runOptions) {
      const calls = functionCallsOf(given)
      // A call may have no id; its place in the list identifies it.
      const ours = calls.map(({ name, args = {} }, index) => ({ id: `${index}`, name: name!, input: args }))
      const answers = await run(ours, runOptions)
      return answers.flatMap(({ id, answer }) => toParts(calls[Number(id)]!, answer, options))
    },
  }
}

function toDeclaration({ name, tool, schema }: CompiledTool) {
  return {
    name,
    ...(tool.description && { description: tool.description }),
    parametersJsonSchema: { ...schema },
  }
}

const runInput = {
  accepted: 'a response of generateContent, its content, or response.functionCalls',
  foreign: [],
}

function functionCallsOf(given: unknown): readonly FunctionCall[] {
  const calls = Array.isArray(given) ? (given as readonly unknown[]) : partsOf(given).flatMap(callOf)
  for (const call of calls) requireTexts(runInput, isObject(call) ? call['name'] : undefined)
  return calls as readonly FunctionCall[] // with names
}

/** What a response has beside candidates. One whose prompt was blocked has no candidates. */
const responseKeys = ['promptFeedback', 'usageMetadata', 'modelVersion', 'responseId']

/** The parts of a content, or of a response's first candidate. A candidate that was cut off may have none. */
function partsOf(given: unknown): readonly unknown[] {
  if (!isObject(given)) throw unreadable(runInput, given)
  const { candidates, parts, role } = given
  if (candidates === undefined && parts === undefined && role !== 'model') {
    if (responseKeys.some((key) => given[key] !== undefined)) return []
    throw unreadable(runInput, given)
  }
  if (candidates === undefined) return Array.isArray(parts) ? parts : []
  const [first] = Array.isArray(candidates) ? (candidates as readonly unknown[]) : []
  const content = isObject(first) ? first['content'] : undefined
  return isObject(content) && Array.isArray(content['parts']) ? content['parts'] : []
}

function callOf(part: unknown): readonly unknown[] {
  return isObject(part) && part['functionCall'] !== undefined ? [part['functionCall']] : []
}

function toParts(
  { id, name = '' }: FunctionCall,
  { text, failed, result }: Answer,
  { images = true }: AdapterOptions,
): readonly Part[] {
  const response = failed ? { error: text } : { output: text }
  const found = images && result && !failed ? imagesOf(result) : []
  return [
    { functionResponse: { ...(id !== undefined && { id }), name, response } },
    // Beside the response: only newer models accept images inside it.
    ...found.map(({ mediaType, data }) => ({ inlineData: { mimeType: mediaType, data } })),
  ]
}
