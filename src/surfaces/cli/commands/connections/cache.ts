import { clearServerCache } from '../../../../index.ts'
import { givenPlatform, outputOf } from '../../command-context.ts'
import type { Cli, WaitFlags } from '../../command-context.ts'
import { discoverFor } from '../../discover-servers.ts'
import { findInScope } from '../../find-server.ts'
import { count } from '../../output/draw.ts'

/** Clears what earlier connections learned; the next connection learns it again. */
export async function clear(cli: Cli, flags: WaitFlags, ...names: string[]): Promise<void> {
  const output = outputOf(cli, flags)
  const cleared = await cli.signals.guard(
    async () =>
      clearServerCache(names.length === 0 ? 'all' : await find(cli, flags, names), givenPlatform(cli)),
    { timeoutMs: flags.timeout },
  )
  output.result({ cleared }, () => `Forgot what was known about ${count(cleared, 'server')}.`)
  await output.flush()
}

async function find(cli: Cli, flags: WaitFlags, names: readonly string[]) {
  const discovery = await discoverFor(cli, flags)
  return names.map((name) => findInScope(discovery, flags.scope, name))
}
