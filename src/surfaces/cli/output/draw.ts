import { Secret } from '../../../index.ts'
import type { Diagnostic, Place, ResolvedValues, Server, TrustState } from '../../../index.ts'
import { redactArguments, redactCommand, redactText, redactWords } from '../../../internal.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { splitPlace } from '../../terminal/problem-place.ts'
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
 * One line per problem, errors first; equal problems of one file are one line. Notes appear only in `why` and `--json`;
 * variables that are not used were printed before the command ran.
 */
export function drawProblems(diagnostics: readonly Diagnostic[], canvas: Canvas): readonly string[] {
  const shown = diagnostics.filter(({ code }) => code !== 'directory-in-project')
  return ['error', 'warn'].flatMap((severity) =>
    drawEqualProblems(
      shown.filter((found) => found.severity === severity),
      canvas,
    ),
  )
}

/** One line per problem, in the given order; equal problems of one file are one line. */
export function drawEqualProblems(diagnostics: readonly Diagnostic[], canvas: Canvas): readonly string[] {
  return groupEqual(diagnostics).map((equal) => drawEqual(equal, canvas))
}

type Equal = readonly [Diagnostic, ...Diagnostic[]]

/** Groups problems of one file that say the same about different entries, in the order of the first of each group. */
function groupEqual(diagnostics: readonly Diagnostic[]): readonly Equal[] {
  const groups = new Map<string, [Diagnostic, ...Diagnostic[]]>()
  for (const found of diagnostics) {
    const { code, message, hint = '', origin } = found
    const key = JSON.stringify([origin?.file, code, message, hint])
    const group = groups.get(key)
    if (group) group.push(found)
    else groups.set(key, [found])
  }
  return [...groups.values()]
}

const maxServers = 5

function drawEqual(equal: Equal, canvas: Canvas): string {
  const [first] = equal
  if (equal.length === 1) return drawProblem(first, canvas)
  const { server: _, ...about } = first
  const servers = [...new Set(equal.flatMap(({ server }) => server ?? []))]
  const more = servers.length > maxServers ? ` and ${servers.length - maxServers} more` : ''
  const where = servers.length === 0 ? '' : `: ${servers.slice(0, maxServers).join(', ')}${more}`
  return drawProblem(about, canvas, ` (${equal.length} times${escapeLine(where)})`)
}

export function drawProblem(found: Diagnostic, canvas: Canvas, times = ''): string {
  const { severity, code, message, hint, server, origin } = found
  const { style } = canvas
  const labels = { error: style.red('error'), warn: style.yellow('warning'), info: style.dim('note') }
  const { column, rest } = splitPlace(message, origin)
  const where = origin ? `${placeOf(origin, canvas)}${column}: ` : ''
  const isNamed = server === undefined || rest.includes(`"${server}"`)
  const sentence = `${isNamed ? '' : `"${server}": `}${rest}${hint === undefined ? '' : ` ${hint}`}`
  return `${labels[severity]}: ${where}${redactWords(sentence)}${times} ${style.dim(`[${code}]`)}`
}

/** The command that trusts a server, with its name quoted for the shell. */
export function commandToTrust(name: string, flags = ''): string {
  return `plugboard trust ${flags}${name.startsWith('-') ? '-- ' : ''}${quote(name)}`
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
