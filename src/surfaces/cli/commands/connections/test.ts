import { HostError } from '../../../../index.ts'
import type { Discovery, Host, Server } from '../../../../index.ts'
import { findServer } from '../../../../internal.ts'
import { endpointText } from '../../../facts/endpoint-text.ts'
import { quote } from '../../../terminal/argv.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Canvas, Output } from '../../../terminal/terminal-output.ts'
import { setExit } from '../../command-context.ts'
import type { Cli, GivenServerFlags, WaitFlags } from '../../command-context.ts'
import { narrowToScope } from '../../discover-servers.ts'
import { drawFault, usage } from '../../errors.ts'
import { withHost } from '../../with-host.ts'
import { probe, rowsOf } from './probe-server.ts'
import type { Probe } from './probe-server.ts'

export interface TestFlags extends WaitFlags {
  readonly all?: boolean
}

/** Connects to servers, counts their offers and disconnects. */
export async function test(cli: Cli, flags: TestFlags & GivenServerFlags, ...names: string[]): Promise<void> {
  if (flags.all && names.length > 0) throw usage('Name the servers or use --all, not both.')
  const isGiven = flags.stdio !== undefined || flags.url !== undefined
  if (isGiven && (flags.all || names.length > 0))
    throw usage('--stdio and --url name the server; leave out the name and --all.')
  const hasMore = [flags.keep, flags.env, flags.header].some((value) => value !== undefined)
  if (!flags.all && !isGiven && !hasMore && names.length === 0) throw usage('Name a server, or use --all.')
  await withHost(
    cli,
    flags,
    async (context) => {
      const { given } = context
      const servers = choose(context.host, flags, given === undefined ? names : [given])
      const reports = await Promise.all(
        servers.map(async (server) => {
          const report = await probe(server, context)
          if (!flags.json) printReport(report, server, context.output)
          return report
        }),
      )
      if (servers.length === 0) context.output.note('No server is switched on here.')
      if (flags.json) context.output.result({ servers: reports.map(toJson) }, () => '')
      const [first] = reports.flatMap(({ exit }) => exit ?? [])
      if (first) setExit(cli, first)
    },
    { brokenFiles: 'fail' },
  )
}

function choose({ discovery }: Host, { all, scope }: TestFlags, names: readonly string[]): readonly Server[] {
  const scoped = narrowToScope(discovery, scope)
  if (all) return scoped.servers.filter(({ enabled }) => enabled)
  return [...new Set(names)].map((name) => {
    throwIfUnusable(scoped, name)
    return findServer(scoped, name)
  })
}

/** Throws the reason if the only declaration of the name was refused. */
function throwIfUnusable({ servers, diagnostics }: Discovery, name: string): void {
  if (servers.some((server) => server.name === name)) return
  const found = diagnostics.find(({ severity, server }) => severity === 'error' && server === name)
  if (!found) return
  const { message, origin } = found
  const place = origin?.line === undefined ? '' : ` (${origin.file}:${origin.line})`
  throw new HostError('config.invalid', { server: name }, `"${name}" cannot be used: ${message}${place}`, {
    hint: `See: plugboard why ${quote(name)}`,
  })
}

function toJson({ greeting, exit: _exit, ...report }: Probe): object {
  const { name, transport, ...rest } = report
  return { name, transport, ...greeting, ...rest }
}

function printReport(report: Probe, server: Server, output: Output): void {
  if (report.error) return output.fault(drawFault(report.error))
  output.text((canvas) => draw(report, server, canvas))
}

function draw(report: Probe, server: Server, { style }: Canvas): string {
  const rows = [
    [server.transport.kind === 'stdio' ? 'runs' : 'reaches', endpointText(server)] as const,
    ...rowsOf(report),
  ]
  const lines = rows.map(([label, text]) => `  ${style.dim(label.padEnd(10))}  ${escapeLine(text)}`)
  return [`${style.green('ok')} ${style.bold(escapeLine(report.name))}`, ...lines].join('\n')
}
