import { Secret } from '../../../index.ts'
import type { Diagnostic, Place, ResolvedValues, Server, TrustState } from '../../../index.ts'
import { redactArguments, redactCommand, redactText, redactWords } from '../../../internal.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Canvas } from '../../terminal/terminal-output.ts'

/** A server's state in a word or two, known without starting it. */
export function stateOf(server: Server, trust: ReadonlyMap<Server, TrustState>): string {
  if (!server.enabled) return 'off'
  const state = trust.get(server) ?? 'trusted'
  return { trusted: 'on', pending: 'needs trust', changed: 'changed' }[state]
}

/** The command or URL of a server, with literal secrets hidden. */
export function endpointOf({ transport }: Pick<Server, 'transport'>): string {
  if (transport.kind !== 'stdio') return redactText(transport.url)
  return redactCommand(transport.command, transport.args)
}

export function placeOf({ file, line }: Place, { path }: Pick<Canvas, 'path'>): string {
  return line === undefined ? path(file) : `${path(file)}:${line}`
}

/** Resolved values, one line each; secrets are hidden. */
export function drawResolved(resolved: ResolvedValues): readonly string[] {
  const lines = Object.entries(resolved).flatMap(([field, value]: readonly [string, unknown]) => {
    if (Array.isArray(value)) return [`${field} ${redactArguments(value.map(String)).join(' ')}`]
    if (typeof value !== 'object' || value === null || value instanceof Secret)
      return [`${field} ${redactText(String(value))}`]
    return Object.entries(value).map(([name, item]) => `${name}=${redactText(String(item), name)}`)
  })
  return lines.map(escapeLine)
}

/**
 * One line per problem, errors first. Notes appear only in `why` and `--json`; variables that are not used were printed
 * before the command ran.
 */
export function drawProblems(diagnostics: readonly Diagnostic[], canvas: Canvas): readonly string[] {
  return ['error', 'warn'].flatMap((severity) =>
    diagnostics
      .filter((found) => found.severity === severity && found.code !== 'directory-in-project')
      .map((found) => drawProblem(found, canvas)),
  )
}

export function drawProblem(found: Diagnostic, canvas: Canvas): string {
  const { severity, code, message, hint, server, origin } = found
  const { style } = canvas
  const labels = { error: style.red('error'), warn: style.yellow('warning'), info: style.dim('note') }
  const where = origin ? `${placeOf(origin, canvas)}: ` : ''
  const isNamed = server === undefined || message.includes(`"${server}"`)
  const sentence = `${isNamed ? '' : `"${server}": `}${message}${hint === undefined ? '' : ` ${hint}`}`
  return `${labels[severity]}: ${where}${redactWords(sentence)} ${style.dim(`[${code}]`)}`
}

/** The command that trusts a server, with its name quoted for the shell. */
export function commandToTrust(name: string, flags = ''): string {
  return `plugboard trust ${flags}${name.startsWith('-') ? '-- ' : ''}${quote(name)}`
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
