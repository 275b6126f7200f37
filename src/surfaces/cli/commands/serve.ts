import { hostname, userInfo } from 'node:os'
import { HostError, nodePlatform } from '../../../index.ts'
import { agentVariable, whyNoPerson } from '../agent-environment.ts'
import { outputOf, setExit } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { discoverOptions } from '../discover-servers.ts'
import { EarlyExit, usage } from '../errors.ts'
import type { Exit } from '../exit-codes.ts'
import type { Output } from '../../terminal/terminal-output.ts'

export interface ServeFlags extends CommonFlags {
  readonly port?: number
  readonly open?: boolean
  readonly address?: boolean
  readonly demo?: boolean
}

interface Address {
  readonly address: string
  readonly token: string
  readonly pid: number
  readonly cwd: string
}

interface Served extends Address {
  openAddress(): string
  close(): Promise<void>
}

/** Serves the page until Ctrl-C, or prints the address of the one that runs. */
export async function serve(cli: Cli, flags: ServeFlags): Promise<void> {
  checkFlags(cli, flags)
  const output = outputOf(cli, flags)
  if (flags.address) return printRunning(cli, flags, output)
  try {
    await run(cli, flags, output)
  } catch (error) {
    if (!(error instanceof EarlyExit) || !signalExits.includes(error.exit)) throw error
    // Ctrl-C is how it is meant to end. The result is printed already, so no signal is an error beside it.
    if (error.exit !== 'cancelled') setExit(cli, error.exit)
    output.note('Ended.')
  }
  await output.flush()
}

const signalExits: readonly Exit[] = ['cancelled', 'terminated', 'hungUp']

function checkFlags({ live }: Cli, { scope, address, demo, port, open, ...flags }: ServeFlags): void {
  if (live)
    throw usage('The page cannot be served from a shell.', 'Leave the shell, then run: plugboard serve')
  if (scope !== undefined) throw usage('The page shows all servers in force here; leave out --scope.')
  if (address && (demo || open || port !== undefined))
    throw usage('--address only prints; leave out --port, --open and --demo.')
  const { preset, config, source, trust, cwd } = flags
  if (demo && [preset, config, source?.[0], trust, cwd].some((value) => value !== undefined))
    throw usage('--demo has a folder and servers of its own; leave out the other flags.')
}

async function printRunning(cli: Cli, flags: ServeFlags, output: Output): Promise<void> {
  const { addressFile, findRunning } = await import('../../server/address-file.ts')
  const running = await findRunning(await addressFile(discoverOptions(cli, flags)))
  if (!running)
    throw new HostError('serve.none', {}, 'No "plugboard serve" runs.', { hint: 'Start it: plugboard serve' })
  const ssh = sshCommand(running)
  output.result({ ...shown(running), ssh }, () =>
    [
      shown(running).url,
      '',
      'From another machine, forward the port under the same number, then open that address there:',
      `  ${ssh}`,
    ].join('\n'),
  )
  await output.flush()
}

async function run(cli: Cli, flags: ServeFlags, output: Output): Promise<void> {
  const { demo: isDemo = false, port } = flags
  // The browser is the person's own, also for the demo.
  const own = nodePlatform({ env: { ...cli.process.env } })
  const notShown = isDemo ? undefined : whyNoPerson(cli)
  const agent = isDemo ? undefined : agentVariable(cli)
  await cli.signals.guard(async ({ signal, closeOnEnd }) => {
    const demo = isDemo ? await openDemo() : undefined
    let served: Served | undefined
    closeOnEnd({
      async close() {
        await served?.close()
        // After everything in it has ended.
        await demo?.close()
      },
    })
    const { openServe } = await import('../../server/serve.ts')
    served = await openServe({
      discover: demo ? { cwd: demo.cwd } : discoverOptions(cli, flags),
      isDemo,
      print: (text) => output.show(text),
      columns: () => cli.process.stdout.columns ?? cli.process.stderr.columns,
      ...(port !== undefined && { port }),
      ...(cli.loadHost && { onOpen: cli.loadHost }),
      ...(notShown !== undefined && { notShown }),
      ...(agent !== undefined && { agent }),
    })
    if (signal.aborted) return served.close()
    const { url } = shown(served)
    output.result(shown(served), () => `Plugboard: ${url}`)
    if (isDemo) output.note('This is a demo: sample servers and a demo model in a temporary folder.')
    output.note('Ctrl-C ends it. Keep the address to yourself: it is the key.')
    if (flags.open && !(await own.browser(new URL(served.openAddress()))))
      output.warn('No browser could be opened. Open the address yourself.')
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  })
}

async function openDemo() {
  const { moveIntoDemoHome } = await import('../../server/demo-home.ts')
  return moveIntoDemoHome(process.env)
}

function shown({ address, token, pid, cwd }: Address) {
  return { url: `${address}/#k=${token}`, address, token, pid, cwd }
}

function sshCommand({ address }: Address): string {
  const port = new URL(address).port
  return `ssh -N -L ${port}:127.0.0.1:${port} ${userName()}@${hostname()}`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'USER'
  }
}
