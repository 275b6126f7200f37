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
  const why = whyNoPerson(cli)
  if (why !== undefined) throw new EarlyExit('untrusted', `${what} ${why}`)
}

/** Why no person can be asked in this terminal. */
export function whyNoPerson(cli: Cli): string | undefined {
  if (!isInteractive(cli)) return 'There is no terminal to ask in.'
  const variable = agentVariable(cli)
  if (variable === undefined) return undefined
  return `This terminal belongs to an agent (${variable} is set): use one of your own.`
}

/**
 * Why texts of servers that are held are not printed: they are written for models, and the agent that runs the command would
 * read them (T12, T48).
 */
export function whyWithheld(
  cli: Pick<Cli, 'process'>,
  { noTexts }: { readonly noTexts?: boolean },
): string | undefined {
  const variable = agentVariable(cli)
  if (variable !== undefined) return `an agent runs this command (${variable} is set)`
  return noTexts ? '--no-texts' : undefined
}

/** What is printed beside such a result. */
export function withheldNote(why: string): string {
  return `Texts of servers are not shown: ${why}. A person sees them in a terminal of their own.`
}

/** The variable by which an agent shows that it runs this program. */
export function agentVariable(cli: Pick<Cli, 'process'>): string | undefined {
  return agentVariables.find((name) => cli.process.env[name])
}
