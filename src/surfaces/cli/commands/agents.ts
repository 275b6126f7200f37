import { listAgents } from '../../../index.ts'
import type { Agent } from '../../../index.ts'
import type { Canvas } from '../../terminal/output.ts'
import { renderTable } from '../../terminal/table.ts'
import { outputOf } from '../context.ts'
import type { Cli, CommonFlags } from '../context.ts'
import { drawProblems, placeOf } from '../draw.ts'

/** The agents described for this folder, and which tools each may see. Nothing is started. */
export async function agents(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const { cwd, preset } = flags
  const { agents: all, diagnostics } = await listAgents({
    ...(cwd !== undefined && { cwd }),
    ...(preset && { preset }),
  })
  const isMeant = ({ origin }: Agent) =>
    flags.scope === undefined || (origin.authority === 'project') === (flags.scope === 'project')
  const found = all.filter(isMeant)
  if (flags.json) output.result({ agents: found, diagnostics }, () => '')
  else if (found.length > 0) output.result(found, draw)
  else output.note('No agents are described here. They stand in AGENTS.md and in agent files.')
  for (const line of drawProblems(diagnostics, output.notes)) output.note(line)
  await output.flush()
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

function seesOf({ tools, asks, within }: Agent): string {
  const list = tools === undefined ? 'everything' : tools.join(', ') || 'nothing'
  const bound = within?.tools === undefined ? '' : `, within ${within.tools.join(', ') || 'nothing'}`
  return `${list}${bound}${asks && asks.length > 0 ? `; asks for ${asks.join(', ')}` : ''}`
}
