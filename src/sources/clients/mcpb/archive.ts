import { Inflate } from 'fflate'
import type { Diagnostic } from '../../../model/diagnostic.ts'
import { maxPathBytes, unsafePath } from './archive-path.ts'
import { ZipError, quote, readZipDirectory } from './zip-directory.ts'
import type { ZipEntry } from './zip-directory.ts'

/** A bundle (`.mcpb`, `.dxt`) in memory. */
export interface Archive {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly executables: ReadonlySet<string>
  /** The text of its `manifest.json`. */
  readonly manifest: string
}

interface Refusal {
  readonly kind: 'refused'
  readonly diagnostics: readonly Diagnostic[]
}

export type ArchiveReading = { readonly kind: 'archive'; readonly archive: Archive } | Refusal

/** T46. The limit of bytes also applies to the packed size, which is smaller than the unpacked one. */
export const archiveLimits = { files: 10_000, bytes: 500 * 1024 * 1024, ratio: 100 } as const

/** Number of reported problems; more would not help. */
const maxReported = 10

/** Reads a bundle. T46: everything is checked by the directory before unpacking, and again while unpacking. */
export function readArchive(bytes: Uint8Array, file: string): ArchiveReading {
  return readChecked(bytes, file, (files) => {
    const contents = new Map(files.map((entry) => [entry.name, unpack(bytes, entry)]))
    const manifest = contents.get('manifest.json')
    if (!manifest) return undefined
    const executables = new Set(files.filter(({ mode }) => (mode & 0o100) !== 0).map(({ name }) => name))
    return {
      kind: 'archive' as const,
      archive: { files: contents, executables, manifest: decodeManifest(manifest) },
    }
  })
}

/** Reads only the manifest. T46: the same checks apply, except for the content of the other files. */
export function readArchiveManifest(bytes: Uint8Array, file: string): string | Refusal {
  return readChecked(bytes, file, (entries) => {
    const manifest = entries.find(({ name }) => name === 'manifest.json')
    return manifest && decodeManifest(unpack(bytes, manifest))
  })
}

/** Checks an archive by its directory, then reads it. `undefined` means that it has no manifest. */
function readChecked<T>(
  bytes: Uint8Array,
  file: string,
  readEntries: (entries: readonly ZipEntry[]) => T | undefined,
): T | Refusal {
  const refuse = (code: Diagnostic['code'], messages: readonly string[]): Refusal => ({
    kind: 'refused',
    diagnostics: messages.map((message) => ({ code, severity: 'error', message, origin: { file } })),
  })
  try {
    const entries = readZipDirectory(bytes)
    const problems = checkEntries(entries, bytes.length)
    if (problems.length > 0) return refuse('unsafe-archive', problems.slice(0, maxReported))
    const files = entries.filter(({ isFolder }) => !isFolder)
    return readEntries(files) ?? refuse('missing-key', ['The bundle has no manifest.json.'])
  } catch (error) {
    if (error instanceof ZipError) return refuse(error.code, [error.message])
    throw error
  }
}

function checkEntries(entries: readonly ZipEntry[], packedSize: number): readonly string[] {
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  const { files, bytes, ratio } = archiveLimits
  if (entries.length > files) return [`The archive has ${entries.length} files, more than ${files}.`]
  if (total > bytes) return [`The archive unpacks to ${total} bytes, more than ${bytes}.`]
  if (total > packedSize * ratio) return [`The archive unpacks to more than ${ratio} times its size.`]
  // A longer path is refused anyway, and a list of all folders above it could fill the memory.
  const compared = entries.filter(({ name }) => name.length <= maxPathBytes)
  return [...entries.flatMap(checkEntry), ...findCollisions(compared), ...findOverlaps(entries)]
}

const fileTypes = 0o170000
const plainTypes: readonly number[] = [0, 0o100000, 0o040000]

function checkEntry({ name, mode }: ZipEntry): readonly string[] {
  const unsafe = unsafePath(name.replace(/\/$/, ''))
  const special = !plainTypes.includes(mode & fileTypes)
  return [
    ...(unsafe === undefined ? [] : [`${quote(name)} ${unsafe}.`]),
    ...(special ? [`${quote(name)} is a link or a device, not a file.`] : []),
  ]
}

/** Names that collide on file systems that ignore case or Unicode form, and files with the name of a folder. */
function findCollisions(entries: readonly ZipEntry[]): readonly string[] {
  const fold = (name: string) => name.normalize('NFC').toLowerCase()
  const taken = new Set(entries.flatMap(({ name }) => foldersAbove(fold(name))))
  return entries.flatMap(({ name, isFolder }) => {
    if (isFolder) return []
    const folded = fold(name)
    if (taken.has(folded)) return [`${quote(name)} is in the archive more than once.`]
    taken.add(folded)
    return []
  })
}

function foldersAbove(name: string): readonly string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Entries that share their data, which makes a bomb that the declared sizes do not show. */
function findOverlaps(entries: readonly ZipEntry[]): readonly string[] {
  const inOrder = [...entries].sort((a, b) => a.header - b.header)
  return inOrder.flatMap((entry, index) =>
    entry.header < (inOrder[index - 1]?.end ?? 0)
      ? [`${quote(entry.name)} shares its data with another file.`]
      : [],
  )
}

function unpack(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const packed = bytes.subarray(entry.start, entry.end)
  const content = entry.method === 0 ? packed : inflate(packed, entry)
  if (content.length !== entry.size || crc32(content) !== entry.crc) {
    throw new ZipError('parse-error', `The archive is damaged at ${quote(entry.name)}.`)
  }
  return content
}

/** Inflates in small steps, because the output can be a thousand times the input. */
const stepLength = 16 * 1024

function inflate(packed: Uint8Array, { name, size }: ZipEntry): Uint8Array {
  const content = new Uint8Array(size)
  let length = 0
  const stream = new Inflate((chunk) => {
    if (length + chunk.length > size) {
      throw new ZipError('unsafe-archive', `${quote(name)} unpacks to more than the archive declares.`)
    }
    content.set(chunk, length)
    length += chunk.length
  })
  try {
    for (let at = 0; at < packed.length; at += stepLength) {
      stream.push(packed.subarray(at, at + stepLength), at + stepLength >= packed.length)
    }
  } catch (error) {
    if (error instanceof ZipError) throw error
    throw new ZipError('parse-error', `The archive is damaged at ${quote(name)}.`, { cause: error })
  }
  return content.subarray(0, length)
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0)
  return ~crc >>> 0
}

function decodeManifest(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ZipError('parse-error', 'The manifest.json is not UTF-8 text.', { cause })
  }
}
