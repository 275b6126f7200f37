import { dirname, join, relative } from 'node:path'
import { matchGlob } from '../model/glob.ts'
import type { FileText, Files } from '../platform/platform.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Doc } from './formats/doc.ts'
import { parseText } from './formats/parse-text.ts'
import { useLastGood } from './last-good-text.ts'
import type { LastGoodTexts, OpenedFile } from './last-good-text.ts'
import { findProject, isProjectConfig } from './project-folder.ts'
import type { ProjectFolder } from './project-folder.ts'
import type { FilePlace, OpenFile } from './source.ts'

export interface OpenedFiles {
  readonly files: readonly OpenFile[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads and parses the files of a source that exist. An unreadable file is reported and returned without content, or with
 * its last usable text if `lastGood` has one.
 */
export async function openFiles(
  places: readonly FilePlace[],
  files: Files,
  lastGood?: LastGoodTexts,
): Promise<OpenedFiles> {
  const expanded = await assignAuthority(await expandPlaces(places, files), files)
  const found = await Promise.all(expanded.map((place) => openFile(place, files, lastGood)))
  const named = await withNamedFiles(
    found.flatMap((result) => result ?? []),
    files,
    lastGood,
  )
  const opened = await placeByRealPath(named, files)
  return {
    files: opened.map(({ file }) => file),
    diagnostics: [
      ...named.flatMap(({ refused = [] }) => refused),
      ...opened.flatMap(({ problem }) => problem ?? []),
    ],
  }
}

/** Adds the files that a file names, below it. */
async function withNamedFiles(
  all: readonly OpenedFile[],
  files: Files,
  lastGood: LastGoodTexts | undefined,
): Promise<readonly (OpenedFile & { readonly refused?: readonly Diagnostic[] })[]> {
  if (!all.some(({ file }) => file.names)) return all
  const { findNamedFiles, namesFiles } = await import('./named-files.ts')
  const added = await Promise.all(
    all.map(async (each) => {
      if (!namesFiles(each.file)) return [each]
      const named = await findNamedFiles(each.file, files)
      const opened = await Promise.all(
        named.map(async (one) => {
          if (one.kind === 'open') return one
          return one.kind === 'place' ? openFile(one.place, files, lastGood) : undefined
        }),
      )
      const refused = named.flatMap((one) => (one.kind === 'refused' ? [one.problem] : []))
      return [{ ...each, refused }, ...opened.flatMap((one) => one ?? [])]
    }),
  )
  return added.flat()
}

/** D-16: a file reached by several paths counts once, at its highest rank. Its folder follows its real path. */
async function placeByRealPath(opened: readonly OpenedFile[], files: Files): Promise<readonly OpenedFile[]> {
  if (opened.length < 2 && opened[0]?.file.authority !== 'project') return opened
  const real = await Promise.all(opened.map(({ file }) => files.realPath(file.path)))
  const kept = opened.flatMap((each, index) => {
    const path = real[index] ?? each.file.path
    return real.indexOf(path) === index ? [{ ...each, path }] : []
  })
  return Promise.all(
    kept.map(async ({ file, path, ...rest }) => {
      const isElsewhere = file.authority === 'project' && path !== file.path
      return { ...rest, file: isElsewhere ? { ...file, folder: await realFolder(file, path, files) } : file }
    }),
  )
}

/**
 * T52: the project folder of a file that is a link. Trust is bound to the real path, so the folder must follow from the
 * real path alone: otherwise a second link to a trusted file would run another folder's programs.
 */
async function realFolder({ root, path }: FilePlace, real: string, files: Files): Promise<string> {
  const inside = relative(root, path)
  if (join(await files.realPath(root), inside) === real) return root
  const suffix = join('/', inside)
  return real.endsWith(suffix) ? real.slice(0, -suffix.length) || '/' : dirname(real)
}

/**
 * T01: a file that a variable names or moves gets the project's authority if its real path is in the project. T52: it
 * belongs to the folder that holds it, which does not depend on the working directory.
 */
export async function assignAuthority(
  places: readonly FilePlace[],
  files: Files,
): Promise<readonly FilePlace[]> {
  const around = places.find((place) => place.moved)?.moved?.around
  if (!around) return places
  const project = await findProject({ ...around, files })
  return Promise.all(
    places.map(async (place): Promise<FilePlace> =>
      (await isSupplied(place, project, files))
        ? { ...place, authority: 'project', root: dirname(place.path) }
        : place,
    ),
  )
}

async function isSupplied(
  { path, moved }: FilePlace,
  project: ProjectFolder,
  files: Files,
): Promise<boolean> {
  if (!moved || !(await isProjectConfig(path, project, files))) return false
  return moved.from === undefined || (await files.realPath(moved.from)) !== (await files.realPath(path))
}

/** Replaces `*` segments with the matching names in the directory, sorted. */
export async function expandPlaces(
  places: readonly FilePlace[],
  files: Files,
): Promise<readonly FilePlace[]> {
  const all: FilePlace[] = []
  for (const place of places) {
    if (!place.path.includes('*')) all.push(place)
    else for (const path of await expand(place.path, files)) all.push({ ...place, path })
  }
  return all
}

async function expand(path: string, files: Files): Promise<readonly string[]> {
  if (!path.includes('*')) return [path]
  const parent = dirname(path)
  const pattern = path.slice(parent.length + 1)
  const parents = await expand(parent, files)
  if (!pattern.includes('*')) return parents.map((folder) => join(folder, pattern))
  const found = await Promise.all(
    parents.map(async (folder) =>
      (await files.list(folder)).filter((name) => matchGlob(pattern, name)).map((name) => join(folder, name)),
    ),
  )
  return found.flat()
}

async function openFile(
  place: FilePlace,
  files: Files,
  lastGood: LastGoodTexts | undefined,
): Promise<OpenedFile | undefined> {
  const found = await files.readText(place.path)
  if (found.kind === 'absent') {
    lastGood?.delete(place.path)
    return undefined
  }
  const text = found.kind === 'text' ? found.text : undefined
  const opened: OpenedFile =
    found.kind === 'text'
      ? { file: { ...place, doc: await parseText(found.text, place.format) } }
      : // D10: an unreadable file keeps its rank, so that a lower file does not silently take its place.
        { file: { ...place, doc: emptyDoc(place.format) }, problem: unreadableFile(place, found) }
  return lastGood ? useLastGood(opened, text, lastGood) : opened
}

function unreadableFile(
  { path }: FilePlace,
  { problem, message }: FileText & { kind: 'problem' },
): Diagnostic {
  return {
    code: 'unreadable-file',
    severity: 'error',
    message: /[.!?]$/.test(message) ? message : `${message}.`,
    hint:
      problem === 'no-permission'
        ? 'Give yourself read permission, or remove the file.'
        : 'Nothing in it is used.',
    origin: { file: path },
  }
}

function emptyDoc(format: Doc['format']): Doc {
  const position = () => ({ line: 1, column: 1 })
  return { format, value: undefined, errors: [], relaxed: [], duplicates: [], forbidden: [], position }
}
