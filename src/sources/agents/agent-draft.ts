import { basename, dirname } from 'node:path'
import type { Agent, ListDialect } from '../../model/agent.ts'
import type { Diagnostic, DiagnosticCode } from '../../model/diagnostic.ts'
import type { ListProblem } from './agent-fields.ts'
import type { FilePlace } from '../source.ts'

export interface AgentReading {
  readonly agents: readonly Agent[]
  readonly diagnostics: readonly Diagnostic[]
}

export const noAgents: AgentReading = { agents: [], diagnostics: [] }

/** What is known of an agent before its lists are. */
export interface AgentDraft {
  readonly place: FilePlace
  readonly name: string
  readonly line: number
  readonly description?: string | undefined
  readonly dialect?: ListDialect
}

export interface AgentLists {
  readonly tools?: readonly string[] | undefined
  readonly servers?: readonly string[] | undefined
  readonly asks?: readonly string[] | undefined
}

const noLists: AgentLists = { tools: [], servers: [] }

/** With the lists of an agent, or with what is wrong with them: then it sees nothing at all. */
export function finish(draft: AgentDraft, lists: AgentLists | ListProblem): AgentReading {
  if (isProblem(lists)) {
    return { agents: [toAgent(draft, noLists)], diagnostics: [unreadable(draft, lists)] }
  }
  const isEmpty = lists.tools?.length === 0
  return { agents: [toAgent(draft, lists)], diagnostics: isEmpty ? [empty(draft)] : [] }
}

function toAgent(
  { place, name, line, description, dialect }: AgentDraft,
  { tools, servers, asks }: AgentLists,
): Agent {
  return {
    name,
    origin: { file: place.path, line, authority: place.authority },
    ...(description !== undefined && { description }),
    ...(tools && { tools }),
    ...(servers && { servers }),
    ...(asks && { asks }),
    ...(dialect && { dialect }),
  }
}

export function isProblem(value: object | undefined): value is ListProblem {
  return value !== undefined && 'problem' in value
}

function unreadable({ place, name }: AgentDraft, { problem, line }: ListProblem): Diagnostic {
  return {
    code: 'unreadable-tools',
    severity: 'error',
    message: `The tools of the agent "${name}" cannot be read: ${problem}. It sees none until that is corrected.`,
    hint: 'Write them as [a, b_*, !b_c], as "- item" lines, or as a, b.',
    origin: { file: place.path, line },
  }
}

function empty({ place, name, line }: AgentDraft): Diagnostic {
  return {
    code: 'no-tools',
    severity: 'warn',
    message: `The list of the agent "${name}" is empty: it sees no tool.`,
    hint: 'For all tools leave the list out, or write [*].',
    origin: { file: place.path, line },
  }
}

export function onlyDiagnostic(
  code: DiagnosticCode,
  message: string,
  { path: file }: FilePlace,
  line = 1,
): AgentReading {
  return { agents: [], diagnostics: [{ code, severity: 'warn', message, origin: { file, line } }] }
}

/** What a file without a name of its own is called by: its own name, with a folder in between. */
export function nameOfFile({ path }: FilePlace): string {
  const folder = basename(dirname(path))
  const name = basename(path, '.md')
  return folder === 'agent' || folder === 'agents' ? name : `${folder}/${name}`
}

export function joinReadings(readings: readonly AgentReading[]): AgentReading {
  return {
    agents: readings.flatMap(({ agents }) => agents),
    diagnostics: readings.flatMap(({ diagnostics }) => diagnostics),
  }
}
