import { subcommandsOf } from './command-path.ts'
import { createHost, fromRef, listAgents, toRef } from '../../../index.ts'
import type { Host, Json, JsonObject, Tool } from '../../../index.ts'
import { worldOf } from '../command-context.ts'
import type { Cli } from '../command-context.ts'
import { discoverFor, discoverOptions } from '../discover-servers.ts'

/** Possible next words, known without starting a server. */
type Proposals = Promise<readonly string[]>

/** The commands; after a command that has others, those. */
export async function commandNames({ typed: [first] = [] }: Cli, partial: string): Proposals {
  const { commands } = await import('../app.ts')
  const names = first === undefined ? Object.keys(commands) : subcommandsOf(first)
  return names.filter((name) => name.startsWith(partial))
}

export async function servers(cli: Cli, partial: string): Proposals {
  const { servers: found } = cli.live?.host.discovery ?? (await discoverFor(cli, cli.given ?? {}))
  return found.map(({ name }) => name).filter((name) => name.startsWith(partial))
}

/** The endpoints of models. None of them is asked. */
export async function endpoints(cli: Cli, partial: string): Proposals {
  return (await endpointList(cli)).map(({ name }) => name).filter((name) => name.startsWith(partial))
}

/** `endpoint/`, and the models that the person's settings name. */
export async function models(cli: Cli, partial: string): Proposals {
  const found = await endpointList(cli)
  const refs = found.flatMap(({ name, models: known }) => [`${name}/`, ...known.map((id) => `${name}/${id}`)])
  return refs.filter((ref) => ref.startsWith(partial))
}

async function endpointList(cli: Cli) {
  const { listEndpoints } = await import('../../../models.ts')
  return listEndpoints(worldOf(cli, cli.given))
}

export async function agents(cli: Cli, partial: string): Proposals {
  const { agents: found } = await listAgents(worldOf(cli, cli.given))
  return found.map(({ name }) => name).filter((name) => name.startsWith(partial))
}

/** Tool names and `server/`; after `server/` and `server.` its tools; the own names of tools if nothing else fits. */
export async function tools(cli: Cli, partial: string): Proposals {
  const host = await openOfflineHost(cli)
  const known = host.tools()
  const fitting = (names: readonly string[]) => names.filter((name) => name.startsWith(partial))
  if (partial.includes('/')) return fitting(known.map(({ ref }) => ref))
  const names = known.map(({ name }) => name)
  const owners = host.discovery.servers.map(({ name }) => toRef(name, ''))
  const found = fitting([...names, ...owners])
  if (found.length > 0) return found
  return fitting([...known.map(({ server, tool }) => `${server}.${tool}`), ...known.map(({ tool }) => tool)])
}

/** The own names of the tools of the server that was typed. */
export async function toolsOfServer(cli: Cli, partial: string): Proposals {
  const [server] = cli.typed ?? []
  const known = (await openOfflineHost(cli)).tools().filter((tool) => tool.server === server)
  return known.map(({ tool }) => tool).filter((name) => name.startsWith(partial))
}

export async function serversAndTools(cli: Cli, partial: string): Proposals {
  const [names, found] = await Promise.all([servers(cli, partial), tools(cli, partial)])
  return [...names, ...found.filter((name) => !name.endsWith('/'))]
}

/** The tool, then its arguments. */
export async function toolsAndArguments(cli: Cli, partial: string): Proposals {
  const [word, second] = cli.typed ?? []
  if (word === undefined) return tools(cli, partial)
  const host = await openOfflineHost(cli)
  const isServer = host.discovery.servers.some(({ name }) => name === word)
  if (isServer && second === undefined) return toolsOfServer(cli, partial)
  const typed = isServer ? toRef(word, second ?? '') : word
  const found = host.tools().find(({ name, ref }) => name === typed || ref === typed) ?? ownTool(host, typed)
  const properties = fieldsOf(found?.inputSchema['properties'])
  return Object.entries(properties).flatMap(([key, schema]) => proposePairs(cli, partial, key, schema))
}

/** `server.tool`, or a tool's own name that no other tool has. */
function ownTool(host: Host, word: string): Tool | undefined {
  const found = host.tools().filter(({ server, tool }) => word === `${server}.${tool}` || word === tool)
  return found.length === 1 ? found[0] : undefined
}

/** `key=`; after that, the values of an enum or a boolean. */
function proposePairs(cli: Cli, partial: string, key: string, schema: Json): readonly string[] {
  if (cli.typed?.some((word) => word.startsWith(`${key}=`))) return []
  if (!partial.startsWith(`${key}=`)) return `${key}=`.startsWith(partial) ? [`${key}=`] : []
  const { enum: values, type } = fieldsOf(schema)
  const few = type === 'boolean' ? [true, false] : Array.isArray(values) ? (values as readonly Json[]) : [] // isArray does not narrow a readonly union
  return few
    .map((value) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .filter((pair) => pair.startsWith(partial))
}

export async function resources(cli: Cli, partial: string): Proposals {
  const found = (await openOfflineHost(cli)).resources().map(({ resource }) => resource['uri'])
  return found.filter((uri) => typeof uri === 'string').filter((uri) => uri.startsWith(partial))
}

export async function skills(cli: Cli, partial: string): Proposals {
  const found = (await openOfflineHost(cli)).skills().map(({ ref }) => ref)
  return found.filter((ref) => ref.startsWith(partial))
}

export async function promptsAndArguments(cli: Cli, partial: string): Proposals {
  const host = await openOfflineHost(cli)
  const [word] = cli.typed ?? []
  const known = host.prompts().map(({ server, prompt }) => ({ server, prompt, name: nameOf(prompt) }))
  if (word === undefined)
    return known.map(({ server, name }) => toRef(server, name)).filter((ref) => ref.startsWith(partial))
  const ref = fromRef(word)
  const found = known.find(({ server, name }) =>
    ref ? server === ref.server && name === ref.tool : name === word,
  )
  const list = found?.prompt['arguments']
  const keys = (Array.isArray(list) ? (list as readonly Json[]) : []).map((each) => fieldsOf(each)['name']) // isArray does not narrow a readonly union
  return keys.filter((key) => typeof key === 'string').flatMap((key) => proposePairs(cli, partial, key, {}))
}

/** A host with the offers stored on disk; it connects to no server. */
async function openOfflineHost(cli: Cli): Promise<Host> {
  const { given = {}, live } = cli
  if (live) return live.host
  const host = await createHost({ ...discoverOptions(cli, given), lifecycle: 'on-demand', accept: 'person' })
  await host.ready({ from: 'disk' })
  return host
}

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : ''
}

function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // checked here
}
