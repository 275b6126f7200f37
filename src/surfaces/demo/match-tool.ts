import type { Json, JsonObject } from '../../index.ts'

/** A tool as a model sees it. */
export interface OfferedTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: JsonObject
}

export interface MatchedCall {
  readonly name: string
  readonly args: JsonObject
}

/** The parts of a prompt that are done one after the other: `add 2 and 3, then write a note …`. */
export function splitTasks(prompt: string): readonly string[] {
  return prompt
    .split(/(?:[,;.]?\s+(?:and\s+)?then\s+|;\s+|\n+)/i)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Words that say nothing about the tool that is meant. */
const fillers = new Set(
  'a an and as at be by can could for from i in is it its me my of on or please that the their them this to use we what with you your'.split(
    ' ',
  ),
)

/** Finds the tool whose name and description share the most words with the task, and takes its arguments from the task. */
export function matchTool(task: string, tools: readonly OfferedTool[]): MatchedCall | undefined {
  const words = new Set(wordsOf(task))
  const common = sharedWords(tools)
  const scored = tools.map((tool) => {
    const inName = wordsOf(tool.name).filter((word) => words.has(word) && !common.has(word))
    const inText = wordsOf(tool.description ?? '').filter((word) => words.has(word))
    return { tool, score: 3 * new Set(inName).size + new Set(inText).size }
  })
  const [best] = scored.toSorted((a, b) => b.score - a.score)
  if (!best || best.score === 0) return undefined
  return { name: best.tool.name, args: fillArguments(task, best.tool) }
}

/** The prefix of a server is part of each name. */
function sharedWords(tools: readonly OfferedTool[]): ReadonlySet<string> {
  const [first, ...rest] = tools.map(({ name }) => new Set(wordsOf(name)))
  if (!first || rest.length === 0) return new Set()
  return new Set([...first].filter((word) => rest.every((each) => each.has(word))))
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stem).filter((word) => !fillers.has(word))
}

/** `notes` and `note` are one word. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

/** Numbers in their order, texts after the name of the argument or in quotes, and otherwise what the tool's words leave. */
function fillArguments(task: string, { name, inputSchema }: OfferedTool): JsonObject {
  const properties = Object.entries((inputSchema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>) // of a JSON Schema
  const required = (inputSchema['required'] ?? []) as readonly string[] // of a JSON Schema
  const numbers = [...task.matchAll(/-?\d+(?:\.\d+)?/g)].map(([number]) => Number(number))
  const quoted = [...task.matchAll(/["“”]([^"“”]*)["“”]/g)].map(([, inside = '']) => inside)
  const args: Record<string, Json> = {}
  for (const [key, schema] of properties) {
    const value = valueFor(key, schema)
    if (value !== undefined) args[key] = value
  }
  return args

  function valueFor(key: string, schema: JsonObject): Json | undefined {
    const choices = schema['enum']
    if (Array.isArray(choices))
      return choices.find((choice: Json) => typeof choice === 'string' && wordsOf(task).includes(choice))
    if (schema['type'] === 'number' || schema['type'] === 'integer') return numbers.shift()
    if (schema['type'] === 'boolean')
      return required.includes(key) ? !/\b(?:no|not|off|false)\b/i.test(task) : undefined
    if (schema['type'] !== 'string') return undefined
    return quoted.shift() ?? afterWord(key, task) ?? (required.includes(key) ? restOf(task, name) : undefined)
  }
}

function afterWord(key: string, task: string): string | undefined {
  const match = new RegExp(`\\b${key.replace(/[^\w]/g, '.')}\\b\\s*[:=]?\\s*(.+)$`, 'isu').exec(task)
  return match?.[1]?.trim()
}

/** The task without the leading words that name the tool. */
function restOf(task: string, name: string): string {
  const own = new Set(wordsOf(name))
  const words = task.split(/\s+/)
  const start = words.findIndex((word) => {
    const [plain] = wordsOf(word)
    return plain !== undefined && !own.has(plain) && plain !== 'new'
  })
  return (start < 0 ? task : words.slice(start).join(' ')).replace(/^[:,\s]+/, '')
}
