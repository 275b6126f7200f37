import { join } from 'node:path'
import { readFromFile, readFromText } from './config/from-file.ts'
import type { FromFile } from './config/from-file.ts'
import { dataDirectory } from './config/state.ts'
import { toNewServer } from './config/to-new-server.ts'
import type { Answers } from './config/translate.ts'
import { discover, knownSource, platformOf } from './discover.ts'
import { addOrReplace, openWorkbench, targetIn } from './edit.ts'
import type { EditOptions, Edited, Workbench } from './edit.ts'
import { HostError } from './model/error.ts'
import type { JsonObject } from './model/json.ts'
import type { Discovery, Input, Server } from './model/server.ts'
import { loadSource } from './sources/load.ts'
import { namedOnly } from './sources/places.ts'
import type { SourceId } from './sources/places.ts'
import type { Source } from './sources/source.ts'
import { unpackArchive } from './sources/unpack-archive.ts'
import type { Lost, NewServer } from './sources/writing.ts'

export interface TransferOptions extends EditOptions {
  /** Only these servers. */
  readonly only?: readonly string[]
}

/** What happened to each server that was to be copied. */
export interface Transfer extends Edited {
  readonly copied: readonly string[]
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

/** Another client's servers into our own file. */
export async function importServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const discovery = await discover({ ...options, sources: [id], config: undefined })
  const bench = await openWorkbench({ ...options, sources: ['plugboard'] })
  return copyInto(await loadSource('plugboard'), chosen(discovery, options), bench, options)
}

/** The servers in force here into another client's file. */
export async function exportServers(client: string, options: TransferOptions = {}): Promise<Transfer> {
  const id = otherClient(client)
  const discovery = await discover(options)
  const bench = await openWorkbench({ ...options, config: undefined })
  const servers = discovery.servers.filter(({ origin }) => origin.source !== id)
  return copyInto(await loadSource(id), chosen({ ...discovery, servers }, options), bench, options)
}

function otherClient(client: string): SourceId {
  const id = knownSource(client)
  if (id === 'plugboard' || namedOnly.has(id)) {
    throw new HostError('usage', {}, `"${client}" is not another client.`, {
      hint: 'See: plugboard sources --all',
    })
  }
  return id
}

type Chosen = Pick<Discovery, 'servers' | 'trust'>

function chosen({ servers, trust }: Discovery, { only }: TransferOptions): Chosen {
  const missing = only?.filter((name) => !servers.some((server) => server.name === name)) ?? []
  if (missing.length > 0) {
    throw new HostError(
      'server.unknown',
      { server: missing.join(', ') },
      `There is no server "${missing.join('", "')}" to copy.`,
    )
  }
  return { servers: only ? servers.filter(({ name }) => only.includes(name)) : servers, trust }
}

async function copyInto(
  source: Source,
  { servers, trust }: Chosen,
  bench: Workbench,
  options: TransferOptions,
): Promise<Transfer> {
  const target = await targetIn(source, bench, options)
  const copied: string[] = []
  const skipped: { name: string; reason: string }[] = []
  const lost: Lost[] = []
  let changed = false
  for (const server of servers) {
    // T01: in a person's own file nobody asks any more.
    if (target.place.authority !== 'project' && trust.get(server) !== 'trusted') {
      skipped.push({ name: server.name, reason: 'It waits for trust. Trust it, or say --trust this once.' })
      continue
    }
    const description = await describeFor(server, source, bench, target.place.path)
    try {
      const edited = await addOrReplace(target, description.server, options)
      copied.push(server.name)
      changed ||= edited.changed
      lost.push(
        ...[...description.lost, ...edited.lost].map((item) => ({
          ...item,
          field: `${server.name}.${item.field}`,
        })),
      )
    } catch (error) {
      if (!(error instanceof HostError) || error.code === 'config.unwritable') throw error
      skipped.push({ name: server.name, reason: error.message })
    }
  }
  return { ...bench.finish({ file: target.place.path, changed, lost }), copied, skipped }
}

/** In the words of the file it goes to. */
async function describeFor(
  server: Server,
  to: Source,
  { world }: Workbench,
  file: string,
  answers: Answers = {},
) {
  const from = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  const there = { ...server, origin: { ...server.origin, source: to.id, file } }
  return toNewServer(server, from.valuesOf(server, world), to.valuesOf(there, world), answers)
}

/** A person's own JSON entry, checked by reading it as our files are read. */
export async function describeEntry(
  name: string,
  entry: JsonObject,
  options: EditOptions = {},
): Promise<NewServer> {
  const found = await readFromText(JSON.stringify({ mcpServers: { [name]: entry } }), platformOf(options))
  const [server] = usable(found)
  if (!server) throw nothing()
  return { ...(await inOurWords(server, {}, options)), name, entry }
}

/** A server that a file offers, and what a person must say before it can be declared. */
export interface Offer {
  readonly server: Server
  readonly inputs: readonly Input[]
  /** In our words, with the answers filled in. */
  describe(answers: Answers): Promise<NewServer>
}

/** What a file that a person names has to offer: one server, or several ways to run it. */
export async function readOffers(
  file: string,
  options: EditOptions & { readonly name?: string; readonly stdin?: string } = {},
): Promise<readonly Offer[]> {
  const platform = platformOf(options)
  const named = options.name === undefined ? {} : { name: options.name }
  const found =
    options.stdin === undefined
      ? await readFromFile(file, platform, named)
      : await readFromText(options.stdin, platform, named)
  const servers = await unpacked(found, options)
  return servers.map((server) => ({
    server,
    inputs: server.inputs ?? [],
    describe: (answers) => inOurWords(server, answers, options),
  }))
}

/** A bundle runs from a folder of its own, so it is unpacked before it is described. */
async function unpacked(found: FromFile, options: EditOptions): Promise<readonly Server[]> {
  const servers = usable(found)
  if (found.kind !== 'recognized' || !found.archive) return servers
  const platform = platformOf(options)
  const folder = join(dataDirectory(platform), 'bundles', servers[0]?.id ?? 'bundle')
  if (!(await platform.files.stat(join(folder, 'manifest.json'))))
    await unpackArchive(found.archive, folder, platform)
  return usable(await readFromFile(join(folder, 'manifest.json'), platform))
}

function usable(found: FromFile): readonly Server[] {
  const diagnostics = found.kind === 'recognized' ? found.reading.diagnostics : found.diagnostics
  const [error] = diagnostics.filter(({ severity }) => severity === 'error')
  const servers = found.kind === 'recognized' ? found.reading.servers : []
  if (servers.length > 0) return servers
  if (!error) throw nothing()
  const hint = error.hint === undefined ? {} : { hint: error.hint }
  throw new HostError('config.invalid', {}, `Invalid server config: ${error.message}`, hint)
}

function nothing(): HostError {
  return new HostError('config.invalid', {}, 'Invalid server config: there is no server in it.')
}

async function inOurWords(server: Server, answers: Answers, options: EditOptions): Promise<NewServer> {
  const bench = await openWorkbench({ ...options, sources: [] })
  const { server: described } = await describeFor(server, await loadSource('plugboard'), bench, '', answers)
  return described
}
