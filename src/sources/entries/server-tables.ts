import { fromPointer, isObject, toPointer, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Path } from '../formats/doc.ts'
import type { OpenFile, Report } from '../source.ts'

/** A map of servers inside a file. */
export interface Table {
  readonly file: OpenFile
  readonly path: Path
  readonly value: JsonObject
  /** The name and path of an entry, if its key is not its name. */
  readonly entryAt?: (key: string) => { readonly name: string; readonly path: Path }
}

/** How a client treats comments: `strict` loads nothing of such a file; `unsure` means that it is not known. */
export type Strictness = 'strict' | 'jsonc' | 'unsure'

/** The file's top-level object; `undefined` if it cannot be used, with the reason reported. */
export function usableRoot(file: OpenFile, reads: Strictness, report: Report): JsonObject | undefined {
  const { doc } = file
  const [error] = doc.errors
  if (error) {
    report.add('parse-error', 'error', `line ${error.line}, column ${error.column}: ${error.message}.`, {
      file,
      at: error,
      hint: `Fix the text there. Until then no server of this file is used.`,
    })
    return undefined
  }
  const [relaxed] = doc.relaxed
  if (relaxed && reads === 'strict') {
    const where = doc.relaxed.map(({ message, line, column }) => `${message} at ${line}:${column}`).join(', ')
    const names = recoverableNames(doc.value)
    report.add(
      'parse-error',
      'error',
      `${report.owner} reads strict JSON: ${where}. No server of this file is loaded.`,
      {
        file,
        at: relaxed,
        ...(names.length > 0 && { hint: `Without that, ${names.length} would load: ${names.join(', ')}.` }),
      },
    )
    return undefined
  }
  if (relaxed && reads === 'unsure') {
    report.add(
      'jsonc-in-json',
      'warn',
      `${relaxed.message} at ${relaxed.line}:${relaxed.column}: ${report.owner} may read strict JSON.`,
      { file },
    )
  }
  for (const pointer of doc.duplicates) {
    report.add('duplicate-key', 'warn', `${lastOf(pointer)} is a duplicate key; the last one is used.`, {
      file,
      pointer,
    })
  }
  for (const pointer of doc.forbidden) {
    report.add(
      'forbidden-key',
      'error',
      `${lastOf(pointer)} is not allowed as a key; its value is ignored.`,
      {
        file,
        pointer,
      },
    )
  }
  if (doc.value === undefined || doc.value === null) return undefined
  if (isObject(doc.value)) return doc.value
  report.add('wrong-type', 'error', 'The file must contain an object.', { file, pointer: '' })
  return undefined
}

function lastOf(pointer: string): string {
  return JSON.stringify(fromPointer(pointer).at(-1) ?? '')
}

function recoverableNames(value: unknown): readonly string[] {
  const roots = isObject(value) ? [value['mcpServers'], value['servers'], value['mcp']] : []
  return roots.flatMap((root) => (isObject(root) ? Object.keys(root) : []))
}

/** A value of a file beside its servers. Values recovered from a file with errors are never used. */
export function valueIn(file: OpenFile, path: Path): Json | undefined {
  return file.doc.errors.length > 0 ? undefined : valueAt(file.doc.value, path)
}

/** The map of servers under a root key; a value of another type is reported. */
export function tableAt(file: OpenFile, root: JsonObject, path: Path, report: Report): Table | undefined {
  const value = valueAt(root, path)
  if (value === undefined || value === null) return undefined
  if (isObject(value)) return { file, path, value }
  report.add('wrong-type', 'error', `${toPointer(path)} must be an object of servers.`, {
    file,
    pointer: toPointer(path),
  })
  return undefined
}

const commonRoots = ['mcpServers', 'servers']

export interface RootRules {
  readonly roots: readonly Path[]
  /** The client also accepts a map of servers without a root key. */
  readonly bare?: { readonly message: string }
  /** Servers under another client's root key are read with a warning; `no` if they are only reported. */
  readonly otherRoots?: 'no'
}

/** The maps of servers in one file: under its client's root keys, under another client's, or without one. */
export function tablesOf(
  file: OpenFile,
  root: JsonObject,
  rules: RootRules,
  report: Report,
): readonly Table[] {
  const found = rules.roots.flatMap((path) => tableAt(file, root, path, report) ?? [])
  const others = rules.otherRoots === 'no' ? [] : wrongRoots(file, root, rules, report)
  const read = [...found, ...others]
  reportUnreadRoots(file, root, { rules, read }, report)
  if (read.length > 0) return read
  if (!isBareMap(root)) return []
  if (rules.bare) {
    report.add('bare-root', 'info', rules.bare.message, { file })
    return [{ file, path: [], value: root }]
  }
  const names = rules.roots.map((path) => `"${path.join('.')}"`)
  report.add('bare-root', 'error', `A map of servers must be under ${names.join(' or ')}.`, {
    file,
  })
  return []
}

function wrongRoots(file: OpenFile, root: JsonObject, rules: RootRules, report: Report): readonly Table[] {
  const own = rules.roots.map((path) => String(path[0]))
  return commonRoots
    .filter((key) => !own.includes(key))
    .flatMap((key) => {
      const value = root[key]
      if (!isObject(value) || !isBareMap(value)) return []
      report.add('wrong-root-key', 'warn', `${report.owner} reads "${own[0]}", not "${key}".`, {
        file,
        pointer: toPointer([key]),
        hint: `Rename "${key}" to "${own[0]}".`,
      })
      return [{ file, path: [key], value }]
    })
}

/** A root key of another client, whatever its spelling. */
const rootWords = /^(?:mcp|context|model-context-protocol)?[-_. ]?servers?$|^mcp$/i

/**
 * Reports servers under a key that nothing reads; without it they would be missing silently. Any key counts in a file that
 * has no servers elsewhere and is for MCP alone, by its name; in another file only the usual words for such a key.
 */
function reportUnreadRoots(
  file: OpenFile,
  root: JsonObject,
  { rules, read }: { readonly rules: RootRules; readonly read: readonly Table[] },
  report: Report,
): void {
  if (isBareMap(root)) return
  const known = new Set([...rules.roots, ...read.map(({ path }) => path)].map(([key]) => key))
  const isForMcp = read.length === 0 && /mcp[^/\\]*$/i.test(file.path)
  const own = rules.roots[0]?.join('.') ?? ''
  for (const [key, value] of Object.entries(root)) {
    if (known.has(key) || !(isForMcp || rootWords.test(key))) continue
    if (!isObject(value) || !Object.values(value).some(isServerLike)) continue
    const message = `${report.owner} reads "${own}", not "${key}"; the servers there are not used.`
    report.add('wrong-root-key', read.length > 0 ? 'warn' : 'error', message, {
      file,
      pointer: toPointer([key]),
      hint: `Rename "${key}" to "${own}".`,
    })
  }
}

function isServerLike(value: Json): boolean {
  return isObject(value) && ('command' in value || 'url' in value)
}

function isBareMap(value: JsonObject): boolean {
  const items = Object.entries(value).filter(([key]) => key !== '$schema')
  return items.length > 0 && items.every(([, item]) => isServerLike(item))
}
