import { join, resolve } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { FileError } from '../../platform/platform.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Archive } from '../../sources/clients/mcpb/archive.ts'
import type { Doc } from '../../sources/formats/doc.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { formatOfText, parseText } from '../../sources/formats/parse-text.ts'
import { openFiles } from '../../sources/open-files.ts'
import { place } from '../../sources/place-builders.ts'
import { namedOnly, placesOf, sourceIds } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import { recognize } from '../../sources/entries/recognize.ts'
import type { FilePlace, OpenFile, SourceReading, World } from '../../sources/source.ts'
import { createWorld } from '../world.ts'

export type NamedFileReading =
  | {
      readonly kind: 'recognized'
      readonly source: SourceId
      readonly reading: SourceReading
      /** A bundle: `unpackArchive` must unpack it into a folder before its servers can run. */
      readonly archive?: Archive
    }
  | { readonly kind: 'unrecognized'; readonly diagnostics: readonly Diagnostic[] }

interface NamedFileOptions {
  /** The name for a single entry that has none. */
  readonly name?: string
}

/** Reads a file that a person names: a bundle, a `server.json`, a plugin, or a snippet of any dialect. */
export async function readNamedFile(
  path: string,
  platform: Platform,
  options: NamedFileOptions = {},
): Promise<NamedFileReading> {
  const file = resolve(platform.cwd, path)
  if (/\.(mcpb|dxt)$/i.test(file)) return readBundle(file, platform)
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return unreadable(file, `${file} does not exist.`)
  if (found.kind === 'problem') return unreadable(file, found.message)
  return parseSnippet(found.text, { file, isFile: true }, platform, options)
}

/** Reads text that is in no file, such as standard input. */
export function readSnippet(
  text: string,
  platform: Platform,
  options: NamedFileOptions = {},
): Promise<NamedFileReading> {
  return parseSnippet(text, { file: '<stdin>', isFile: false }, platform, options)
}

interface SnippetOrigin {
  readonly file: string
  /** Whether the text is in a real file, so that its path and the files beside it can be used. */
  readonly isFile: boolean
}

async function parseSnippet(
  text: string,
  { file, isFile }: SnippetOrigin,
  platform: Platform,
  options: NamedFileOptions,
): Promise<NamedFileReading> {
  const format = formatOfText(text, isFile ? file : undefined)
  const doc = await parseText(isFragment(text) && format === 'json' ? `{${text}\n}` : text, format)
  const [error] = doc.errors
  if (error) return unparsable(file, error)
  const recognized = recognize(doc, options)
  if (!recognized) return unknown(file)
  const world = await createWorld(platform, { config: file })
  const owner = recognized.shared && isFile ? ownerOf(file, world) : undefined
  const source = owner?.source ?? recognized.source
  const explicit = { scope: 'explicit', authority: 'explicit', root: platform.cwd } as const
  const first = open(owner?.place ?? place(file, explicit), recognized.doc)
  if (!namedOnly.has(source)) return read(source, [first], world)
  const [own, ...beside] = placesOf(source, world)
  const opened = await openFiles(isFile ? beside : [], platform.files)
  return read(
    source,
    [own ? open({ ...own, path: file }, doc) : first, ...opened.files],
    world,
    opened.diagnostics,
  )
}

/** `"mcpServers": { … }` without the outer braces, as many READMEs print it. */
function isFragment(text: string): boolean {
  return /^\s*"/.test(text)
}

function open(where: FilePlace, doc: Doc): OpenFile {
  return { ...where, format: doc.format, doc }
}

async function readBundle(file: string, platform: Platform): Promise<NamedFileReading> {
  const { archiveLimits, readArchive } = await import('../../sources/clients/mcpb/archive.ts')
  try {
    const bytes = await platform.files.readBytes(file, { maxBytes: archiveLimits.bytes })
    const found = readArchive(bytes, file)
    if (found.kind === 'refused') return { kind: 'unrecognized', diagnostics: found.diagnostics }
    const manifest = join(file, 'manifest.json')
    const world = await createWorld(platform, { config: manifest })
    const [own] = placesOf('mcpb', world)
    const doc = await parseText(found.archive.manifest, 'json')
    const result = await read('mcpb', own ? [open(own, doc)] : [], world)
    return { ...result, archive: found.archive }
  } catch (error) {
    if (error instanceof FileError) return unreadable(file, `${error.message}.`)
    throw error
  }
}

/** The client that reads this path: several clients write the same shape, and only the path tells them apart. */
function ownerOf(
  path: string,
  { config: _named, ...world }: World,
): { readonly source: SourceId; readonly place: FilePlace } | undefined {
  for (const source of sourceIds) {
    const found = placesOf(source, world).find((place) => place.path === path && isMain(place))
    if (found) return { source, place: { ...found, authority: 'explicit' } }
  }
  return undefined
}

/** Whether the source itself writes servers to this file, as opposed to files of other clients and settings. */
function isMain({ role }: FilePlace): boolean {
  return role === 'servers' || role === 'main'
}

async function read(
  source: SourceId,
  files: readonly OpenFile[],
  world: World,
  diagnostics: readonly Diagnostic[] = [],
): Promise<Extract<NamedFileReading, { kind: 'recognized' }>> {
  const reading = (await loadSource(source)).read(files, world)
  return {
    kind: 'recognized',
    source,
    reading: { ...reading, diagnostics: [...diagnostics, ...reading.diagnostics] },
  }
}

function unreadable(file: string, message: string): NamedFileReading {
  return refuse({ code: 'unreadable-file', severity: 'error', message, origin: { file } })
}

function unparsable(file: string, { line, column, message }: Doc['errors'][number]): NamedFileReading {
  return refuse({
    code: 'parse-error',
    severity: 'error',
    message: `line ${line}, column ${column}: ${message}.`,
    hint: 'Correct the text there, then try again.',
    origin: { file, line, column },
  })
}

function unknown(file: string): NamedFileReading {
  return refuse({
    code: 'missing-endpoint',
    severity: 'error',
    message: 'No MCP server was recognized here.',
    hint: 'Use a map under "mcpServers", or one entry with a "command" or a "url".',
    origin: { file },
  })
}

function refuse(diagnostic: Diagnostic): NamedFileReading {
  return { kind: 'unrecognized', diagnostics: [diagnostic] }
}
