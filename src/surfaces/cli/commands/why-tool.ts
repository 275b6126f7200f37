import type { Place, ToolExplanation } from '../../../index.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Canvas } from '../../terminal/output.ts'
import type { Cli } from '../context.ts'
import { placeOf } from '../draw.ts'
import { findTool, viewOf } from '../known.ts'
import type { ViewFlags } from '../known.ts'
import { withHost } from '../with-host.ts'

/** Whether a tool is seen, by everybody or by an agent, whether a call of it would run, and what decides that. */
export async function whyTool(cli: Cli, flags: ViewFlags, word: string): Promise<void> {
  await withHost(cli, flags, async (opened) => {
    const { agent, ...everybody } = flags
    // A tool that the agent does not see is there all the same.
    const { tool } = await findTool(opened, everybody, word)
    const view = await viewOf(opened, flags)
    const found = view.why(tool.ref)
    const server = opened.host.discovery.servers.find(({ name }) => name === tool.server)
    const about = { ...found, server: tool.server, ...(agent !== undefined && { agent }) }
    opened.output.result([about], (_about, canvas) => draw(about, server?.origin, canvas))
  })
}

type About = ToolExplanation & { readonly server: string; readonly agent?: string }

function draw(about: About, declared: Place | undefined, canvas: Canvas): string {
  const { name, ref, visibility, decision, server, agent } = about
  const { style } = canvas
  const effects = { allow: style.green('yes'), ask: style.yellow('after a yes'), deny: style.red('no') }
  const where = visibility.origin ? ` (${placeOf(visibility.origin, canvas)})` : ''
  const rows: readonly (readonly [string, string])[] = [
    ['ref', escapeLine(ref)],
    ['server', `${escapeLine(server)}${declared ? ` (${escapeLine(placeOf(declared, canvas))})` : ''}`],
    [
      agent === undefined ? 'seen' : `seen by ${escapeLine(agent)}`,
      `${visibility.visible ? style.green('yes') : style.red('no')}  ${escapeLine(visibility.reason + where)}`,
    ],
    ['runs', `${effects[decision.effect]}  ${escapeLine(decision.reason)}`],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  return [
    style.bold(escapeLine(name)),
    ...rows.map(([label, text]) => `  ${style.dim(label.padEnd(width))}  ${text}`),
  ].join('\n')
}
