import type { NewLaunch, NewServer, SecretVariable } from '../../../../config.ts'
import type { Server } from '../../../../index.ts'
import { redactArguments, redactCommand, redactText } from '../../../../internal.ts'
import { endpointText } from '../../../facts/endpoint-text.ts'
import { quote } from '../../../terminal/argv.ts'
import type { Output } from '../../../terminal/terminal-output.ts'

/** What a file leaves to the person who adds a server from it. */
export interface OpenInputs {
  /** Environment variables that its secrets are read from. */
  readonly variables?: readonly SecretVariable[]
  /** The inputs that have no value. */
  readonly leftOut?: readonly string[]
}

/** Says what a person has to do, or may do, before the added server runs. */
export function noteInputs(
  { launch }: NewServer,
  { variables = [], leftOut = [] }: OpenInputs,
  output: Output,
): void {
  const names = (isRequired: boolean) =>
    variables.filter(({ required }) => required === isRequired).map(({ name }) => name)
  const [needed, optional] = [names(true), names(false)]
  if (needed.length > 0) output.note(`Before it starts, set ${needed.join(', ')} in your environment.`)
  if (optional.length > 0) output.note(`It also reads ${optional.join(', ')} from your environment, if set.`)
  if (leftOut.length > 0) {
    output.note(
      `Left out for want of a value: ${leftOut.join(', ')}. To add one, repeat with --force --input ID=VALUE.`,
    )
  }
  if (launch) output.note(`It does not start by itself. Start it with:\n${drawLaunch(launch)}`)
}

/** A server in a list to choose from: its endpoint, and the command that must run before the address exists. */
export function describeChoice(server: Server): string {
  const { transport } = server
  const launch = transport.kind === 'stdio' ? undefined : transport.launch
  const start = launch ? `, started by: ${redactCommand(launch.command, launch.args)}` : ''
  return `${endpointText(server)}${start}`
}

/** A line for a shell. Placeholders stay, because a shell expands them to the same variables. */
function drawLaunch({ command, args, env }: NewLaunch): string {
  const set = Object.entries(env).flatMap(([name, value]) => {
    // A name that no shell can set would be read as part of the command line.
    if (!/^[A-Za-z_]\w*$/.test(name)) return []
    const text = typeof value === 'string' ? redactText(value, name) : `\${${value.env}}`
    return text === `\${${name}}` ? [] : [`${name}=${shellWord(text)}`]
  })
  return [...set, ...[redactText(command), ...redactArguments(args)].map(shellWord)].join(' ')
}

/** Only a plain `${NAME}`, or one with a plain default, is left to the shell; everything around it is quoted. */
const reference = /(\$\{[A-Za-z_]\w*(?::-[\w./:@,+-]*)?\})/

function shellWord(word: string): string {
  const pieces = word.split(reference).filter((piece) => piece !== '')
  if (pieces.length === 0) return quote(word)
  return pieces.map((piece) => (reference.test(piece) ? `"${piece}"` : quote(piece))).join('')
}
