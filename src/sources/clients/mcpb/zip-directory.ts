import type { DiagnosticCode } from '../../../model/diagnostic.ts'

/** A file or folder in the central directory of a zip archive. */
export interface ZipEntry {
  readonly name: string
  readonly isFolder: boolean
  /** The Unix mode from the external attributes; 0 if there is none. */
  readonly mode: number
  readonly method: number
  readonly crc: number
  readonly size: number
  /** Offsets of its local header and of its data. */
  readonly header: number
  readonly start: number
  readonly end: number
}

export class ZipError extends Error {
  override readonly name = 'ZipError'
  readonly code: DiagnosticCode
  constructor(code: 'parse-error' | 'unsafe-archive', message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const headerSignature = 0x04034b50
const endLength = 22
const entryLength = 46
const headerLength = 30
const maxComment = 0xffff

/**
 * Reads the central directory and checks each entry's local header against it, so that the checked entries are the ones
 * that get unpacked. Throws a `ZipError` for anything but a plain zip of one part.
 */
export function readZipDirectory(bytes: Uint8Array): readonly ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  const directory = { bytes, view, start: view.getUint32(end + 16, true), end }
  const count = view.getUint16(end + 10, true)
  const entries: ZipEntry[] = []
  let at = directory.start
  while (entries.length < count) {
    if (at + entryLength > end || view.getUint32(at, true) !== entrySignature) throw damaged('its directory')
    const lengths = [28, 30, 32].map((field) => view.getUint16(at + field, true))
    entries.push(readEntry(directory, at))
    at += lengths.reduce((sum, length) => sum + length, entryLength)
  }
  if (at !== directory.start + view.getUint32(end + 12, true)) throw damaged('its directory')
  return entries
}

/** Searches backward: a signed bundle has its signature after the archive. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endLength
  for (let at = last; at >= Math.max(0, last - maxComment); at--) {
    if (view.getUint32(at, true) === endSignature) return at
  }
  throw new ZipError('parse-error', 'This is not a zip archive.')
}

interface Directory {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly start: number
  readonly end: number
}

function readEntry(directory: Directory, at: number): ZipEntry {
  const { bytes, view } = directory
  const rawName = bytes.subarray(at + entryLength, at + entryLength + view.getUint16(at + 28, true))
  const name = decodeName(rawName)
  const method = view.getUint16(at + 10, true)
  if ((view.getUint16(at + 8, true) & 1) !== 0)
    throw new ZipError('parse-error', `${quote(name)} is encrypted.`)
  if (method !== 0 && method !== 8)
    throw new ZipError('parse-error', `${quote(name)} uses an unknown compression method.`)
  const header = view.getUint32(at + 42, true)
  const start = dataStart(directory, header, { name, rawName, method })
  const end = start + view.getUint32(at + 20, true)
  if (end > directory.start) throw damaged(quote(name))
  return {
    name,
    isFolder: name.endsWith('/'),
    mode: view.getUint32(at + 38, true) >>> 16,
    method,
    crc: view.getUint32(at + 16, true),
    size: view.getUint32(at + 24, true),
    header,
    start,
    end,
  }
}

function dataStart(
  { bytes, view, start }: Directory,
  header: number,
  entry: { readonly name: string; readonly rawName: Uint8Array; readonly method: number },
): number {
  if (header + headerLength > start || view.getUint32(header, true) !== headerSignature) {
    throw damaged(quote(entry.name))
  }
  const nameEnd = header + headerLength + view.getUint16(header + 26, true)
  const ownName = bytes.subarray(header + headerLength, nameEnd)
  const sameName =
    ownName.length === entry.rawName.length && ownName.every((byte, index) => byte === entry.rawName[index])
  if (!sameName || view.getUint16(header + 8, true) !== entry.method) {
    throw new ZipError(
      'unsafe-archive',
      `${quote(entry.name)} has a different name or method in its header than in the directory.`,
    )
  }
  return nameEnd + view.getUint16(header + 28, true)
}

function decodeName(raw: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)
  } catch (cause) {
    throw new ZipError('unsafe-archive', 'A name in the archive is not UTF-8.', { cause })
  }
}

function damaged(what: string): ZipError {
  return new ZipError('parse-error', `The archive is damaged at ${what}.`)
}

/** Quotes a name from an archive, which is untrusted: control characters are escaped. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
}
