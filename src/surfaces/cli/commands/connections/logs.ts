import { followServerLog, readServerLog } from '../../../../index.ts'
import type { LogLine, Server } from '../../../../index.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { givenPlatform, outputOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { discoverFor } from '../../discover-servers.ts'
import { findInScope } from '../../find-server.ts'

export interface LogsFlags extends WaitFlags {
  readonly follow?: boolean
  readonly lines?: number
}

const usualLines = 100

/** Prints the stderr of a server, from any host that ran it. Starts no server. */
export async function logs(cli: Cli, flags: LogsFlags, name: string): Promise<void> {
  const server = findInScope(await discoverFor(cli, flags), flags.scope, name)
  await (flags.follow ? follow(cli, flags, server) : show(cli, flags, server))
}

async function show(cli: Cli, flags: LogsFlags, server: Server): Promise<void> {
  const output = outputOf(cli, flags)
  const options = { lines: flags.lines ?? usualLines, ...givenPlatform(cli) }
  const lines = await cli.signals.guard(() => readServerLog(server, options), { timeoutMs: flags.timeout })
  if (flags.json || lines.length > 0)
    output.result({ lines }, (canvas) => lines.map((line) => draw(line, canvas)).join('\n'))
  else output.note(`"${escapeLine(server.name)}": no output yet.`)
  await output.flush()
}

/** Follows the log until a signal, a closed stdout or the timeout, which is not a failure here. */
async function follow(cli: Cli, flags: LogsFlags, server: Server): Promise<void> {
  const { lines = usualLines, timeout } = flags
  const output = outputOf(cli, flags, { form: 'lines' })
  await cli.signals.guard(async ({ signal }) => {
    const ends = [signal, output.closed, ...(timeout === undefined ? [] : [AbortSignal.timeout(timeout)])]
    await followServerLog(server, (line) => output.result({ ...line }, (canvas) => draw(line, canvas)), {
      lines,
      signal: AbortSignal.any(ends),
      ...givenPlatform(cli),
    })
  })
  await output.flush()
}

function draw({ at, text }: LogLine, { style }: Canvas): string {
  return `${style.dim(escapeLine(at))} ${escapeLine(text)}`
}
