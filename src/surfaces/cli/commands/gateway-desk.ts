import { nodePlatform } from '../../../index.ts'
import { deskLines } from '../../facts/desk/desk-facts.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'

export interface DeskLogsFlags extends CommonFlags {
  readonly lines?: number
}

export interface DeskStatusFlags extends CommonFlags {
  readonly watch?: boolean
}

const usualLines = 100
const none = 'No gateway runs. A client starts it with: plugboard gateway'

/** Shows the gateway that the clients of this user share. Without `--preset`: those of all presets. */
export async function deskStatus(cli: Cli, flags: DeskStatusFlags): Promise<void> {
  if (flags.watch) return (await import('./gateway-watch.ts')).watchDesk(cli, flags)
  const output = outputOf(cli, flags)
  const { deskOwner } = await import('../../gateway/desk/desk-address.ts')
  const { readDesks } = await import('../../gateway/desk/desk-control.ts')
  const gateways = await readDesks(flags.preset, deskOwner(cli.process.env))
  if (gateways.length > 0 || flags.json)
    output.result({ gateways }, () =>
      deskLines(gateways, Date.now())
        .map(({ depth, text }) => `${'  '.repeat(depth)}${escapeLine(text)}`)
        .join('\n'),
    )
  else output.note(none)
  return output.flush()
}

/** Stops it: running calls have 10 seconds, then everything that it started ends. */
export async function stopDesk(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const { deskOwner } = await import('../../gateway/desk/desk-address.ts')
  const { stopDesks } = await import('../../gateway/desk/desk-control.ts')
  const stopped = (await cli.signals.guard(() => stopDesks(flags.preset, deskOwner(cli.process.env)))).map(
    ({ pid, preset, clients }) => ({
      pid,
      preset,
      clients: clients.length,
    }),
  )
  if (stopped.length > 0 || flags.json)
    output.result({ stopped }, () =>
      stopped.map(({ pid, clients }) => `Stopped the gateway ${pid}; it had clients: ${clients}.`).join('\n'),
    )
  else output.note(none)
  await output.flush()
}

/** Shows the last lines of its log. */
export async function deskLogs(cli: Cli, flags: DeskLogsFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const { deskLogFile, readDeskLog } = await import('../../gateway/desk/desk-log.ts')
  const preset = flags.preset ?? 'default'
  const file = deskLogFile(preset, nodePlatform(cli.platform))
  const lines = readDeskLog(file, flags.lines ?? usualLines)
  if (lines.length > 0 || flags.json)
    output.result({ file, lines }, () => lines.map((line) => escapeLine(line)).join('\n'))
  else output.note('The gateway that your clients share has not run yet.')
  await output.flush()
}
