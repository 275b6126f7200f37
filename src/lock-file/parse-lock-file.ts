import { isObject, toPointer } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { lockLimits, lockMaps, lockTexts, lockVersion } from './lock-format.ts'
import type { LockFile, LockProblem, LockedServer } from '../model/locked-server.ts'

const again = 'Write it again: plugboard lock'

/** Reads a lock file whole or not at all: of an agreement that cannot be read, no part holds. */
export async function parseLockFile(text: string): Promise<LockFile | LockProblem> {
  const conflict = findConflict(text)
  if (conflict)
    return {
      ...conflict,
      problem: 'It has the marks of a merge conflict.',
      hint: `Resolve it: plugboard lock`,
    }
  let value: Json
  try {
    value = JSON.parse(text) as Json // JSON.parse gives nothing else
  } catch {
    return describeSyntax(text)
  }
  const doc = await parseText(text, 'json')
  const at = (path: readonly string[]) => doc.position(toPointer(path))
  const [duplicate] = doc.duplicates
  if (duplicate !== undefined)
    return { problem: 'It has the same key twice.', ...doc.position(duplicate), hint: again }
  try {
    return readFile(value)
  } catch (error) {
    if (!(error instanceof Misfit)) throw error
    return { problem: error.message, ...at(error.path), hint: error.hint }
  }
}

/** The lines that git writes into a file which it cannot merge. */
function findConflict(text: string): { readonly line: number; readonly column: number } | undefined {
  const line = text.split('\n').findIndex((each) => /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/.test(each))
  return line < 0 ? undefined : { line: line + 1, column: 1 }
}

async function describeSyntax(text: string): Promise<LockProblem> {
  const { errors, relaxed } = await parseText(text, 'json')
  const [first = { line: 1, column: 1 }] = [...errors, ...relaxed]
  return {
    problem: 'It is not valid JSON.',
    line: first.line,
    column: first.column,
    hint: again,
  }
}

class Misfit extends Error {
  readonly path: readonly string[]
  readonly hint: string
  constructor(message: string, path: readonly string[], hint = again) {
    super(message)
    this.path = path
    this.hint = hint
  }
}

function readFile(value: Json): LockFile {
  const file = objectAt(value, [])
  const { version } = file
  if (typeof version === 'number' && version > lockVersion)
    throw new Misfit(
      `It has version ${version}; this Plugboard reads version ${lockVersion}.`,
      ['version'],
      'Use a newer Plugboard.',
    )
  if (version !== lockVersion) throw new Misfit(`Its "version" has to be ${lockVersion}.`, ['version'])
  refuseUnknown(file, ['$schema', 'version', 'servers'], [])
  const servers = Object.entries(objectAt(file['servers'], ['servers']))
  refuseMany(servers, lockLimits.servers, ['servers'])
  return {
    servers: new Map(servers.map(([name, server]) => [name, readServer(server, ['servers', name])])),
  }
}

function readServer(value: Json, path: readonly string[]): LockedServer {
  const server = objectAt(value, path)
  refuseUnknown(server, [...lockTexts, ...lockMaps], path)
  const [, name = ''] = path
  if (name.length > lockLimits.nameLength) throw new Misfit('A name is too long.', path)
  const declaration = textAt(server, 'declaration', path)
  if (declaration === undefined || !isHash(declaration))
    throw new Misfit('"declaration" has to be a hash.', [...path, 'declaration'])
  const instructions = textAt(server, 'instructions', path)
  if (instructions !== undefined && !isHash(instructions))
    throw new Misfit('"instructions" has to be a hash.', [...path, 'instructions'])
  const rest = (['command', 'package', 'version'] as const).flatMap((key) => {
    const text = textAt(server, key, path)
    return text === undefined ? [] : [[key, text] as const]
  })
  return {
    declaration,
    ...(Object.fromEntries(rest) as Pick<LockedServer, 'command' | 'package' | 'version'>), // the keys of the list
    ...(instructions !== undefined && { instructions }),
    scripts: hashesAt(server, 'scripts', path),
    tools: hashesAt(server, 'tools', path),
    prompts: hashesAt(server, 'prompts', path),
    templates: hashesAt(server, 'templates', path),
    ...(Object.hasOwn(server, 'apps') && { apps: hashesAt(server, 'apps', path) }),
    skills: hashesAt(server, 'skills', path),
  }
}

function hashesAt(server: JsonObject, key: string, path: readonly string[]): ReadonlyMap<string, string> {
  if (!Object.hasOwn(server, key)) return new Map()
  const items = Object.entries(objectAt(server[key], [...path, key]))
  refuseMany(items, lockLimits.items, [...path, key])
  const hashes = new Map<string, string>()
  for (const [name, hash] of items) {
    if (typeof hash !== 'string' || !isHash(hash))
      throw new Misfit('A hash is "sha256:" and 64 hexadecimal digits.', [...path, key, name])
    if (name.length > lockLimits.nameLength) throw new Misfit('A name is too long.', [...path, key])
    hashes.set(name, hash)
  }
  return hashes
}

function textAt(server: JsonObject, key: string, path: readonly string[]): string | undefined {
  const value = Object.hasOwn(server, key) ? server[key] : undefined
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '' || value.length > lockLimits.nameLength)
    throw new Misfit(`"${key}" has to be a text.`, [...path, key])
  return value
}

function objectAt(value: Json | undefined, path: readonly string[]): JsonObject {
  if (isObject(value)) return value
  const key = path.at(-1)
  throw new Misfit(key === undefined ? 'It does not hold an object.' : 'An object is expected here.', path)
}

/** A key that is not known may be meant to narrow, so it is not skipped. */
function refuseUnknown(object: JsonObject, known: readonly string[], path: readonly string[]): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new Misfit(`It has the key ${JSON.stringify(unknown.slice(0, 100))}, which has no meaning here.`, [
    ...path,
    unknown,
  ])
}

function refuseMany(items: readonly unknown[], limit: number, path: readonly string[]): void {
  if (items.length > limit) throw new Misfit(`It has more than ${limit} items in one list.`, path)
}

function isHash(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text)
}
