import { join, resolve } from 'node:path'
import { dropBundles, placeBundle } from './bundle-folders.ts'
import { completeAnswers, literalInputs, secretVariables } from './offered-inputs.ts'
import { readNamedFile, readSnippet } from './read-named-file.ts'
import type { NamedFileReading } from './read-named-file.ts'
import { toNewServer } from './to-new-server.ts'
import type { Answers, SecretVariable } from '../../model/answers.ts'
import { createWorld } from '../world.ts'
import { platformOf } from '../discover-options.ts'
import type { EditOptions } from './workbench.ts'
import type { DiagnosticCode } from '../../model/diagnostic.ts'
import { HostError } from '../../model/error.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Input, Server } from '../../model/server.ts'
import { findProject, isProjectConfig } from '../../sources/project-folder.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { SourceId } from '../../sources/places.ts'
import type { NewServer } from '../../sources/entries/write-rules.ts'
import { variableIn } from '../values/value-sites.ts'

/** A server found in a file, with the inputs that must be answered before it can be declared. */
export interface Offer {
  readonly server: Server
  readonly inputs: readonly Input[]
  /** The variables that its secrets are read from, unless they are answered. */
  readonly variables: readonly SecretVariable[]
  /** What a person should know before the server is declared. */
  readonly warnings: readonly string[]
  /** Whether the file is in the project: then its content is not the user's own choice. */
  readonly fromProject: boolean
  /**
   * The server in our dialect with the answers and defaults filled in. A value of an optional input without either is left
   * out; a required one stays an input that is asked for when the server starts. Unpacks a bundle, which runs from a folder of its own.
   */
  describe(answers: Answers): Promise<NewServer>
  /** Removes what `describe` unpacked, for a server that was not declared after all. */
  discard(): Promise<void>
}

/** Reads the servers that a file offers: one server, several, or several ways to run the same one. */
export async function readOffers(
  file: string,
  options: EditOptions & { readonly name?: string; readonly stdin?: string } = {},
): Promise<readonly Offer[]> {
  const platform = await platformOf(options)
  const named = options.name === undefined ? {} : { name: options.name }
  const found =
    options.stdin === undefined
      ? await readNamedFile(file, platform, named)
      : await readSnippet(options.stdin, platform, named)
  const fromProject =
    options.stdin === undefined &&
    (await isProjectConfig(resolve(platform.cwd, file), await findProject(platform), platform.files))
  const archive = found.kind === 'recognized' ? found.archive : undefined
  const world = await createWorld(platform, options)
  const offers = usableServers(found).map(async (server) => {
    const source = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
    const variables = secretVariables(server, options.name ?? server.name, source.valuesOf(server, world))
    const inputs = server.inputs ?? []
    let unpacked: string | undefined
    const offer: Offer = {
      server,
      inputs,
      variables,
      warnings: warningsOf(found, server),
      fromProject,
      async describe(given) {
        const answers = completeAnswers(inputs, given, variables)
        if (!archive) return toOwnDialect(server, answers, options)
        const placed = await placeBundle(server, archive, platform, options)
        unpacked = placed.unpacked
        return toOwnDialect(placed.server, answers, options).catch(async (error: unknown) => {
          await offer.discard()
          throw error
        })
      },
      async discard() {
        if (unpacked === undefined) return
        await dropBundles(join(unpacked, 'manifest.json'), { platform, world: await createWorld(platform) })
      },
    }
    return offer
  })
  return Promise.all(offers)
}

/** Checks a JSON entry by reading it as an entry of our own files. */
export async function describeEntry(
  name: string,
  entry: JsonObject,
  options: EditOptions = {},
): Promise<NewServer> {
  const found = await readSnippet(
    JSON.stringify({ mcpServers: { [name]: entry } }),
    await platformOf(options),
  )
  const [server] = usableServers(found, { isNamed: true })
  if (!server) throw noServerError()
  return { ...(await toOwnDialect(server, {}, options)), name, entry }
}

function usableServers(found: NamedFileReading, { isNamed = false } = {}): readonly Server[] {
  const diagnostics = found.kind === 'recognized' ? found.reading.diagnostics : found.diagnostics
  const [error] = diagnostics.filter(({ severity }) => severity === 'error')
  const servers = found.kind === 'recognized' ? found.reading.servers : []
  if (servers.length > 0) return servers
  if (!error) throw noServerError()
  const hint = error.hint === undefined ? {} : { hint: error.hint }
  const { server } = error
  // A file may have several servers, so the message names the one at fault.
  const about = isNamed || server === undefined ? '' : `"${server}": `
  const data = server === undefined ? {} : { server }
  throw new HostError('config.invalid', data, `Invalid server config: ${about}${error.message}`, hint)
}

const warned: readonly DiagnosticCode[] = ['unknown-runner', 'host-access']

/** Programs that the file chooses to run the server with, and what it gives them access to. */
function warningsOf(found: NamedFileReading, { origin }: Server): readonly string[] {
  const diagnostics = found.kind === 'recognized' ? found.reading.diagnostics : []
  const isAbout = (pointer = '') => pointer.startsWith(`${origin.pointer}/`)
  return diagnostics
    .filter((each) => warned.includes(each.code) && isAbout(each.origin?.pointer))
    .map(({ message }) => message)
}

function noServerError(): HostError {
  return new HostError('config.invalid', {}, 'Invalid server config: there is no server in it.')
}

async function toOwnDialect(server: Server, answers: Answers, options: EditOptions): Promise<NewServer> {
  const platform = await platformOf(options)
  const world = await createWorld(platform, options)
  const from = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
  const ours = await loadSource('plugboard')
  const isOpen = (id: string) =>
    !Object.hasOwn(answers, id) && !server.inputs?.some((input) => input.id === id && input.required)
  const { server: described, lost } = toNewServer(from.leaveOut?.(server, isOpen) ?? server, {
    from: from.valuesOf(server, world),
    to: ours.valuesOf(server, world),
    answers,
    literalInputs: literalInputs(server.inputs ?? [], answers),
    isSet: (name) => variableIn(platform.env, name) !== undefined,
  })
  return { ...described, ...(lost.length > 0 && { lost }) }
}
