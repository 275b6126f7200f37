import type { Output } from '../../../terminal/terminal-output.ts'
import { isInteractive, setExit, promptsOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import type { Fault } from '../../errors.ts'

/** Why a confirmation is missing. */
export interface Refusal extends Fault {
  readonly code: 'untrusted' | 'cancelled'
}

export interface Question {
  readonly message: string
  /** The answer for Enter alone. */
  readonly initial: boolean
  /** The message after a no. */
  readonly refused: string
  readonly noTerminal: { readonly message: string; readonly hint: string }
}

/** Asks for confirmation. Returns `undefined` for a yes; otherwise prints the refusal and returns it for `--json`. */
export async function askForYes(
  cli: Cli,
  { message, initial, refused, noTerminal }: Question,
  output: Output,
): Promise<Refusal | undefined> {
  if (!isInteractive(cli)) {
    setExit(cli, 'untrusted')
    output.error(`${noTerminal.message} ${noTerminal.hint}`)
    return { code: 'untrusted', ...noTerminal }
  }
  const answer = await promptsOf(cli).confirm({ message, initial })
  if (!answer.cancelled && answer.value) return undefined
  return refuse(cli, { code: answer.cancelled ? 'cancelled' : 'untrusted', message: refused }, output)
}

export function refuse(cli: Cli, refusal: Refusal, output: Output): Refusal {
  setExit(cli, refusal.code)
  output.note(refusal.message)
  return refusal
}

export function askToWrite(
  cli: Cli,
  {
    file,
    initial = true,
    isUnusual = false,
  }: { readonly file: string; readonly initial?: boolean; readonly isUnusual?: boolean },
  output: Output,
): Promise<Refusal | undefined> {
  const question = toWrite(`Write this to ${output.notes.path(file)}?`, initial)
  const { message } = question.noTerminal
  const noTerminal = isUnusual ? { message, hint: unusualHint } : question.noTerminal
  return askForYes(cli, { ...question, noTerminal }, output)
}

const unusualHint =
  'Add it in a terminal, where it is asked about, or write the entry yourself: plugboard add NAME --json ENTRY'

/** T132: `--yes` was written before what is unusual was seen. */
export function refuseYes(cli: Cli, output: Output): Refusal {
  const message = 'Nothing was written: --yes does not cover what is marked with "Look closely".'
  setExit(cli, 'untrusted')
  output.error(`${message} ${unusualHint}`)
  return { code: 'untrusted', message, hint: unusualHint }
}

/** A question before something is written. */
export function toWrite(message: string, initial = true): Question {
  return {
    message,
    initial,
    refused: 'Nothing was written.',
    noTerminal: {
      message: 'Nothing was written: there is no terminal to ask in.',
      hint: 'Add --yes to write it.',
    },
  }
}
