import { nodePlatform } from '../../../index.ts'
import { isInteractive, outputOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { discoverOptions } from '../discover-servers.ts'

/** Opens a call with the app of its tool in the page that runs, and prints the address. */
export async function open(cli: Cli, flags: CommonFlags, call: string): Promise<void> {
  const output = outputOf(cli, flags)
  const { linkToCall } = await import('../../server/call-link.ts')
  const { url, once } = await linkToCall(discoverOptions(cli, flags), call)
  // The address for the browser has no token: other people of the machine can read the arguments of programs.
  const canOpen = isInteractive(cli)
  const isOpened = canOpen
    ? await nodePlatform({ env: { ...cli.process.env } }).browser(new URL(once))
    : false
  output.result({ call, url, isOpened }, () => url)
  if (canOpen && !isOpened) output.warn('No browser could be opened. Open the address yourself.')
  await output.flush()
}
