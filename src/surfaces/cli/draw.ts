import type { Diagnostic, Origin, Place, Server, TrustState } from '../../index.ts'
import { redactText } from '../../config.ts'
import type { Canvas } from '../terminal/output.ts'

/** A server's state in a word, as far as it is known without starting anything. */
export function stateOf(server: Server, trust: ReadonlyMap<string, TrustState>): string {
  if (!server.enabled) return 'off'
  const state = trust.get(server.id) ?? 'trusted'
  return { trusted: 'on', pending: 'needs trust', changed: 'changed' }[state]
}

/** What a server runs or reaches, with literal secrets hidden. */
export function endpointOf({ transport }: Server): string {
  const text = transport.kind === 'stdio' ? [transport.command, ...transport.args].join(' ') : transport.url
  return redactText(text)
}

export function placeOf({ file, line }: Place | Origin): string {
  return line === undefined ? shortPath(file) : `${shortPath(file)}:${line}`
}

/** Paths as a person writes them. */
export function shortPath(file: string): string {
  const home = process.env['HOME']
  const cwd = process.cwd()
  if (cwd !== '/' && file.startsWith(`${cwd}/`)) return file.slice(cwd.length + 1)
  return home && home !== '/' && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file
}

/** One line per problem, errors first; what is only worth knowing is for `why` and `--json`. */
export function drawProblems(diagnostics: readonly Diagnostic[], canvas: Canvas): readonly string[] {
  return ['error', 'warn'].flatMap((severity) =>
    diagnostics.filter((found) => found.severity === severity).map((found) => drawProblem(found, canvas)),
  )
}

export function drawProblem(
  { severity, code, message, hint, server, origin }: Diagnostic,
  { style }: Canvas,
): string {
  const label = { error: style.red('error'), warn: style.yellow('warning'), info: style.dim('note') }[
    severity
  ]
  const where = origin ? `${placeOf(origin)}: ` : ''
  const who = server === undefined ? '' : `"${server}": `
  const next = hint === undefined ? '' : ` ${hint}`
  return redactText(`${label}: ${where}${who}${message}${next} ${style.dim(`[${code}]`)}`)
}
