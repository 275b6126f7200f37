import { canonicalize, hashOf, shortHash } from '../../model/canonical.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { HostError, isHostError } from '../../model/error.ts'
import { codeFile, inCode } from '../../model/server.ts'
import { isObject, toPointer } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Origin, Server } from '../../model/server.ts'
import { knownSource } from '../discover-options.ts'
import type { SourceId } from '../../sources/places.ts'
import type { World } from '../../sources/source.ts'
import { readAnyEntry, readEntryOf } from './client-entry.ts'
import type { EntryProblem, EntryReading } from './client-entry.ts'

/** A server that a program declares in code, with what is noteworthy about its entry. */
export interface CodeServer {
  readonly server: Server
  readonly diagnostics: readonly Diagnostic[]
}

export interface CodeEntryOptions {
  readonly world: World
  /** Placeholders in its values are expanded, as in our own files. */
  readonly isExpanded: boolean
}

/** Keys of an entry that also apply to a server without a command and a url. */
const channelKeys: ReadonlySet<string> = new Set([
  'title',
  'description',
  'enabled',
  'disabled',
  'timeout',
  'startupTimeout',
  'startupTimeoutMs',
  'idleStopMs',
  'allowedTools',
  'deniedTools',
  'lifecycle',
  'restart',
  'protocol',
])

/** Reads an entry with a command or a url, in our own form or that of any client. Throws `config.invalid` if it is unusable. */
export async function readCodeEntry(
  name: string,
  given: JsonObject,
  options: CodeEntryOptions,
): Promise<CodeServer> {
  const { client, entry } = given
  if (typeof client !== 'string')
    return toCodeServer(
      name,
      { entry: given, reading: await readAnyEntry(name, given, options.world) },
      options,
    )
  if (!isObject(entry)) throw invalidEntry(name, ['entry'], 'It must be an object.')
  const reading = await readEntryOf(clientOf(name, client), name, entry, options.world)
  return toCodeServer(name, { entry, reading }, options)
}

/**
 * Reads the entry of a server that the program has itself, without its object.
 *
 * @param serial Tells objects apart: another object is another server, whatever its entry says.
 */
export async function readChannelEntry(
  name: string,
  entry: JsonObject,
  { serial, ...options }: CodeEntryOptions & { readonly serial: number },
): Promise<CodeServer> {
  const foreign = Object.keys(entry).find((key) => !channelKeys.has(key))
  if (foreign !== undefined)
    throw invalidEntry(name, [foreign], 'It does not belong to a server that is passed as an object.')
  // As UTF-8: a name may contain half of a surrogate pair, which a url cannot.
  const url = `${inCode}:${encodeURIComponent(Buffer.from(name).toString())}`
  // The common keys are read as those of any entry; the address is only a stand-in.
  const reading = await readEntryOf('plugboard', name, { ...entry, command: url }, options.world)
  const read = toCodeServer(name, { entry, reading }, options)
  const server: Server = {
    ...read.server,
    id: idOf(name, entry, `${options.world.cwd}\0${serial}`),
    entryHash: hashOf({ entry, serial }),
    transport: { kind: 'channel', url, headers: {} },
  }
  return { ...read, server }
}

function toCodeServer(
  name: string,
  { entry, reading }: { readonly entry: JsonObject; readonly reading: EntryReading },
  { world, isExpanded }: CodeEntryOptions,
): CodeServer {
  const bad = reading.problems.find(isMisspelled) ?? reading.problems.find(isUnusable)
  if (bad) throw invalidEntry(name, bad.path, toErrorText(bad.message), bad.hint)
  if (!reading.server) throw invalidEntry(name, [], 'No server can be read from it.')
  const { id: _, entryHash: __, folder: ___, declared, ...rest } = reading.server
  const place = { file: codeFile, pointer: toPointer(['servers', name]) }
  const origin: Origin = {
    ...place,
    source: inCode,
    scope: inCode,
    authority: 'explicit',
    line: 1,
    column: 1,
  }
  const switches = declared[0]?.switches
  const server: Server = {
    ...rest,
    id: idOf(name, entry, world.cwd),
    entryHash: hashOf(entry),
    folder: world.cwd,
    ...(isExpanded && { isExpanded }),
    origin,
    declared: [
      { origin, entry, ...(switches && { switches }), placeOf: (pointer) => ({ file: codeFile, pointer }) },
    ],
  }
  return {
    server,
    diagnostics: reading.problems.filter(isNoteworthy).map(({ path, ...problem }) => ({
      ...problem,
      server: name,
      origin: { file: codeFile, pointer: toPointer(['servers', name, ...path]) },
    })),
  }
}

function idOf(name: string, entry: JsonObject, place: string): string {
  return `${name}-${shortHash(`${canonicalize(entry)}\0${codeFile}\0${place}`)}`
}

/** A value that would be ignored in a file is an error in code: its author reads it at once. */
function isUnusable(problem: EntryProblem): boolean {
  const { code, severity } = problem
  return severity === 'error' || code === 'wrong-type' || code === 'out-of-range' || isMisspelled(problem)
}

/** An unknown key that is similar to a known one. */
function isMisspelled({ code, hint }: EntryProblem): boolean {
  return code === 'unknown-key' && hint !== undefined
}

/** The readers say what they do with a bad value in a file. In code nothing is done with it. */
function toErrorText(message: string): string {
  return message
    .replace(/ It is ignored\.$/, '')
    .replace(/; (?:it|"[^"]*") is ignored\.$/, '.')
    .replace(/ was converted to a string\.$/, ' must be a string.')
}

function clientOf(name: string, client: string): SourceId {
  try {
    return knownSource(client)
  } catch (error) {
    if (!isHostError(error, 'source.unknown')) throw error
    throw invalidEntry(name, ['client'], error.message, error.hint)
  }
}

/** Advice about files does not apply: a program gets its secrets from elsewhere and passes them as literals. */
function isNoteworthy({ code }: EntryProblem): boolean {
  return code !== 'plaintext-secret' && code !== 'bare-root'
}

/** An error about an option or a key of an entry; the message begins with its path. */
export function invalidEntry(
  name: string,
  path: readonly string[],
  message: string,
  hint?: string,
): HostError<'config.invalid'> {
  const key = ['servers', name, ...path].join('.')
  return new HostError(
    'config.invalid',
    { server: name, key },
    `The option "${key}" is invalid: ${message}`,
    hint === undefined ? {} : { hint },
  )
}
