import { listAccounts } from '../../../../auth.ts'
import type { Account } from '../../../../auth.ts'
import type { Discovery } from '../../../../index.ts'
import { quote } from '../../../terminal/argv.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { answersOf, setExit, outputOf, folderOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { discoverFor, discoverOptions, narrowToScope } from '../../discover-servers.ts'
import { findInScope } from '../../find-server.ts'

/** Lists logins from the stored tokens. Sends no request. */
export async function whoami(cli: Cli, flags: WaitFlags, name?: string): Promise<void> {
  const output = outputOf(cli, flags)
  const { timeout } = flags
  const options = {
    ...discoverOptions(cli, flags),
    cwd: folderOf(cli, flags),
    ...answersOf(flags),
    warn: (message: string) => output.warn(message),
  }
  const known = await cli.signals.guard(
    async () => {
      const discovery = narrowToScope(await discoverFor(cli, flags), flags.scope)
      const server = name === undefined ? undefined : findInScope(discovery, flags.scope, name)
      const names = namesOf(discovery)
      return (await listAccounts(server, options)).map((account) => ({
        ...account,
        names: names.get(account.server) ?? [],
      }))
    },
    { timeoutMs: timeout },
  )
  if (flags.json || known.length > 0) output.result({ accounts: known }, (canvas) => draw(known, canvas))
  else output.note(notLoggedIn(name))
  if (known.length === 0 && name !== undefined) setExit(cli, 'login')
  await output.flush()
}

interface NamedAccount extends Account {
  /** Names of the servers declared here with this address. */
  readonly names: readonly string[]
}

/** Server names by URL. URLs with placeholders are skipped: no value is resolved just for display. */
function namesOf({ servers }: Pick<Discovery, 'servers'>): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>()
  for (const { name, transport } of servers) {
    if (transport.kind === 'stdio' || !URL.canParse(transport.url)) continue
    const { href } = new URL(transport.url)
    names.set(href, [...(names.get(href) ?? []), name])
  }
  return names
}

function notLoggedIn(name: string | undefined): string {
  if (name === undefined) return 'You are not logged in anywhere.'
  return `You are not logged in to "${name}". Run: plugboard login ${quote(name)}`
}

function draw(known: readonly NamedAccount[], { style, width }: Canvas): string {
  return renderTable<NamedAccount>(
    [
      { title: 'SERVER', value: ({ names }) => names.join(', '), fit: { shrinkTo: 12 }, paint: style.bold },
      { title: 'ADDRESS', value: ({ server }) => server, fit: { shrinkTo: 20 } },
      { title: 'ACCOUNT', value: ({ account }) => account, fit: 'essential' },
      { title: 'WHO', value: ({ who = '' }) => who, fit: { shrinkTo: 10 } },
      { title: 'SCOPES', value: ({ scopes }) => scopes.join(' '), fit: { shrinkTo: 10 } },
      { title: 'UNTIL', value: untilOf, paint: style.dim },
    ],
    known,
    { width, paintTitle: style.dim },
  )
}

function untilOf({ expiresAt, isRenewable }: Account): string {
  if (isRenewable) return 'renewed automatically'
  return expiresAt === undefined ? '' : new Date(expiresAt).toISOString()
}
