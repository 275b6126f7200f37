import { toListing } from '../../../../index.ts'
import type { Discovery, Server } from '../../../../index.ts'
import { acceptanceFor } from '../../acceptance-note.ts'
import { endpointText } from '../../../facts/endpoint-text.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { describeDeclared } from '../../../facts/state-facts.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { paintTone } from '../../../terminal/paint-tone.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import {
  discoverFor,
  isBrokenFile,
  isDamage,
  narrowToScope,
  problemsInScope,
} from '../../discover-servers.ts'
import type { OfferFlags } from '../offers/find-offers.ts'
import { count, drawProblems, drawResolved } from '../../output/draw.ts'

export interface ListFlags extends OfferFlags {
  readonly resolved?: boolean
}

/** Lists the servers in force, the problems, and the files of other clients. Starts no server, unless one is named. */
export async function list(cli: Cli, flags: ListFlags, name?: string): Promise<void> {
  const output = outputOf(cli, flags)
  const { json = false, resolved = false } = flags
  const everything = await discoverFor(cli, flags, { preview: resolved, trustKeys: json })
  const diagnostics = problemsInScope(everything, cli, flags)
  const discovery = { ...narrowToScope(everything, flags.scope), diagnostics }
  if (name !== undefined) return (await import('./list-server.ts')).listServer(cli, flags, name, discovery)
  const acceptance = await acceptanceFor(cli, flags, output.notes)
  if (json) output.result({ ...toListing(discovery), acceptance }, () => '')
  else output.text((canvas) => draw(discovery, canvas))
  const broken = [...new Set([...diagnostics, ...everything.diagnostics.filter(isDamage)])].filter(
    isBrokenFile,
  )
  const files = broken.length === 0 ? undefined : await import('../../broken-files.ts')
  files?.reportBrokenFiles(cli, broken, output)
  const others = diagnostics.filter((found) => !isBrokenFile(found))
  for (const line of drawProblems(others, output.notes)) output.note(line)
  if (!json && acceptance.sentence !== undefined && discovery.servers.length > 0)
    output.note(acceptance.sentence)
  if (!json) for (const line of nextSteps(discovery, output.notes)) output.note(line)
  files?.exitIfFilesBroken(cli, broken)
  return output.flush()
}

export function draw(discovery: Discovery, canvas: Canvas): string {
  return [drawTable(discovery, canvas), ...drawAllResolved(discovery, canvas)].join('\n\n')
}

/** Below the table: the resolved values of each server that has any. */
function drawAllResolved({ servers, resolved }: Discovery, { style }: Canvas): readonly string[] {
  return servers.flatMap((server) => {
    const lines = drawResolved(resolved?.get(server) ?? {})
    if (lines.length === 0) return []
    return [
      [
        style.bold(escapeLine(server.name)),
        ...lines.map((line) => `  ${style.dim('becomes')}  ${line}`),
      ].join('\n'),
    ]
  })
}

function drawTable(discovery: Discovery, { style, width, path }: Canvas): string {
  if (rowsOf(discovery).length === 0) return 'No MCP servers are in force here.'
  const stateOf = (server: Server) => describeDeclared(server, discovery.trust)
  return renderTable<Server>(
    [
      {
        title: 'SERVER',
        value: ({ name, agent }) => (agent ? `${name} (${agent})` : name),
        fit: 'essential',
        paint: style.bold,
      },
      {
        title: 'STATE',
        value: (server) => stateOf(server).word,
        paint: (text, server) => paintTone(text, stateOf(server).tone, style),
      },
      { title: 'KIND', value: ({ transport }) => transport.kind },
      { title: 'COMMAND OR URL', value: endpointText, fit: { shrinkTo: 16 } },
      {
        title: 'DECLARED IN',
        value: ({ origin }) => `${path(origin.file)} (${origin.scope})`,
        fit: { shrinkTo: 14 },
        paint: style.dim,
      },
    ],
    rowsOf(discovery),
    { width, paintTitle: style.dim },
  )
}

/** The servers in force, each followed by the project's entry of its name that waits for trust. */
function rowsOf({ servers, shadowed }: Discovery): readonly Server[] {
  const waiting = shadowed.filter(({ trust }) => trust).map(({ server }) => server)
  if (waiting.length === 0) return servers
  const named = servers.flatMap((server) => [server, ...waiting.filter(({ name }) => name === server.name)])
  return [...new Set([...named, ...waiting])]
}

function nextSteps(discovery: Discovery, { path }: Pick<Canvas, 'path'>): readonly string[] {
  const { servers, trust, others, diagnostics } = discovery
  const waiting = rowsOf(discovery).filter((server) => server.enabled && trust.get(server) !== 'trusted')
  const shadowed = discovery.shadowed.filter((hidden) => !hidden.trust)
  const files = others.filter(({ source }) => source !== 'plugboard')
  const clients = [...new Set(files.map(({ source }) => source))]
  const [first] = waiting
  const steps = diagnostics
    .filter(({ code }) => code === 'own-gateway')
    .map(({ message, origin }) => (origin ? `${path(origin.file)}: ${message}` : message))
  if (shadowed.length > 0)
    steps.push(
      `${count(shadowed.length, 'declaration')} hidden by another of the same name. See: plugboard why NAME`,
    )
  if (first) {
    const wait = waiting.length === 1 ? 'waits' : 'wait'
    steps.push(
      `${count(waiting.length, 'server')} of this project ${wait} for your trust. See: ${serverCommand('trust', first.name)}`,
    )
  }
  if (clients.length > 0)
    steps.push(
      `Other clients have ${count(files.length, 'file')} not in use: ${clients.join(', ')}. ` +
        `Turn one on: plugboard sources enable ${clients[0]}`,
    )
  if (servers.length === 0 && clients.length === 0) steps.push('Add one: plugboard add NAME -- command args…')
  return steps
}
