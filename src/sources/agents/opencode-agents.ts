import { isObject, toPointer, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { finishAgent, isProblem, joinReadings, noAgents } from './agent-draft.ts'
import type { AgentDraft, AgentLists, AgentReading } from './agent-draft.ts'
import { indentOf, isBlank, readFrontMatter, textOf, unquote } from './agent-fields.ts'
import type { Field, Fields, FrontMatter, Line, ListProblem } from './agent-fields.ts'
import { modelIn } from './agent-prompt.ts'
import type { PromptFiles } from './opencode-prompt-files.ts'
import { readToolList, withoutComment } from './agent-tool-list.ts'
import type { FilePlace, OpenFile } from '../source.ts'

/** opencode's agent files. The agent is named after the file, with the folders above it. */
export function readOpencodeAgent(text: string, place: FilePlace, name: string): AgentReading {
  const front: FrontMatter = readFrontMatter(text) ?? { fields: new Map(), body: text }
  const { fields, problem, body } = front
  if (textOf(fields.get('disable')) === 'true') return noAgents
  const draft: AgentDraft = {
    place,
    name,
    line: 1,
    description: textOf(fields.get('description')),
    prompt: body,
    model: modelIn(fields.get('model')),
    dialect: 'opencode',
  }
  return finishAgent(draft, problem ?? listsOfFields(fields))
}

function listsOfFields(fields: Fields['fields']): AgentLists | ListProblem {
  const tools = fields.get('tools')
  const list = tools && isList(tools) ? readToolList(tools) : undefined
  const switches = list ? [] : switchesOfField(tools)
  const permission = switchesOfField(fields.get('permission'))
  if (isProblem(list)) return list
  if (isProblem(switches)) return switches
  if (isProblem(permission)) return permission
  const lists = toTools(switches, permission, list?.items)
  return typeof lists === 'string' ? { problem: lists, line: tools?.line ?? 1 } : lists
}

function isList({ value, below }: Field): boolean {
  if (value !== '' && !value.startsWith('#')) return !value.startsWith('{')
  return (
    below
      .find((line) => !isBlank(line))
      ?.text.trimStart()
      .startsWith('-') ?? true
  )
}

/** The `agent` key of opencode's settings, with the texts of the files that its prompts name. */
export function readOpencodeConfig(file: OpenFile, promptFiles: PromptFiles['texts']): AgentReading {
  const agents = valueAt(file.doc.value, ['agent'])
  if (!isObject(agents)) return noAgents
  return joinReadings(
    Object.entries(agents).map(([name, entry]) => {
      const { line } = file.doc.position(toPointer(['agent', name]))
      const draft: AgentDraft = { place: file, name, line, dialect: 'opencode' }
      if (!isObject(entry)) return finishAgent(draft, { problem: 'the agent is not an object', line })
      if (entry['disable'] === true) return noAgents
      const lists = listsOfEntry(entry)
      return finishAgent(
        { ...draft, ...textsOfEntry(entry, promptFiles) },
        typeof lists === 'string' ? { problem: lists, line } : lists,
      )
    }),
  )
}

function textsOfEntry({ description, prompt, model }: JsonObject, promptFiles: PromptFiles['texts']) {
  return {
    ...(typeof description === 'string' && { description }),
    ...(typeof prompt === 'string' && { prompt: promptFiles.get(prompt) ?? prompt }),
    ...(typeof model === 'string' && { model: model.trim() }),
  }
}

function listsOfEntry(entry: JsonObject): AgentLists | string {
  const [switches, permission] = [switchesOfJson(entry['tools']), switchesOfJson(entry['permission'])]
  if (typeof switches === 'string') return switches
  return typeof permission === 'string' ? permission : toTools(switches, permission)
}

/** Patterns with the settings of each; several settings if they depend on the arguments. */
type Switches = readonly (readonly [pattern: string, words: readonly string[]])[]

/**
 * Converts opencode's `tools: { "x_*": false }` and `permission: { "x_*": "deny" }`. Every tool is on unless switched off,
 * the last match wins, and permissions apply after switches.
 */
function toTools(tools: Switches, permission: Switches, listed?: readonly string[]): AgentLists | string {
  const wrong =
    tools.find(([, words]) => !words.every((word) => word === 'true' || word === 'false')) ??
    permission.find(([, words]) => words.length === 0 || !words.every((word) => effects.includes(word))) ??
    [...tools, ...permission].find(([pattern]) => pattern === '' || /^!|\p{Cc}|\p{Cf}/u.test(pattern))
  if (wrong) return `${JSON.stringify(wrong[0])} has no valid setting`

  const list = [...(listed ?? ['*'])]
  const set = (pattern: string, on: boolean) => {
    // A tool that is on already is not listed: a listed pattern that matches none of our tools would be reported.
    if (!on) list.push(`!${pattern}`)
    else if (list.some((each) => each.startsWith('!'))) list.push(pattern)
  }
  for (const [pattern, [word]] of tools) set(pattern, word === 'true')
  for (const [pattern, words] of permission) set(pattern, !words.every((word) => word === 'deny'))

  const asks = permission.map(([pattern, words]) => (needsAsking(words) ? pattern : `!${pattern}`))
  const hasAsks = permission.some(([, words]) => needsAsking(words))
  return { tools: listed || list.length > 1 ? list : undefined, asks: hasAsks ? asks : undefined }
}

const effects = ['allow', 'ask', 'deny']

/** If the permission depends on the arguments, ask. */
function needsAsking(words: readonly string[]): boolean {
  return words.includes('ask') || (words.includes('deny') && words.includes('allow'))
}

function switchesOfJson(value: Json | undefined): Switches | string {
  if (value === undefined) return []
  if (typeof value === 'string') return [['*', [value]]]
  if (!isObject(value)) return 'it is not a map of patterns'
  return Object.entries(value).map(([pattern, each]) => [pattern, wordsOf(each)])
}

function wordsOf(value: Json): readonly string[] {
  return (isObject(value) ? Object.values(value) : [value]).map((word) =>
    typeof word === 'string' ? word : JSON.stringify(word),
  )
}

/** Switches from the lines of a front matter: `{ a: true }`, one word, or `a: true` lines below. */
function switchesOfField(field: Field | undefined): Switches | ListProblem {
  if (!field) return []
  const { line, below } = field
  const own = withoutComment(field.value)
  if (own === '') return switchesBelow(below, line)
  if (below.some((each) => !isBlank(each))) return { problem: 'the map continues below it', line }
  if (!own.startsWith('{')) return [['*', [unquote(own)]]]
  if (!own.endsWith('}') || /[{}[\]]/.test(own.slice(1, -1)))
    return { problem: 'the map cannot be read', line }
  const parts = own
    .slice(1, -1)
    .split(',')
    .filter((part) => part.trim() !== '')
  const pairs = parts.map((part) => pairIn(part.trim()))
  return pairs.includes(undefined)
    ? { problem: 'the map cannot be read', line }
    : pairs.flatMap((pair) => (pair ? [[pair[0], [pair[1]]] as const] : []))
}

function switchesBelow(lines: readonly Line[], at: number): Switches | ListProblem {
  const rows = lines.filter((line) => !isBlank(line))
  const base = indentOf(rows[0]?.text ?? '')
  if (base === 0) return { problem: 'it is empty', line: rows[0]?.line ?? at }
  const found: [string, string[]][] = []
  for (const { text, line } of rows) {
    const pair = pairIn(withoutComment(text))
    const isNested = indentOf(text) > base
    if (!pair || indentOf(text) < base)
      return { problem: 'this is not "pattern: true" or "pattern: false"', line }
    const [key, word] = pair
    if (!isNested) found.push([key, word === '' ? [] : [word]])
    else found.at(-1)?.[1].push(word)
  }
  return found
}

function pairIn(text: string): readonly [string, string] | undefined {
  const at = text.search(/:(?=\s|$)/)
  return at <= 0 ? undefined : [unquote(text.slice(0, at).trim()), unquote(text.slice(at + 1).trim())]
}
