import { readRunningHosts } from '../../../../index.ts'
import type { LeftBehind, RunningHost, RunningServer } from '../../../../index.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { givenPlatform, outputOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'

/** Lists the running servers and the programs of this user that run them. Starts no server. */
export async function status(cli: Cli, flags: WaitFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const hosts = await cli.signals.guard(() => readRunningHosts(givenPlatform(cli)), {
    timeoutMs: flags.timeout,
  })
  const rows = hosts.flatMap((host) => host.servers.map((server) => ({ host, server })))
  if (flags.json || rows.length > 0)
    output.result({ hosts: hosts.map(toJson) }, (canvas) => draw(rows, canvas))
  else output.note('No servers are running.')
  if (rows.some(({ host }) => host.isGone)) {
    output.note(
      'Some were left behind by a program that was killed. The next program that starts a server ends them.',
    )
  }
  for (const left of hosts.flatMap((host) => host.left)) output.warn(escapeLine(leftLine(left)))
  await output.flush()
}

/** Named, because nothing else ends it. */
function leftLine({ pid, server, program, isCertain }: LeftBehind): string {
  const what = program === undefined ? `Process ${pid}` : `Process ${pid} (${program})`
  return isCertain
    ? `${what} of "${server}" still runs, though its server has ended. If it stays, end it: kill -9 ${pid}`
    : `${what} may belong to "${server}", whose server has ended. It removed its environment, so it is not ended. Look at it: ps -fp ${pid}`
}

interface Row {
  readonly host: RunningHost
  readonly server: RunningServer
}

function draw(rows: readonly Row[], { style, width, path }: Canvas): string {
  return renderTable<Row>(
    [
      { title: 'SERVER', value: ({ server }) => server.name, fit: 'essential', paint: style.bold },
      { title: 'PID', value: ({ server }) => String(server.pid), align: 'right' },
      { title: 'SINCE', value: ({ server }) => timeOf(server.since) },
      { title: 'HOST', value: ({ host }) => (host.isGone ? 'gone' : String(host.pid)), align: 'right' },
      { title: 'IN', value: ({ host }) => path(host.cwd), fit: { shrinkTo: 14 } },
      {
        title: 'PROGRAM',
        value: ({ server }) => path(server.line),
        fit: { shrinkTo: 14 },
        paint: style.dim,
      },
    ],
    rows,
    { width, paintTitle: style.dim },
  )
}

function toJson({ since, servers, ...host }: RunningHost): object {
  return {
    ...host,
    since: timeOf(since),
    servers: servers.map((server) => ({ ...server, since: timeOf(server.since) })),
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
