import { clearServerCache } from '../../../../index.ts'
import { findServer } from '../../../../internal.ts'
import { discoverFor, outputOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { count } from '../../output/draw.ts'
import { narrow } from '../../discover-servers.ts'
import type { WaitFlags } from '../../with-host.ts'

/** Forgets what earlier connections have learned; the next one finds out again. */
export async function clear(cli: Cli, flags: WaitFlags, ...names: string[]): Promise<void> {
  const output = outputOf(cli, flags)
  const cleared = await cli.signals.guard(
    async () => clearServerCache(names.length === 0 ? 'all' : await find(flags, names)),
    flags.timeout === undefined ? {} : { timeoutMs: flags.timeout },
  )
  output.result({ cleared }, () => `Forgot what was known about ${count(cleared, 'server')}.`)
  await output.flush()
}

async function find(flags: WaitFlags, names: readonly string[]) {
  const discovery = narrow(await discoverFor(flags), flags.scope)
  return names.map((name) => findServer(discovery, name))
}
