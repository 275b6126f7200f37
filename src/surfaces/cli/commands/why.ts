import { HostError, explain } from '../../../index.ts'
import type { Explanation, Origin, Resolved, Server } from '../../../index.ts'
import { nearestNames, redactText } from '../../../config.ts'
import { showCommand } from '../../terminal/argv.ts'
import type { Canvas } from '../../terminal/output.ts'
import { discoverFor, outputOf } from '../context.ts'
import type { Cli, CommonFlags } from '../context.ts'
import { drawProblem, endpointOf, placeOf, stateOf } from '../draw.ts'
import { toExplanationJson } from '../why-json.ts'

/** Every declaration of a name, the one that counts, the reason, and how its values come out. Nothing is run. */
export async function why(this: Cli, flags: CommonFlags, name: string): Promise<void> {
  const output = outputOf(this, flags)
  const discovery = await discoverFor(flags, { preview: true })
  const explanations = explain(discovery, name)
  if (explanations.length === 0) {
    const near = nearestNames(
      name,
      discovery.servers.map((server) => server.name),
    )
    throw new HostError('server.unknown', { server: name, near }, `No server "${name}" is declared here.`, {
      hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard list',
    })
  }
  if (flags.json) output.result(explanations.map(toExplanationJson), () => '')
  else output.result(explanations, (all, canvas) => all.map((each) => draw(each, canvas)).join('\n\n'))
  await output.flush()
}

function draw(explanation: Explanation, canvas: Canvas): string {
  const { style } = canvas
  const { name, winner, reason, hidden, diagnostics, trust } = explanation
  const lines = [
    `${style.bold(name)}${winner ? `  ${stateOf(winner, new Map([[winner.id, trust ?? 'trusted']]))}` : ''}`,
    reason,
  ]
  if (winner) lines.push('', style.dim('counts'), ...drawServer(winner, explanation.resolved, canvas))
  if (winner?.disabledBy !== undefined) lines.push(`  switched off by ${winner.disabledBy}`)
  if (winner && trust !== 'trusted') {
    lines.push(
      `  ${trust === 'changed' ? 'It changed since you trusted it.' : 'Nobody trusted it yet.'} Run: plugboard trust ${name}`,
    )
  }
  for (const { server, by } of hidden) {
    lines.push('', style.dim(`hidden by ${placeOf(by)}`), ...drawServer(server, undefined, canvas))
  }
  if (diagnostics.length > 0) lines.push('', style.dim('remarks'))
  return [...lines, ...diagnostics.map((found) => `  ${drawProblem(found, canvas)}`)].join('\n')
}

function drawServer(server: Server, resolved: Explanation['resolved'], { style }: Canvas): readonly string[] {
  const { origin, transport } = server
  const lines = [`  declared in  ${whereOf(origin)}`]
  if (transport.kind === 'stdio') {
    lines.push(`  runs         ${indent(redactText(showCommand(transport.command, transport.args)))}`)
  } else lines.push(`  reaches      ${endpointOf(server)} (${transport.kind})`)
  for (const [name, value] of Object.entries(transport.env ?? {})) {
    lines.push(`  env          ${name}=${shown(name, value)}`)
  }
  if (transport.kind !== 'stdio') {
    for (const [name, value] of Object.entries(transport.headers))
      lines.push(`  header       ${name}: ${shown(name, value)}`)
    if (transport.headersCommand !== undefined)
      lines.push(`  headers from the command: ${transport.headersCommand} (not run)`)
  }
  for (const from of server.mergedFrom ?? []) lines.push(`  joined with  ${whereOf(from)}`)
  if (resolved) lines.push(...drawResolved(resolved).map((line) => `  ${style.dim('becomes')}      ${line}`))
  return lines
}

function whereOf(origin: Origin): string {
  return `${placeOf(origin)} (${origin.scope}, ${origin.source})`
}

function shown(name: string, value: unknown): string {
  return redactText(typeof value === 'string' ? value : `the variable ${JSON.stringify(value)}`, name)
}

function drawResolved(resolved: NonNullable<Explanation['resolved']>): readonly string[] {
  return Object.entries(resolved).flatMap(([field, value]) => {
    if (Array.isArray(value)) return [`${field} ${value.map(String).join(' ')}`]
    if (typeof value === 'object' && value !== null && !('reveal' in value)) {
      return Object.entries(value as Record<string, Resolved>).map(
        ([name, item]) => `${name}=${String(item)}`,
      )
    }
    return [`${field} ${String(value)}`]
  })
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n               ')
}
