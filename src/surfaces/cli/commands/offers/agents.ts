import { createHost, listAgents } from '../../../../index.ts'
import type { Agent, Diagnostic } from '../../../../index.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { renderTable } from '../../../terminal/table.ts'
import { discoverOptions, outputOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { drawProblems, placeOf } from '../../output/draw.ts'
import { inWords } from '../../patterns-in-words.ts'
import { problemsFor } from './offer-problems.ts'

/** The agents described for this folder, and which tools each may see. Nothing is started. */
export async function agents(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const { cwd, preset } = flags
  const read = await listAgents({ ...(cwd !== undefined && { cwd }), ...(preset && { preset }) })
  const isMeant = ({ origin }: Agent) =>
    flags.scope === undefined || (origin.authority === 'project') === (flags.scope === 'project')
  const found = read.agents.filter(isMeant)
  const diagnostics = [...read.diagnostics, ...(await listProblems(cli, flags, found))]
  if (flags.json) output.result({ agents: found, diagnostics }, () => '')
  else if (found.length > 0) output.result(found, draw)
  else output.note('No agents are described here. They stand in AGENTS.md and in agent files.')
  for (const line of drawProblems(diagnostics, output.notes)) output.note(line)
  await output.flush()
}

/** What is wrong with their lists, as far as it is known from disk. */
async function listProblems(
  { live }: Cli,
  flags: CommonFlags,
  found: readonly Agent[],
): Promise<readonly Diagnostic[]> {
  const listing = found.filter(({ tools = [], within }) => tools.length > 0 || within)
  if (listing.length === 0) return []
  const host = live?.host ?? (await createHost({ ...discoverOptions(flags), lifecycle: 'on-demand' }))
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
  return renderTable<Agent>(
    [
      { title: 'AGENT', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      { title: 'SEES', value: seesOf, fit: { shrinkTo: 12 } },
      { title: 'DESCRIBED IN', value: ({ origin }) => placeOf(origin, { path }), fit: { shrinkTo: 14 } },
      {
        title: 'IS FOR',
        value: ({ description = '' }) => description,
        fit: { shrinkTo: 12 },
        paint: style.dim,
      },
    ],
    found,
    { width, paintTitle: style.dim },
  )
}

function seesOf(agent: Agent): string {
  const { tools = [], asks = [], within } = agent
  const bound = within?.tools === undefined ? '' : `, within ${listOf(within)}`
  // What is hidden is never asked for.
  const asked = inWords(asks.filter((pattern) => !pattern.startsWith('!') || !tools.includes(pattern)))
  const question = asked === 'nothing' ? '' : `; asks before ${asked === 'everything' ? 'each call' : asked}`
  return `${listOf(agent)}${bound}${question}`
}

/** As it was written; what opencode says in switches and permissions, nobody wrote as a list. */
function listOf({ tools, dialect }: Agent): string {
  if (tools === undefined) return 'everything'
  return dialect === 'opencode' ? inWords(tools) : tools.join(', ') || 'nothing'
}
