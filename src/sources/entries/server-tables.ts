import { fromPointer, isObject, toPointer, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Path } from '../formats/doc.ts'
import type { OpenFile, Report } from '../source.ts'

/** A map of servers inside a file. */
export interface Table {
  readonly file: OpenFile
  readonly path: Path
  readonly value: JsonObject
  /** Where an entry's key is not its name: what it is called and where it stands. */
  readonly entryAt?: (key: string) => { readonly name: string; readonly path: Path }
}

/** `strict` owners load nothing of a file with comments; of `unsure` ones nobody knows. */
export type Strictness = 'strict' | 'jsonc' | 'unsure'

/** The file's top object, or nothing with the reason reported. */
export function usableRoot(file: OpenFile, reads: Strictness, report: Report): JsonObject | undefined {
  const { doc } = file
  const [error] = doc.errors
  if (error) {
    report.add('parse-error', 'error', `line ${error.line}, column ${error.column}: ${error.message}.`, {
      file,
      at: error,
      hint: `Correct the text there; until then no server of this file is used.`,
    })
    return undefined
  }
  const [relaxed] = doc.relaxed
  if (relaxed && reads === 'strict') {
    const where = doc.relaxed.map(({ message, line, column }) => `${message} at ${line}:${column}`).join(', ')
    const names = recoverable(doc.value)
    report.add(
      'parse-error',
      'error',
      `${report.owner} reads strict JSON: ${where}. No server of this file is loaded.`,
      {
        file,
        at: relaxed,
        ...(names.length > 0 && { hint: `Without it, ${names.length} could be read: ${names.join(', ')}.` }),
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
    report.add('duplicate-key', 'warn', `${lastOf(pointer)} stands here twice; the last one counts.`, {
      file,
      pointer,
    })
  }
  for (const pointer of doc.forbidden) {
    report.add('forbidden-key', 'error', `${lastOf(pointer)} cannot be a key; what it holds is ignored.`, {
      file,
      pointer,
    })
  }
  if (doc.value === undefined || doc.value === null) return undefined
  if (isObject(doc.value)) return doc.value
  report.add('wrong-type', 'error', 'The file must hold an object.', { file, pointer: '' })
  return undefined
}

function lastOf(pointer: string): string {
  return JSON.stringify(fromPointer(pointer).at(-1) ?? '')
}

function recoverable(value: unknown): readonly string[] {
  const roots = isObject(value) ? [value['mcpServers'], value['servers'], value['mcp']] : []
  return roots.flatMap((root) => (isObject(root) ? Object.keys(root) : []))
}

/** What stands in a file beside its servers. What could be recovered of a broken file is never used. */
export function valueIn(file: OpenFile, path: Path): Json | undefined {
  return file.doc.errors.length > 0 ? undefined : valueAt(file.doc.value, path)
}

/** The object under a root key; a value of another type is reported. */
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
  /** The owner also takes a map of servers without a root key. */
  readonly bare?: { readonly message: string }
  /** Servers under a root of other owners are read with a warning; `no` where that key means something else. */
  readonly otherRoots?: 'no'
}

/** The tables of one file under its owner's root keys, or where they stand instead. */
export function tablesOf(
  file: OpenFile,
  root: JsonObject,
  rules: RootRules,
  report: Report,
): readonly Table[] {
  const found = rules.roots.flatMap((path) => tableAt(file, root, path, report) ?? [])
  const others = rules.otherRoots === 'no' ? [] : wrongRoots(file, root, rules, report)
  if (found.length > 0 || others.length > 0) return [...found, ...others]
  if (!isBareMap(root)) return []
  if (rules.bare) {
    report.add('bare-root', 'info', rules.bare.message, { file })
    return [{ file, path: [], value: root }]
  }
  const names = rules.roots.map((path) => `"${path.join('.')}"`)
  report.add('bare-root', 'error', `A map of servers without ${names.join(' or ')} around it is not read.`, {
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

function isBareMap(value: JsonObject): boolean {
  const items = Object.entries(value).filter(([key]) => key !== '$schema')
  return items.length > 0 && items.every(([, item]) => isObject(item) && ('command' in item || 'url' in item))
}
