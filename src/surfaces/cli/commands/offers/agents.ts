import { createHost, listAgents } from '../../../../index.ts'
import type { Agent, Diagnostic } from '../../../../index.ts'
import { listAgentFiles, toListedDiagnostics } from '../../../../internal.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Column } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { outputOf, worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { drawProblems, placeOf } from '../../output/draw.ts'
import { problemsFor } from './offer-problems.ts'

/** Lists the agents defined for this folder and the tools each may see. Starts no server. */
export async function agents(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const { preset } = flags
  const where = { ...worldOf(cli, flags), ...(preset && { preset }) }
  const read = await listAgents(where)
  const isMeant = ({ origin }: Agent) =>
    flags.scope === undefined || (origin.authority === 'project') === (flags.scope === 'project')
  const found = read.agents.filter(isMeant)
  const diagnostics = [...read.diagnostics, ...(await listProblems(cli, flags, found))]
  if (flags.json || found.length > 0)
    output.result({ agents: found.map(toListed), diagnostics: toListedDiagnostics(diagnostics) }, (canvas) =>
      draw(found, canvas),
    )
  else output.note(noAgents(await listAgentFiles(where), output.notes))
  for (const line of drawProblems(diagnostics, output.notes)) output.note(line)
  await output.flush()
}

type ListedAgent = Omit<Agent, 'prompt' | 'within'> & {
  readonly promptBytes?: number
  readonly within?: ListedAgent
}

/** Prompts are long and stand in their files: only the size is listed. */
function toListed({ prompt, within, ...agent }: Agent): ListedAgent {
  return {
    ...agent,
    ...(prompt !== undefined && { promptBytes: Buffer.byteLength(prompt) }),
    ...(within && { within: toListed(within) }),
  }
}

/** A preset may read one file only, which is not the `AGENTS.md` of the folder. */
function noAgents(files: readonly string[], { path }: Canvas): string {
  const places = files.map(path).join(' or ')
  const where = places === '' ? 'AGENTS.md or in agent files' : `${places}, beside the configuration`
  return `No agents are defined here. Define them in ${where}.`
}

/** Problems in their tool lists, judged from the offers known from disk. */
async function listProblems(
  cli: Cli,
  flags: CommonFlags,
  found: readonly Agent[],
): Promise<readonly Diagnostic[]> {
  const listing = found.filter(({ tools = [], within }) => tools.length > 0 || within)
  if (listing.length === 0) return []
  const host =
    cli.live?.host ??
    (await createHost({ ...discoverOptions(cli, flags), lifecycle: 'on-demand', accept: 'person' }))
  await host.ready({ from: 'disk' })
  const problems = await Promise.all(
    listing.map(async ({ name, origin, within }) => {
      const files = [origin.file, within?.origin.file]
      const view = await host.scope({ agent: name })
      return problemsFor(view, host).filter(
        (each) => isOfList(each) && each.origin !== undefined && files.includes(each.origin.file),
      )
    }),
  )
  return problems.flat()
}

function isOfList({ code }: Diagnostic): boolean {
  return code === 'only-denials' || code === 'idle-pattern'
}

function draw(found: readonly Agent[], { style, width, path }: Canvas): string {
  const column = (title: string, value: (agent: Agent) => string, shrinkTo: number): Column<Agent> => ({
    title,
    value,
    fit: { shrinkTo },
  })
  const dimmed = (title: string, value: (agent: Agent) => string, shrinkTo: number): Column<Agent> => ({
    ...column(title, value, shrinkTo),
    paint: style.dim,
  })
  const isUsed = ({ value }: Column<Agent>) => found.some((agent) => value(agent) !== '')
  return renderTable<Agent>(
    [
      { title: 'AGENT', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      column('SEES', seesOf, 12),
      ...[column('MODEL', ({ model = '' }) => model, 10)].filter(isUsed),
      column('DEFINED IN', ({ origin }) => placeOf(origin, { path }), 14),
      dimmed('PURPOSE', ({ description = '' }) => description, 12),
      ...[dimmed('PROMPT', ({ prompt = '' }) => firstLine(prompt), 12)].filter(isUsed),
    ],
    found,
    { width, paintTitle: style.dim },
  )
}

function firstLine(prompt: string): string {
  return prompt.slice(0, 200).split('\n', 1)[0] ?? ''
}

function seesOf(agent: Agent): string {
  const { tools = [], asks = [], within } = agent
  const bound = within?.tools === undefined ? '' : `, within ${listOf(within)}`
  // Hidden tools cannot be called, so leave them out of the approvals.
  const asked = inWords(asks.filter((pattern) => !pattern.startsWith('!') || !tools.includes(pattern)))
  const question = asked === 'nothing' ? '' : `; asks before ${asked === 'everything' ? 'each call' : asked}`
  return `${listOf(agent)}${bound}${question}`
}

/** The list as written. opencode has switches and permissions instead of a list, so those are put into words. */
function listOf({ tools, dialect }: Agent): string {
  if (tools === undefined) return 'everything'
  return dialect === 'opencode' ? inWords(tools) : tools.join(', ') || 'nothing'
}

interface Pattern {
  readonly text: string
  readonly admits: boolean
}

/** The effect of a pattern list in words. The last match decides; patterns without effect are left out. */
export function inWords(patterns: readonly string[]): string {
  const [first, ...rest] = runsOf(effective(patterns.map(toPattern)))
  if (!first) return 'nothing'
  const begun = namesOf(first)
  const denies = begun === 'everything' ? ' but ' : ' but not '
  return begun + rest.map((run) => (run[0]?.admits ? ', and ' : denies) + namesOf(run)).join('')
}

function toPattern(pattern: string): Pattern {
  const admits = !pattern.startsWith('!')
  return { admits, text: admits ? pattern : pattern.slice(1) }
}

/** Drops patterns without effect: a denial of nothing admitted, an admission of nothing denied, all before `!*`. */
function effective(patterns: readonly Pattern[]): readonly Pattern[] {
  return patterns.reduce<readonly Pattern[]>((before, pattern) => {
    if (!pattern.admits && pattern.text === '*') return []
    const isOpposed = before.some((each) => each.admits !== pattern.admits && mayMeet(each, pattern))
    const isAdmitted = before.some((each) => each.admits && covers(each, pattern))
    const isNew = pattern.admits && !isAdmitted
    return isOpposed || isNew ? [...before, pattern] : before
  }, [])
}

/** Whether a name may match both patterns, judged by their literal prefixes. */
function mayMeet({ text: a }: Pattern, { text: b }: Pattern): boolean {
  const [one, other] = [beginningOf(a), beginningOf(b)]
  return a.includes('/') !== b.includes('/') || one.startsWith(other) || other.startsWith(one)
}

function covers({ text }: Pattern, { text: other }: Pattern): boolean {
  const start = beginningOf(text)
  return text === other || (text === `${start}*` && beginningOf(other).startsWith(start))
}

function beginningOf(text: string): string {
  return text.replace(/[*?].*$/s, '')
}

function runsOf(patterns: readonly Pattern[]): readonly (readonly Pattern[])[] {
  const runs: Pattern[][] = []
  for (const pattern of patterns) {
    const last = runs.at(-1)
    if (last?.[0]?.admits === pattern.admits) last.push(pattern)
    else runs.push([pattern])
  }
  return runs
}

function namesOf(run: readonly Pattern[]): string {
  return run.some(({ text }) => text === '*') ? 'everything' : run.map(({ text }) => text).join(', ')
}
