import { version } from '../../../index.ts'
import { isStartedAsServer } from '../../../internal.ts'
import { setExit, outputOf, folderOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { discoverOptions } from '../discover-servers.ts'
import { EarlyExit, usage } from '../errors.ts'
import type { Exit } from '../exit-codes.ts'

export interface GatewayFlags extends CommonFlags {
  readonly stdio?: boolean
  readonly port?: number
  readonly view?: string
  readonly search?: boolean
  readonly sessions?: boolean
  readonly alone?: boolean
  readonly host?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  /** `store` or a file. */
  readonly from?: string
}

/** Serves until the client leaves (stdio), or until Ctrl-C. */
export async function gateway(cli: Cli, flags: GatewayFlags): Promise<void> {
  checkFlags(cli, flags)
  const output = outputOf(cli, flags)
  try {
    await (flags.port === undefined
      ? runStdio(cli, flags)
      : (await import('./gateway-http.ts')).runHttp(cli, { ...flags, port: flags.port }, output))
  } catch (error) {
    if (!(error instanceof EarlyExit) || !signalExits.includes(error.exit)) throw error
    // Ctrl-C is how it is meant to end.
    if (error.exit !== 'cancelled') setExit(cli, error.exit)
  }
  await output.flush()
}

const signalExits: readonly Exit[] = ['cancelled', 'terminated', 'hungUp']

function checkFlags({ live }: Cli, flags: GatewayFlags): void {
  const {
    scope,
    stdio,
    port,
    view,
    search,
    sessions,
    alone,
    json,
    host,
    tlsCert,
    tlsKey,
    from,
    config,
    source,
  } = flags
  if (live) throw usage('The gateway cannot run in a shell.', 'Leave the shell, then run: plugboard gateway')
  if (scope !== undefined) throw usage('The gateway serves all servers in force here; leave out --scope.')
  if (stdio && port !== undefined) throw usage('Choose one: --stdio or --port N.')
  if (port !== undefined && alone) throw usage('--alone is for stdio: leave out --port.')
  if (port === undefined && sessions) throw usage('--sessions is for HTTP: add --port N.')
  if (port === undefined && json) throw usage('--json is for HTTP: over stdio, the output is the protocol.')
  if (port === undefined && (host ?? tlsCert ?? tlsKey) !== undefined)
    throw usage('--host, --tls-cert and --tls-key are for HTTP: add --port N.')
  if (port === undefined && from !== undefined) throw usage('--from is for HTTP: add --port N.')
  if (from !== undefined && (config !== undefined || (source?.length ?? 0) > 0))
    throw usage('--from names the whole configuration: leave out --config and --source.')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw usage('TLS needs both: --tls-cert FILE --tls-key FILE.')
  if (port !== undefined && (view !== undefined || search))
    throw usage('Over HTTP the address chooses: /mcp/NAME and ?mode=search; leave out --view and --search.')
}

const belowItself =
  'Plugboard started this gateway as one of its own servers: it would serve itself without end. ' +
  'Remove the entry that starts it, or let the entry start the server that it is meant to be.'

async function runStdio(cli: Cli, flags: GatewayFlags): Promise<void> {
  const { view, search, alone } = flags
  if (isStartedAsServer(cli.process.env)) throw new EarlyExit('failed', belowItself)
  if (!alone && (await serveByShim(cli, flags))) return
  await cli.signals.guard(async ({ closeOnEnd }) => {
    const { serveStdio } = await import('../../gateway/serve-stdio.ts')
    await serveStdio({
      discover: discoverOptions(cli, flags),
      address: { ...(view !== undefined && { view }), mode: search ? 'search' : 'all' },
      input: process.stdin,
      output: process.stdout,
      warn: (message) => void process.stderr.write(`${message}\n`),
      closeOnEnd,
    })
  })
}

/** The shim reads common command lines itself; this is for those with flags before the command, or in other forms. */
async function serveByShim(cli: Cli, flags: GatewayFlags): Promise<boolean> {
  const { serveThroughDesk } = await import('../../gateway/desk/desk-shim.ts')
  const { preset, config, source, trust, view, search } = flags
  const request = {
    cwd: folderOf(cli, flags),
    ...(preset !== undefined && { preset }),
    ...(config !== undefined && { config }),
    ...(source !== undefined && source.length > 0 && { source }),
    ...(trust && { trust }),
    ...(view !== undefined && { view }),
    ...(search && { search }),
  }
  const entry = process.argv[1] ?? ''
  const problem = await serveThroughDesk(request, { version, entry })
  if (problem) process.stderr.write(`The shared gateway is not used: ${problem.failure}\n`)
  return problem === undefined
}
