import type { Agent } from '../../model/agent.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { AgentFileRules } from '../../model/preset.ts'
import type { Files } from '../../platform/platform.ts'
import { readClaudeAgent } from './claude-code-agents.ts'
import { joinReadings, noAgents } from './agent-draft.ts'
import type { AgentReading } from './agent-draft.ts'
import { readAgentsMarkdown } from './markdown-agents.ts'
import { readCopilotAgent } from './copilot-agents.ts'
import { readAgentFolder } from './agent-folder.ts'
import { readOpencodeAgent, readOpencodeConfig } from './opencode-agents.ts'
import { readPromptFiles } from './opencode-prompt-files.ts'
import { agentPlaces, agentPlacesBesideConfig } from './agent-places.ts'
import type { AgentFile, AgentPlace } from './agent-places.ts'
import { assignAuthority, openFiles } from '../open-files.ts'
import { placesOf } from '../places.ts'
import { findProject } from '../project-folder.ts'
import type { FilePlace, World } from '../source.ts'

/** Reads the agents of the project and of the user, or those of one source's file. The highest rank wins a shared name. */
export async function readAgents(world: World, files: Files, rules?: AgentFileRules): Promise<AgentReading> {
  const [described, declared] = await Promise.all([
    readMarkdown(rules ? agentPlacesBesideConfig(rules, world) : agentPlaces(world), world, files),
    rules ? [] : readConfigs(world, files),
  ])
  const all = joinReadings([...described, ...declared])
  const { agents, hidden } = mergeByName(all.agents.toSorted((a, b) => rankOf(a) - rankOf(b)))
  return { agents, diagnostics: [...all.diagnostics, ...hidden] }
}

/** The files that these rules have read. */
export function agentFilesFor(rules: AgentFileRules, world: World): readonly string[] {
  return agentPlacesBesideConfig(rules, world).map(({ place }) => place.path)
}

/** Readers of files; `name` is the file's path in its folder of agents. */
const readers: Readonly<Record<AgentFile, (text: string, place: FilePlace, name: string) => AgentReading>> = {
  sections: readAgentsMarkdown,
  'claude-code': readClaudeAgent,
  opencode: readOpencodeAgent,
  copilot: readCopilotAgent,
}

async function readMarkdown(
  all: readonly AgentPlace[],
  { cwd, home }: World,
  files: Files,
): Promise<readonly AgentReading[]> {
  const { roots } = await findProject({ cwd, home, files })
  const readings = await Promise.all(
    all.map(async ({ kind, place }) => {
      const isFile = kind === 'sections'
      const folder = isFile ? undefined : await readFolder(place, roots, files)
      const paths = folder?.files ?? [{ path: place.path, name: '' }]
      const places = await assignAuthority(
        paths.map(({ path }) => ({ ...place, path })),
        files,
      )
      const found = places.map((each, index) => ({ kind, place: each, name: paths[index]?.name ?? '' }))
      const ofFiles = await Promise.all(found.map((each) => readOne(each, files)))
      return [...ofFiles, { agents: [], diagnostics: folder?.diagnostics ?? [] }]
    }),
  )
  return readings.flat()
}

/** A person's own folder may have links to any place; a folder that the project supplies, only into the project. */
async function readFolder(place: FilePlace, roots: readonly string[], files: Files) {
  const [{ authority, root } = place] = await assignAuthority([place], files)
  return readAgentFolder(place.path, files, authority === 'project' ? [...roots, root] : undefined)
}

async function readOne(
  { kind, place, name }: AgentPlace & { readonly name: string },
  files: Files,
): Promise<AgentReading> {
  const text = await files.readText(place.path)
  if (text.kind === 'text') return readers[kind](text.text, place, name)
  if (text.kind === 'absent') return noAgents
  const origin = { file: place.path }
  const message = /[.!?]$/.test(text.message) ? text.message : `${text.message}.`
  return { agents: [], diagnostics: [{ code: 'unreadable-file', severity: 'error', message, origin }] }
}

/** Skips files with errors without a report: reading their servers reports them. */
async function readConfigs(world: World, files: Files): Promise<readonly AgentReading[]> {
  const { config: _own, ...rest } = world
  const opened = await openFiles(placesOf('opencode', rest), files)
  const usable = opened.files.filter(({ doc }) => doc.errors.length === 0)
  if (usable.length === 0) return []
  const { roots } = await findProject({ cwd: world.cwd, home: world.home, files })
  return Promise.all(
    usable.map(async (file) => {
      const { texts, diagnostics } = await readPromptFiles(file, { home: world.home, roots, files })
      return joinReadings([readOpencodeConfig(file, texts), { agents: [], diagnostics }])
    }),
  )
}

const ranks = ['managed', 'project', 'explicit', 'user']

function rankOf({ origin }: Agent): number {
  return ranks.indexOf(origin.authority)
}

/** D-7: a project's agent may replace the user's agent of the same name, but sees no more tools than that one. */
function mergeByName(ranked: readonly Agent[]): { agents: readonly Agent[]; hidden: readonly Diagnostic[] } {
  const agents = new Map<string, Agent>()
  const hidden: Diagnostic[] = []
  for (const agent of ranked) {
    const winner = agents.get(agent.name)
    const isLimited = winner?.origin.authority === 'project' && agent.origin.authority !== 'project'
    if (!winner) agents.set(agent.name, agent)
    else if (isLimited && !winner.within) agents.set(agent.name, { ...winner, within: agent })
    if (winner) hidden.push(shadowedBy(winner, agent, isLimited && !winner.within))
  }
  return { agents: [...agents.values()], hidden }
}

function shadowedBy(winner: Agent, { name, origin }: Agent, isLimited: boolean): Diagnostic {
  const other = `${winner.origin.file}:${winner.origin.line}`
  return {
    code: 'shadowed',
    severity: 'info',
    message: isLimited
      ? `The agent "${name}" is taken from ${other}, limited to the tools that this one allows.`
      : `The agent "${name}" is taken from ${other}.`,
    origin: { file: origin.file, line: origin.line },
  }
}
