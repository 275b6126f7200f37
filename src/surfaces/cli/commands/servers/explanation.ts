import { toListing } from '../../../../index.ts'
import type {
  Diagnostic,
  Discovery,
  Explanation,
  Origin,
  Server,
  TrustState,
  Values,
} from '../../../../index.ts'
import { describeRunner, redactArguments, redactText, redactWords } from '../../../../internal.ts'
import { endpointText } from '../../../facts/endpoint-text.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { describeDeclared, trustSentence } from '../../../facts/state-facts.ts'
import { showCommand } from '../../../terminal/argv.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { stripPaint } from '../../../terminal/style.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { displayWidth } from '../../../terminal/width.ts'
import { drawEqualProblems, drawResolved, placeOf } from '../../output/draw.ts'

/**
 * Draws one server: the declaration in force, the hidden ones and their problems. No text of a file may start a new line
 * (T18).
 */
export function drawExplanation(explanation: Explanation, given: Canvas, said?: string): string {
  const canvas = { ...given, path: (file: string) => escapeLine(given.path(file)) }
  const { style } = canvas
  const { winner, hidden, diagnostics, trust = 'trusted' } = explanation
  const [name, reason] = [escapeLine(explanation.name), escapeLine(explanation.reason)]
  const state = said ?? (winner && describeDeclared(winner, new Map([[winner, trust]])).word)
  const fit = (line: string) => hang(line, canvas.width)
  const lines = [[style.bold(name), ...(state === undefined ? [] : [state])].join('  '), fit(reason)]
  if (winner) lines.push('', style.dim('in force'), ...drawServer(winner, explanation.resolved, canvas))
  if (winner?.disabledBy !== undefined) lines.push(`  switched off by ${escapeLine(winner.disabledBy)}`)
  if (winner && trust !== 'trusted') {
    lines.push(fit(canvas.proposed(untrustedLine(trust, explanation.name))))
  }
  for (const { server, by, trust: waits } of hidden) {
    const title = waits ? 'waits for your trust, then in force' : `hidden by ${placeOf(by, canvas)}`
    lines.push('', style.dim(title), ...drawServer(server, undefined, canvas))
    if (waits) lines.push(fit(canvas.proposed(untrustedLine(waits, explanation.name))))
  }
  if (diagnostics.length > 0) lines.push('', style.dim('remarks'))
  const remarks = drawEqualProblems(diagnostics.map(onOneLine), canvas).map((line) => fit(`  ${line}`))
  return [...lines, ...remarks].join('\n')
}

function untrustedLine(trust: TrustState, name: string): string {
  return `  ${trustSentence(trust)} Run: ${serverCommand('trust', name)}`
}

function onOneLine({ message, hint, server, ...found }: Diagnostic): Diagnostic {
  return {
    ...found,
    message: escapeLine(message),
    ...(hint !== undefined && { hint: escapeLine(hint) }),
    ...(server !== undefined && { server: escapeLine(server) }),
  }
}

function drawServer(server: Server, resolved: Explanation['resolved'], canvas: Canvas): readonly string[] {
  const { origin, transport } = server
  const { style } = canvas
  const lines = [hang(`  declared in  ${whereOf(origin, canvas)}`, canvas.width)]
  if (transport.kind === 'stdio') {
    const command = showCommand(transport.command, transport.args, { mask: redactArguments })
    lines.push(`  runs         ${command.replaceAll('\n', '\n               ')}`)
    if (transport.cwd !== undefined) lines.push(`  in           ${escapeLine(transport.cwd)}`)
    if (transport.envFile !== undefined)
      lines.push(`  env file     ${escapeLine(transport.envFile)} (not read)`)
    for (const [index, { text, isWarning }] of describeRunner(server).entries()) {
      const line = hang(`  ${(index === 0 ? 'box' : '').padEnd(12)} ${escapeLine(text)}`, canvas.width)
      lines.push(isWarning ? style.yellow(line) : line)
    }
  } else {
    lines.push(`  reaches      ${escapeLine(endpointText(server))} (${transport.kind})`)
  }
  lines.push(...drawValues('env', '=', transport.env ?? {}))
  if (transport.kind !== 'stdio') {
    lines.push(...drawValues('header', ': ', transport.headers))
    if (transport.headersCommand !== undefined)
      lines.push(`  headers from the command: ${escapeLine(redactWords(transport.headersCommand))} (not run)`)
  }
  for (const from of server.mergedFrom ?? []) lines.push(`  merged with  ${whereOf(from, canvas)}`)
  if (resolved) lines.push(...drawResolved(resolved).map((line) => `  ${style.dim('becomes')}      ${line}`))
  return lines
}

function whereOf(origin: Origin, canvas: Canvas): string {
  return `${placeOf(origin, canvas)} (${escapeLine(origin.scope)}, ${origin.source})`
}

function drawValues(label: string, between: string, values: Values): readonly string[] {
  return Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? redactText(value, name) : `the variable ${value.env}`
    return `  ${label.padEnd(12)} ${escapeLine(`${name}${between}${redactWords(text)}`)}`
  })
}

/**
 * Wraps a line, with or without colors, between words. Continuation lines are indented below the text, not the label, so
 * that they cannot be mistaken for separate lines.
 */
export function hang(line: string, width: number | undefined): string {
  if (width === undefined || widthOf(line) <= width) return line
  const [label = ''] = /^ *(?:\S+(?: \S+)? {2,})?/.exec(stripPaint(line)) ?? []
  const indent = ' '.repeat(Math.max(2, displayWidth(label)))
  const lines: string[] = []
  let current = ''
  for (const [, blanks = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    const isFull = widthOf(current + blanks + word) > width && widthOf(current) > indent.length
    if (isFull) lines.push(current)
    current = isFull ? indent + word : current + blanks + word
  }
  return [...lines, current].join('\n')
}

function widthOf(text: string): number {
  return displayWidth(stripPaint(text))
}

/** An explanation in the format of `list --json`. */
export function toExplanationJson(
  explanation: Explanation,
  { trustKeys }: Pick<Discovery, 'trustKeys'> = {},
): Record<string, unknown> {
  const { name, reason, winner, hidden, diagnostics, trust, resolved } = explanation
  const servers = winner ? [winner] : []
  const discovery: Discovery = {
    servers,
    shadowed: hidden,
    diagnostics,
    trust: new Map([
      ...(winner && trust ? [[winner, trust] as const] : []),
      ...hidden.flatMap((each) => (each.trust ? [[each.server, each.trust] as const] : [])),
    ]),
    ...(trustKeys && { trustKeys }),
    others: [],
    ...(winner && resolved && { resolved: new Map([[winner, resolved]]) }),
  }
  const listing = toListing(discovery)
  const declarations = toListing({
    ...discovery,
    servers: hidden.map(({ server }) => server),
    shadowed: [],
  }).servers
  return {
    name,
    reason,
    server: listing.servers[0] ?? null,
    hidden: declarations,
    diagnostics: listing.diagnostics,
  }
}
