import type { JsonObject } from '../../index.ts'
import { matchTool, splitTasks } from './match-tool.ts'
import type { OfferedTool } from './match-tool.ts'

/** The parts of a model of the AI SDK that the demo uses; the types of the SDK are not needed to write one. */
interface CallOptions {
  readonly prompt: readonly Message[]
  readonly tools?: readonly (OfferedTool & { readonly type: string })[]
  readonly abortSignal?: AbortSignal
}

interface Message {
  readonly role: string
  readonly content: string | readonly Part[]
}

interface Part {
  readonly type: string
  readonly text?: string
  readonly toolName?: string
  readonly output?: { readonly type: string; readonly value?: unknown; readonly reason?: string }
}

type Answer = { readonly text: string } | { readonly name: string; readonly args: JsonObject }

/** A stand-in for a language model: it matches the words of a prompt to the tools, and repeats what they answered. */
export function createDemoModel() {
  let calls = 0
  const answer = (options: CallOptions) => toParts(answerTo(options), `demo-call-${++calls}`)
  const usage = (options: CallOptions, output: string) => usageOf(JSON.stringify(options.prompt), output)
  return {
    specificationVersion: 'v3' as const,
    provider: 'plugboard-demo',
    modelId: 'demo',
    supportedUrls: {},
    async doGenerate(options: CallOptions) {
      const { content, finish, text } = answer(options)
      return { content, finishReason: finish, usage: usage(options, text), warnings: [] }
    },
    async doStream(options: CallOptions) {
      const { stream, finish, text } = answer(options)
      const last = { type: 'finish' as const, finishReason: finish, usage: usage(options, text) }
      const parts = [{ type: 'stream-start' as const, warnings: [] }, ...stream, last]
      return { stream: toStream(parts, options.abortSignal) }
    },
  }
}

function toParts(answer: Answer, id: string) {
  if ('text' in answer)
    return {
      text: answer.text,
      finish: { unified: 'stop' as const, raw: 'stop' },
      content: [{ type: 'text' as const, text: answer.text }],
      stream: [
        { type: 'text-start' as const, id },
        ...(answer.text.match(/\S+\s*/g) ?? []).map((delta) => ({ type: 'text-delta' as const, id, delta })),
        { type: 'text-end' as const, id },
      ],
    }
  const input = JSON.stringify(answer.args)
  const call = { type: 'tool-call' as const, toolCallId: id, toolName: answer.name, input }
  return {
    text: input,
    finish: { unified: 'tool-calls' as const, raw: 'tool_calls' },
    content: [call],
    stream: [
      { type: 'tool-input-start' as const, id, toolName: answer.name },
      { type: 'tool-input-delta' as const, id, delta: input },
      { type: 'tool-input-end' as const, id },
      call,
    ],
  }
}

function toStream<T>(parts: readonly T[], signal: AbortSignal | undefined): ReadableStream<T> {
  let at = 0
  return new ReadableStream<T>({
    pull(controller) {
      if (signal?.aborted) return controller.error(signal.reason)
      const part = parts[at++]
      if (part === undefined) return controller.close()
      return controller.enqueue(part)
    },
  })
}

/** About four letters a token. */
function usageOf(input: string, output: string) {
  const [total, text] = [input, output].map((each) => Math.ceil(each.length / 4))
  return {
    inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text, text, reasoning: 0 },
  }
}

/** The next call of the turn, or what the calls so far answered. */
function answerTo({ prompt, tools = [] }: CallOptions): Answer {
  const asked = prompt.findLastIndex(({ role }) => role === 'user')
  const results = prompt.slice(asked + 1).flatMap(resultsIn)
  const request = textOf(prompt[asked])
  const usable = tools.filter(({ type }) => type === 'function')
  const matched = splitTasks(request).flatMap((task) => matchTool(task, usable) ?? [])
  const next = matched[results.length]
  if (next && !results.at(-1)?.isFailed) return next
  return { text: results.length === 0 ? introduction(usable) : results.map(describeResult).join('\n') }
}

interface Result {
  readonly name: string
  readonly text: string
  readonly isFailed: boolean
}

function resultsIn({ role, content }: Message): readonly Result[] {
  if (role !== 'tool' || typeof content === 'string') return []
  return content.flatMap(({ type, toolName = '', output }) => {
    if (type !== 'tool-result' || !output) return []
    const isFailed = output.type.startsWith('error') || output.type === 'execution-denied'
    return [{ name: toolName, text: outputText(output), isFailed }]
  })
}

function outputText({ value, reason }: NonNullable<Part['output']>): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((part: Part) => part.text ?? '').join('\n')
  return value === undefined ? (reason ?? '') : JSON.stringify(value)
}

function textOf(message: Message | undefined): string {
  if (!message) return ''
  if (typeof message.content === 'string') return message.content
  return message.content.map(({ text = '' }) => text).join('\n')
}

const shownLength = 300

function describeResult({ name, text, isFailed }: Result): string {
  const short = text.length > shownLength ? `${text.slice(0, shownLength)} …` : text
  return isFailed ? `${name} did not work: ${short}` : `${name} answered: ${short}`
}

function introduction(tools: readonly OfferedTool[]): string {
  const names = tools.map(({ name }) => name).join(', ')
  return (
    'This is the demo model. It is no language model: it matches your words to tools' +
    `${names === '' ? '' : ` (${names})`}. Try: echo the message hello`
  )
}
