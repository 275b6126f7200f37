import { toListing } from '../../../index.ts'
import type { Discovery, Server } from '../../../index.ts'
import type { Canvas } from '../../terminal/output.ts'
import { renderTable } from '../../terminal/table.ts'
import { discoverFor, leave, outputOf } from '../context.ts'
import type { Cli, CommonFlags } from '../context.ts'
import { drawProblems, endpointOf, shortPath, stateOf } from '../draw.ts'

export interface ListFlags extends CommonFlags {
  readonly resolved?: boolean
}

/** What is in force here, what is not and why, and what other clients have. Nothing is started. */
export async function list(this: Cli, flags: ListFlags): Promise<void> {
  const output = outputOf(this, flags)
  const discovery = await discoverFor(flags, { preview: flags.resolved ?? false })
  if (flags.json) output.result(toListing(discovery), () => '')
  else output.result(discovery, (found, canvas) => draw(found, canvas))
  for (const line of drawProblems(discovery.diagnostics, output.notes)) output.note(line)
  if (!flags.json) for (const line of nextSteps(discovery)) output.note(line)
  if (discovery.diagnostics.some(({ code }) => code === 'store-damaged')) leave(this, 'damaged')
  await output.flush()
}

function draw(discovery: Discovery, { style, width }: Canvas): string {
  if (discovery.servers.length === 0) return 'No MCP servers are in force here.'
  const stateColor = (text: string, server: Server) => {
    const state = stateOf(server, discovery.trust)
    return state === 'on' ? style.green(text) : state === 'off' ? style.dim(text) : style.yellow(text)
  }
  return renderTable<Server>(
    [
      {
        title: 'SERVER',
        value: ({ name, agent }) => (agent ? `${name} (${agent})` : name),
        fit: 'essential',
        paint: style.bold,
      },
      { title: 'STATE', value: (server) => stateOf(server, discovery.trust), paint: stateColor },
      { title: 'KIND', value: ({ transport }) => transport.kind },
      { title: 'RUNS OR REACHES', value: endpointOf, fit: { shrinkTo: 16 } },
      {
        title: 'DECLARED IN',
        value: ({ origin }) => `${shortPath(origin.file)} (${origin.scope})`,
        fit: { shrinkTo: 14 },
        paint: style.dim,
      },
    ],
    discovery.servers,
    { width, paintTitle: style.dim },
  )
}

function nextSteps({ servers, trust, shadowed, others }: Discovery): readonly string[] {
  const waiting = servers.filter(({ id, enabled }) => enabled && trust.get(id) !== 'trusted')
  const clients = [...new Set(others.map(({ source }) => source))]
  const [first] = waiting
  return [
    ...(shadowed.length > 0
      ? [
          `${count(shadowed.length, 'declaration')} hidden by another of the same name. See: plugboard why NAME`,
        ]
      : []),
    ...(first
      ? [
          `${count(waiting.length, 'server')} of this project wait for your trust. See: plugboard trust ${first.name}`,
        ]
      : []),
    ...(clients.length > 0
      ? [
          `Other clients have ${count(others.length, 'file')} that are not used: ${clients.join(', ')}. ` +
            `Turn one on: plugboard sources enable ${clients[0]}`,
        ]
      : []),
    ...(servers.length === 0 && clients.length === 0 ? ['Add one: plugboard add NAME -- command args…'] : []),
  ]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
