import { isObject, toPointer, valueAt } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { finish, isProblem, joinReadings, nameOfFile, noAgents } from './agent-draft.ts'
import type { AgentDraft, AgentLists, AgentReading } from './agent-draft.ts'
import { isBlank, readFrontMatter, textOf } from './agent-fields.ts'
import type { Field, Fields, ListProblem } from './agent-fields.ts'
import { switchesOfField, switchesOfJson, toTools } from './agent-switches.ts'
import { readToolList } from './agent-tool-list.ts'
import type { FilePlace, OpenFile } from '../source.ts'

/** opencode's agent files: the file's name is the agent's. */
export function readOpencodeAgent(text: string, place: FilePlace): AgentReading {
  const { fields, problem }: Fields = readFrontMatter(text) ?? { fields: new Map() }
  if (textOf(fields.get('disable')) === 'true') return noAgents
  const draft: AgentDraft = {
    place,
    name: nameOfFile(place),
    line: 1,
    description: textOf(fields.get('description')),
    dialect: 'opencode',
  }
  return finish(draft, problem ?? listsOfFields(fields))
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

/** The `agent` key of opencode's own files. */
export function readOpencodeConfig(file: OpenFile): AgentReading {
  const agents = valueAt(file.doc.value, ['agent'])
  if (!isObject(agents)) return noAgents
  return joinReadings(
    Object.entries(agents).map(([name, entry]) => {
      const { line } = file.doc.position(toPointer(['agent', name]))
      const draft: AgentDraft = { place: file, name, line, dialect: 'opencode' }
      if (!isObject(entry)) return finish(draft, { problem: 'the agent is not an object', line })
      if (entry['disable'] === true) return noAgents
      const { description } = entry
      const described = { ...draft, ...(typeof description === 'string' && { description }) }
      const lists = listsOfEntry(entry)
      return finish(described, typeof lists === 'string' ? { problem: lists, line } : lists)
    }),
  )
}

function listsOfEntry(entry: JsonObject): AgentLists | string {
  const [switches, permission] = [switchesOfJson(entry['tools']), switchesOfJson(entry['permission'])]
  if (typeof switches === 'string') return switches
  return typeof permission === 'string' ? permission : toTools(switches, permission)
}
