import { dirname, join, relative, resolve, sep } from 'node:path'
import { hashOf } from '../../model/canonical.ts'
import type { Server } from '../../model/server.ts'
import { withoutSwitch } from '../../model/switches.ts'
import type { Files } from '../../platform/platform.ts'
import { isBelow } from '../../sources/path-containment.ts'

/** The parts of what a person trusts, in the order of their digits at the end of a portable hash. */
const partNames = ['entry', 'file', 'source', 'inputs'] as const

type PartName = (typeof partNames)[number]

const wholeDigits = 48
const partDigits = 4

export interface HashContext {
  readonly files: Pick<Files, 'realPath' | 'stat'>
  readonly home: string
  /** The project's folders, nearest first. */
  readonly dirs: readonly string[]
}

/**
 * T48: the hash that `trust --hash` takes. It is the same for a teammate, because it has the file's path inside the
 * repository instead of the path on this machine. 48 digits of SHA-256 cover everything; the last 16 are four digits of
 * the SHA-256 of each part, so that a refusal can say which part differs.
 */
export async function portableHash(server: Server, context: HashContext): Promise<string> {
  const { name, origin, declared, inputs = [] } = server
  const parts: Readonly<Record<PartName, unknown>> = {
    entry: declared.map(withoutSwitch),
    file: await Promise.all(declared.map((each) => portablePath(each.origin.file, context))),
    source: [origin.source, ...declared.map((each) => [each.origin.source, each.origin.authority])],
    inputs,
  }
  const ends = partNames.map((part) => digitsOf(parts[part], partDigits))
  return `sha256:${digitsOf({ form: 'portable', name, ...parts }, wholeDigits)}${ends.join('')}`
}

function digitsOf(value: unknown, count: number): string {
  const start = 'sha256:'.length
  return hashOf(value).slice(start, start + count)
}

/**
 * The path inside the outermost repository or, without one, inside the project's folder. Outermost, because the same entry
 * in a submodule may start another program. Files of the person begin with `~/`.
 */
async function portablePath(path: string, { files, home, dirs }: HashContext): Promise<string> {
  const real = await files.realPath(path)
  const realHome = await files.realPath(resolve(home))
  let repository: string | undefined
  for (let dir = dirname(real); dirname(dir) !== dir && !isBelow(realHome, [dir]); dir = dirname(dir)) {
    if (await files.stat(join(dir, '.git'))) repository = dir
  }
  if (repository !== undefined) return inside(repository, real)
  const top = dirs.at(-1)
  const folder = top === undefined ? undefined : await files.realPath(top)
  if (folder !== undefined && isBelow(real, [folder])) return inside(folder, real)
  return isBelow(real, [realHome]) ? `~/${inside(realHome, real)}` : real
}

function inside(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

/** What the difference of two portable hashes means, as a sentence; empty if `given` is not such a hash. */
export function explainDifference(given: string, now: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(given)) return 'A hash is "sha256:" and 64 hexadecimal digits.'
  const endOf = (hash: string, index: number) =>
    hash.slice('sha256:'.length + wholeDigits).slice(index * partDigits, (index + 1) * partDigits)
  const different = partNames.filter((_, index) => endOf(given, index) !== endOf(now, index))
  if (different.length === partNames.length)
    return 'No part of it is the same: it is the hash of another server, or one that holds only for a path on another machine.'
  // Four digits per part are a hint, not a proof: a text with the same four digits is quickly found.
  if (different.length === 0)
    return 'Its name differs, or the entry was made to look the same: compare the whole entry.'
  return `Different: its ${different.join(' and its ')}.`
}
