import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { isList, isObject, toPointer, valueAt } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { nextCommand } from '../model/next-command.ts'
import { FileError } from '../platform/platform.ts'
import type { Files } from '../platform/platform.ts'
import { unsafePath } from './clients/mcpb/archive-path.ts'
import { formatByName, parseText } from './formats/parse-text.ts'
import { isInside } from './path-containment.ts'
import type { FilePlace, OpenFile } from './source.ts'

/** A file that another file names: where it is, or why it is not read. */
export type NamedFile =
  | { readonly kind: 'place'; readonly place: FilePlace }
  | { readonly kind: 'open'; readonly file: OpenFile; readonly problem?: Diagnostic }
  | { readonly kind: 'refused'; readonly problem: Diagnostic }

/** More files than any plugin names; beyond, a manifest is an attack on the reader. */
const mostFiles = 32
/** A bundle is read whole to find its manifest. */
const maxBundleBytes = 100 * 1024 * 1024

/** Whether a file names others. */
export function namesFiles({ names, doc }: OpenFile): boolean {
  return (
    names !== undefined && doc.errors.length === 0 && stringsIn(valueAt(doc.value, [names.key])).length > 0
  )
}

/**
 * T58: the files that a file of a plugin names. Only files of the plugin's own folder are read, links resolved: otherwise
 * a plugin could have any file of the machine read as configuration.
 */
export async function findNamedFiles(file: OpenFile, files: Files): Promise<readonly NamedFile[]> {
  const { names } = file
  if (!names) return []
  const folder = folderAbove(file.path, names.levels)
  const found = stringsIn(valueAt(file.doc.value, [names.key]))
  const unread = found.slice(mostFiles)
  const all = await Promise.all(found.slice(0, mostFiles).map((name) => locate(name, folder, file, files)))
  const tooMany = `${found.length} files are named; the last ${unread.length} are not read.`
  return unread.length > 0 ? [...all, refuse(file, tooMany)] : all
}

function stringsIn(value: Json | undefined): readonly string[] {
  const items = isList(value) ? value : [value]
  return items.flatMap((item) => (typeof item === 'string' ? [item] : []))
}

function folderAbove(path: string, levels: number): string {
  return levels === 0 ? dirname(path) : folderAbove(dirname(path), levels - 1)
}

async function locate(name: string, folder: string, file: OpenFile, files: Files): Promise<NamedFile> {
  const quoted = JSON.stringify(name)
  if (/^https?:\/\//i.test(name))
    return refuse(file, `${quoted} is not downloaded; its servers are not read.`)
  const plain = name.replace(/^\.\//, '')
  const unsafe = unsafePath(plain)
  if (unsafe !== undefined) return refuse(file, `${quoted} ${unsafe}; it is not read.`)
  const path = join(folder, plain)
  if (!(await isInside(path, [folder], files)))
    return refuse(file, `${quoted} is a link out of the plugin’s folder; it is not read.`)
  const { names: _names, ...rest } = file
  const place = { ...rest, path, format: formatByName(path) }
  if (!/\.(?:mcpb|dxt)$/i.test(path)) {
    if (await files.stat(path)) return { kind: 'place', place }
    return refuse(file, `${quoted} does not exist; its servers are not read.`)
  }
  return openBundle({ name, folder, place, from: file }, files)
}

interface NamedBundle {
  /** As the naming file writes it. */
  readonly name: string
  readonly folder: string
  readonly place: FilePlace
  readonly from: OpenFile
}

/** A bundle: its manifest where the owner unpacked it, else the one in the archive, which cannot run yet. */
async function openBundle({ name, folder, place, from }: NamedBundle, files: Files): Promise<NamedFile> {
  const unpacked = await unpackedManifest(name, folder, files)
  if (unpacked !== undefined) return { kind: 'place', place: { ...place, path: unpacked } }
  const manifest = await readManifest(place.path, files)
  if (typeof manifest !== 'string')
    return refuse(from, `${JSON.stringify(name)} is not read. ${manifest.problem}`)
  const path = join(place.path, 'manifest.json')
  const problem: Diagnostic = {
    code: 'not-launchable',
    severity: 'warn',
    message: `${JSON.stringify(name)} is not unpacked, so its server cannot start yet.`,
    // With a source, so that the command line's own `--source` is not repeated: it would choose the file to write.
    hint: `Start its client once, or run: ${nextCommand('add', place.path, ['--source', 'plugboard', '--from'])}`,
    origin: { file: from.path },
  }
  return { kind: 'open', file: { ...place, path, doc: await parseText(manifest, 'json') }, problem }
}

/** Claude Code unpacks a bundle into a folder named after its hash, and notes that hash under the hash of its name. */
async function unpackedManifest(name: string, folder: string, files: Files): Promise<string | undefined> {
  const cache = join(folder, '.mcpb-cache')
  const id = createHash('md5').update(name).digest('hex').slice(0, 8)
  const found = await files.readText(join(cache, `${id}.metadata.json`))
  const { value } = await parseText(found.kind === 'text' ? found.text : '{}', 'json')
  const hash = isObject(value) ? value['contentHash'] : undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{16}$/.test(hash)) return undefined
  const manifest = join(cache, hash, 'manifest.json')
  const isThere = (await files.stat(manifest)) && (await isInside(manifest, [folder], files))
  return isThere ? manifest : undefined
}

async function readManifest(path: string, files: Files): Promise<string | { readonly problem: string }> {
  const { readArchiveManifest } = await import('./clients/mcpb/archive.ts')
  try {
    const found = readArchiveManifest(await files.readBytes(path, { maxBytes: maxBundleBytes }), path)
    if (typeof found === 'string') return found
    return { problem: found.diagnostics[0]?.message ?? 'It cannot be read.' }
  } catch (error) {
    if (error instanceof FileError) return { problem: `${error.message}.` }
    throw error
  }
}

function refuse({ path, doc, names }: OpenFile, message: string): NamedFile {
  const pointer = toPointer([names?.key ?? ''])
  const origin = { file: path, pointer, ...doc.position(pointer) }
  return { kind: 'refused', problem: { code: 'unreadable-file', severity: 'error', message, origin } }
}
