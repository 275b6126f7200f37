import { resolve } from 'node:path'
import { placeBundle } from './bundle-folders.ts'
import { readFromFile, readFromText } from './read-named-file.ts'
import type { FromFile } from './read-named-file.ts'
import { toNewServer } from './to-new-server.ts'
import type { Answers } from '../../model/answers.ts'
import { createWorld } from '../world.ts'
import { platformOf } from '../discover-options.ts'
import type { EditOptions } from './workbench.ts'
import { HostError } from '../../model/error.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Input, Server } from '../../model/server.ts'
import { isInside } from '../../sources/path-containment.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { SourceId } from '../../sources/places.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'

/** A server that a file offers, and what a person must say before it can be declared. */
export interface Offer {
  readonly server: Server
  readonly inputs: readonly Input[]
  /** Whether the file lies in the project: then a person has not chosen what is in it. */
  readonly fromProject: boolean
  /** In our words, with the answers filled in. A bundle is unpacked for it, because it runs from a folder of its own. */
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
  const { dirs } = await createWorld(platform)
  const fromProject =
    options.stdin === undefined && (await isInside(resolve(platform.cwd, file), dirs, platform.files))
  const archive = found.kind === 'recognized' ? found.archive : undefined
  return usable(found).map((server) => ({
    server,
    inputs: server.inputs ?? [],
    fromProject,
    async describe(answers) {
      const placed = archive ? await placeBundle(server, archive, platform, options) : server
      return inOurWords(placed, answers, options)
    },
  }))
}

/** A person's own JSON entry, checked by reading it as our files are read. */
export async function describeEntry(
  name: string,
  entry: JsonObject,
  options: EditOptions = {},
): Promise<NewServer> {
  const found = await readFromText(JSON.stringify({ mcpServers: { [name]: entry } }), platformOf(options))
  const [server] = usable(found, { isNamed: true })
  if (!server) throw nothing()
  return { ...(await inOurWords(server, {}, options)), name, entry }
}

function usable(found: FromFile, { isNamed = false } = {}): readonly Server[] {
  const diagnostics = found.kind === 'recognized' ? found.reading.diagnostics : found.diagnostics
  const [error] = diagnostics.filter(({ severity }) => severity === 'error')
  const servers = found.kind === 'recognized' ? found.reading.servers : []
  if (servers.length > 0) return servers
  if (!error) throw nothing()
  const hint = error.hint === undefined ? {} : { hint: error.hint }
  const { server } = error
  // Of a file with several, it must be said which one is meant.
  const about = isNamed || server === undefined ? '' : `"${server}": `
  const data = server === undefined ? {} : { server }
  throw new HostError('config.invalid', data, `Invalid server config: ${about}${error.message}`, hint)
}

function nothing(): HostError {
  return new HostError('config.invalid', {}, 'Invalid server config: there is no server in it.')
}

async function inOurWords(server: Server, answers: Answers, options: EditOptions): Promise<NewServer> {
  const platform = platformOf(options)
  const world = await createWorld(platform, options)
  const from = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  const ours = await loadSource('plugboard')
  const { server: described, lost } = toNewServer(server, {
    from: from.valuesOf(server, world),
    to: ours.valuesOf(server, world),
    answers,
    isSet: (name) => platform.env[name] !== undefined,
  })
  return { ...described, ...(lost.length > 0 && { lost }) }
}
