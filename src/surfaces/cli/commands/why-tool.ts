import { HostError, fromRef } from '../../../index.ts'
import type { Place, ToolExplanation, View } from '../../../index.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Canvas } from '../../terminal/output.ts'
import type { Cli } from '../context.ts'
import { placeOf } from '../draw.ts'
import { findTool, viewOf } from '../known.ts'
import type { ViewFlags } from '../known.ts'
import { withHost } from '../with-host.ts'
import type { Opened } from '../with-host.ts'

/** Whether a tool is seen, by everybody or by an agent, whether a call of it would run, and what decides that. */
export async function whyTool(cli: Cli, flags: ViewFlags, word: string): Promise<void> {
  await withHost(cli, flags, async (opened) => {
    const { agent } = flags
    // Who has a name, and who has not, is known among all of them.
    await opened.host.ready({ from: 'disk' })
    const found = await explain(opened, flags, word)
    const name = fromRef(found.ref)?.server ?? ''
    const server = opened.host.discovery.servers.find((each) => each.name === name)
    const about = { ...found, server: name, ...(agent !== undefined && { agent }) }
    opened.output.result([about], (_about, canvas) => draw(about, server?.origin, canvas))
  })
}

async function explain(opened: Opened, flags: ViewFlags, word: string): Promise<ToolExplanation> {
  const { agent: _agent, ...everybody } = flags
  const view = await viewOf(opened, flags)
  try {
    // A tool that the agent does not see is there all the same.
    const { tool } = await findTool(opened, everybody, word)
    return view.why(tool.ref)
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'tool.unknown') throw error
    return whyNot(view, word, error)
  }
}

/** One that nobody sees, because of an entry or of a server that is not there, may still be known. */
function whyNot(view: View, word: string, unknown: HostError): ToolExplanation {
  try {
    return view.why(word)
  } catch {
    throw unknown
  }
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
