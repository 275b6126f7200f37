import { readAcceptance } from '../../internal.ts'
import { describeAcceptanceMode } from '../facts/definitions/acceptance-facts.ts'
import type { AcceptanceFacts } from '../api/lock-routes.ts'
import type { Canvas } from '../terminal/terminal-output.ts'
import type { Cli, CommonFlags } from './command-context.ts'
import { discoverOptions } from './discover-servers.ts'

/** How definitions are accepted in the folder of a command. */
export async function acceptanceFor(
  cli: Cli,
  flags: CommonFlags,
  { path }: Pick<Canvas, 'path'>,
): Promise<AcceptanceFacts> {
  return describeAcceptanceMode(await readAcceptance(discoverOptions(cli, flags)), path)
}
