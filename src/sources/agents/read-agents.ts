import type { Agent } from '../../model/agent.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { AgentFileRules } from '../../model/preset.ts'
import type { Files } from '../../platform/platform.ts'
import { readClaudeAgent } from './claude-code-agents.ts'
import { joinReadings, noAgents } from './agent-draft.ts'
import type { AgentReading } from './agent-draft.ts'
import { readAgentsMarkdown } from './markdown-agents.ts'
import { readOpencodeAgent, readOpencodeConfig } from './opencode-agents.ts'
import { agentPlaces, agentPlacesBesideConfig } from './agent-places.ts'
import type { AgentFile, AgentPlace } from './agent-places.ts'
import { expandPlaces, assignAuthority, openFiles } from '../open-files.ts'
import { placesOf } from '../places.ts'
import type { FilePlace, World } from '../source.ts'

/** Every agent that the project and the person describe, or those of one source's file. Of those with one name the highest in rank counts. */
export async function readAgents(world: World, files: Files, rules?: AgentFileRules): Promise<AgentReading> {
  const [described, declared] = await Promise.all([
    readMarkdown(rules ? agentPlacesBesideConfig(rules, world) : agentPlaces(world), files),
    rules ? [] : readConfigs(world, files),
  ])
  const all = joinReadings([...described, ...declared])
  const { agents, hidden } = byName(all.agents.toSorted((a, b) => rankOf(a) - rankOf(b)))
  return { agents, diagnostics: [...all.diagnostics, ...hidden] }
}

const readers: Readonly<Record<AgentFile, (text: string, place: FilePlace) => AgentReading>> = {
  sections: readAgentsMarkdown,
  'claude-code': readClaudeAgent,
  opencode: readOpencodeAgent,
}

async function readMarkdown(all: readonly AgentPlace[], files: Files): Promise<readonly AgentReading[]> {
  const readings = await Promise.all(
    all.map(async ({ kind, place }) => {
      const places = await assignAuthority(await expandPlaces([place], files), files)
      return Promise.all(places.map((each) => readOne({ kind, place: each }, files)))
    }),
  )
  return readings.flat()
}

async function readOne({ kind, place }: AgentPlace, files: Files): Promise<AgentReading> {
  const found = await files.readText(place.path)
  if (found.kind === 'text') return readers[kind](found.text, place)
  if (found.kind === 'absent') return noAgents
  const origin = { file: place.path }
  const message = /[.!?]$/.test(found.message) ? found.message : `${found.message}.`
  return { agents: [], diagnostics: [{ code: 'unreadable-file', severity: 'error', message, origin }] }
}

/** What is wrong with these files as such is said where their servers are read. */
async function readConfigs(world: World, files: Files): Promise<readonly AgentReading[]> {
  const { config: _own, ...rest } = world
  const opened = await openFiles(placesOf('opencode', rest), files)
  return opened.files.map((file) => (file.doc.errors.length > 0 ? noAgents : readOpencodeConfig(file)))
}

const ranks = ['managed', 'project', 'explicit', 'user']

function rankOf({ origin }: Agent): number {
  return ranks.indexOf(origin.authority)
}

/** D-7: a project may take over the name of the person's agent, but not widen what it sees. */
function byName(ranked: readonly Agent[]): { agents: readonly Agent[]; hidden: readonly Diagnostic[] } {
  const agents = new Map<string, Agent>()
  const hidden: Diagnostic[] = []
  for (const agent of ranked) {
    const winner = agents.get(agent.name)
    const isBound = winner?.origin.authority === 'project' && agent.origin.authority !== 'project'
    if (!winner) agents.set(agent.name, agent)
    else if (isBound && !winner.within) agents.set(agent.name, { ...winner, within: agent })
    if (winner) hidden.push(hiddenBy(winner, agent, isBound && !winner.within))
  }
  return { agents: [...agents.values()], hidden }
}

function hiddenBy(winner: Agent, { name, origin }: Agent, isBound: boolean): Diagnostic {
  const other = `${winner.origin.file}:${winner.origin.line}`
  return {
    code: 'shadowed',
    severity: 'info',
    message: isBound
      ? `The agent "${name}" is the one in ${other}, which sees no more than this one admits.`
      : `The agent "${name}" is the one in ${other}.`,
    origin: { file: origin.file, line: origin.line },
  }
}
