import { startTagVariable } from '../../internal.ts'
import { isInteractive } from './command-context.ts'
import type { Cli } from './command-context.ts'
import { EarlyExit } from './errors.ts'

/** Set by agents for the programs that they run. The last one is set by our own hosts for their servers. */
const agentVariables = [
  'CLAUDECODE',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'CODEX_SANDBOX',
  'OPENCODE',
  'CLINE_ACTIVE',
  'AUGMENT_AGENT',
  startTagVariable,
]

/**
 * Refuses a decision that only a person may make (T48): without a terminal, or where an agent runs the command, even if it
 * made a terminal for it.
 */
export function requirePerson(cli: Cli, what: string): void {
  if (!isInteractive(cli)) throw new EarlyExit('untrusted', `${what} There is no terminal to ask in.`)
  const variable = agentVariables.find((name) => cli.process.env[name])
  if (variable === undefined) return
  throw new EarlyExit(
    'untrusted',
    `${what} This terminal belongs to an agent (${variable} is set): use one of your own.`,
  )
}
