import type { Agent, ListDialect } from '../../model/agent.ts'
import type { Diagnostic, DiagnosticCode } from '../../model/diagnostic.ts'
import type { ListProblem } from './agent-fields.ts'
import { checkModel, checkPrompt } from './agent-prompt.ts'
import type { FilePlace } from '../source.ts'

export interface AgentReading {
  readonly agents: readonly Agent[]
  readonly diagnostics: readonly Diagnostic[]
}

export const noAgents: AgentReading = { agents: [], diagnostics: [] }

/** An agent before its lists, prompt and model are checked. */
export interface AgentDraft {
  readonly place: FilePlace
  readonly name: string
  readonly line: number
  readonly description?: string | undefined
  readonly prompt?: string | undefined
  readonly model?: string | undefined
  readonly dialect?: ListDialect
}

export interface AgentLists {
  readonly tools?: readonly string[] | undefined
  readonly servers?: readonly string[] | undefined
  readonly asks?: readonly string[] | undefined
}

const noLists: AgentLists = { tools: [], servers: [] }

/** Completes an agent with its lists. If they cannot be read, the agent sees nothing and the problem is reported. */
export function finishAgent(draft: AgentDraft, lists: AgentLists | ListProblem): AgentReading {
  const { prompt, problem: ofPrompt } = checkPrompt(draft)
  const { model, problem: ofModel } = checkModel(draft)
  const agent = toAgent({ ...draft, prompt, model }, isProblem(lists) ? noLists : lists)
  const ofLists = isProblem(lists) ? unreadableTools(draft, lists) : emptyList(draft, lists)
  return { agents: [agent], diagnostics: [ofLists, ofModel, ofPrompt].flatMap((each) => each ?? []) }
}

function toAgent(
  { place, name, line, description, prompt, model, dialect }: AgentDraft,
  { tools, servers, asks }: AgentLists,
): Agent {
  return {
    name,
    origin: { file: place.path, line, authority: place.authority },
    ...(description !== undefined && { description }),
    ...(prompt !== undefined && { prompt }),
    ...(model !== undefined && { model }),
    ...(tools && { tools }),
    ...(servers && { servers }),
    ...(asks && { asks }),
    ...(dialect && { dialect }),
  }
}

export function isProblem(value: object | undefined): value is ListProblem {
  return value !== undefined && 'problem' in value
}

function unreadableTools({ place, name }: AgentDraft, { problem, line }: ListProblem): Diagnostic {
  return {
    code: 'unreadable-tools',
    severity: 'error',
    message: `The tools of the agent "${name}" cannot be read: ${problem}. It sees none until this is fixed.`,
    hint: 'Write them as [a, b_*, !b_c], as "- item" lines, or as a, b.',
    origin: { file: place.path, line },
  }
}

function emptyList({ place, name, line }: AgentDraft, { tools }: AgentLists): Diagnostic | undefined {
  if (tools?.length !== 0) return undefined
  return {
    code: 'no-tools',
    severity: 'warn',
    message: `The tool list of the agent "${name}" is empty, so it sees no tools.`,
    hint: 'To allow all tools, remove the list or write [*].',
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

export function joinReadings(readings: readonly AgentReading[]): AgentReading {
  return {
    agents: readings.flatMap(({ agents }) => agents),
    diagnostics: readings.flatMap(({ diagnostics }) => diagnostics),
  }
}
