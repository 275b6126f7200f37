import type { Severity } from '../../model/diagnostic.ts'
import { isObject, toPointer, valueAt } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Server, Shadowed } from '../../model/server.ts'
import { combine, reportShadowed } from './combine.ts'
import type { Combined, MergeMode } from './combine.ts'
import type { Draft } from './server-draft.ts'
import type { Path } from '../formats/doc.ts'
import type { SourceId } from '../places.ts'
import { readEntry } from './read-entry.ts'
import type { EntryRules } from './entry-rules.ts'
import { Report, originIn } from '../source.ts'
import type { OpenFile, Source, SourceReading, World } from '../source.ts'
import { tablesOf, usableRoot } from './server-tables.ts'
import type { RootRules, Strictness, Table } from './server-tables.ts'
import type { ValueRules } from './template.ts'
import { toServer } from './to-server.ts'
import type { WriteRules, Writing } from './write-rules.ts'

/** What a cross-file rule may look at and change. */
export interface Settling {
  readonly drafts: readonly Draft[]
  readonly hidden: Combined['hidden']
  readonly files: readonly OpenFile[]
  readonly world: World
  readonly report: Report
}

/** A client's way of declaring servers, as data; `createSource` makes the reader. */
export interface Dialect extends RootRules {
  readonly id: SourceId
  readonly title: string
  readonly reads: Strictness
  readonly rules: EntryRules | ((file: OpenFile, world: World) => EntryRules)
  readonly values: ValueRules | ((server: Server, world: World) => ValueRules)
  readonly merge?: MergeMode
  /** Which files hold servers under the root keys; those of the role `servers` unless said otherwise. */
  readonly roles?: readonly string[]
  /** A file that switches all others off by being there. */
  readonly exclusive?: (files: readonly OpenFile[]) => OpenFile | undefined
  /** D-16: whether one of these files says that nothing below it counts, other sources included. */
  readonly endsSearch?: (files: readonly OpenFile[]) => boolean
  /** O1: names are claimed before entries are validated. */
  readonly refusedClaims?: boolean
  /** How loudly hidden entries are reported; `false` where the owner's own rule says it better. */
  readonly shadowedAs?: Severity | false
  /** Where the owner keeps servers in other places than under its root keys. Highest first. */
  readonly tables?: (files: readonly OpenFile[], world: World, report: Report) => readonly Table[]
  /** Lists, policies and notes that concern several entries or files. */
  readonly settle?: (settling: Settling) => void
  /** How it writes, where that does not follow from how it reads; `never` for files that nobody edits entry by entry. */
  readonly writes?: WriteRules | ((file: OpenFile) => WriteRules) | 'never'
}

export function createSource(dialect: Dialect): Source {
  const { writes = {} } = dialect
  return {
    id: dialect.id,
    title: dialect.title,
    read: (files, world) => read(dialect, files, world),
    valuesOf: (server, world) =>
      typeof dialect.values === 'function' ? dialect.values(server, world) : dialect.values,
    ...(writes !== 'never' && { writing: (file, world) => writingOf(dialect, writes, file, world) }),
  }
}

function read(dialect: Dialect, files: readonly OpenFile[], world: World): SourceReading {
  const report = new Report(dialect.title)
  const tables = dialect.tables?.(files, world, report) ?? defaultTables(dialect, files, report)
  const drafts = tables.flatMap((table) => readTable(dialect, table, world, report))
  const exclusive = dialect.exclusive?.(files)
  const firstFile = exclusive ?? files[0]
  const first = firstFile && originIn(dialect.id, firstFile, '')
  const mode = exclusive ? 'whole-file' : (dialect.merge ?? 'per-name')
  const options = { mode, refusedClaims: dialect.refusedClaims ?? false, first }
  const { winners, hidden } = combine(drafts, options, report)
  dialect.settle?.({ drafts: winners, hidden, files, world, report })
  if (dialect.shadowedAs !== false && !exclusive) {
    for (const pair of hidden) reportShadowed(pair, dialect.shadowedAs ?? 'info', report)
  }
  const servers = winners.flatMap((draft) => (draft.refused ? [] : (toServer(draft, report) ?? [])))
  return {
    servers,
    shadowed: toShadowed(hidden),
    diagnostics: report.diagnostics,
    ...(dialect.endsSearch?.(files) && { exclusive: true }),
  }
}

function defaultTables(dialect: Dialect, files: readonly OpenFile[], report: Report): readonly Table[] {
  return files
    .filter(({ role }) => (dialect.roles ?? ['servers']).includes(role))
    .flatMap((file) => {
      const root = usableRoot(file, dialect.reads, report)
      return root ? tablesOf(file, root, dialect, report) : []
    })
}

function readTable(dialect: Dialect, table: Table, world: World, report: Report): readonly Draft[] {
  const { file, path } = table
  const rules = rulesOf(dialect, file, world)
  return Object.entries(table.value).flatMap(([key, value]) => {
    if (path.length === 0 && key === '$schema') return []
    const { name, ...place } = table.entryAt?.(key) ?? { name: key, path: [...path, key] }
    const at = { name, path: place.path, value, file }
    if (isObject(value)) return [readEntry(dialect.id, rules, { ...at, value }, report)]
    report.add('wrong-type', 'error', `"${name}" must be an object.`, {
      file,
      pointer: toPointer(at.path),
      server: name,
    })
    return []
  })
}

function writingOf(
  dialect: Dialect,
  writes: Exclude<Dialect['writes'], 'never' | undefined>,
  file: OpenFile,
  world: World,
): Writing {
  const own = typeof writes === 'function' ? writes(file) : writes
  const unheard = new Report()
  const tables = dialect.tables?.([file], world, unheard) ?? defaultTables(dialect, [file], unheard)
  const bare = tables.some(({ path, entryAt }) => path.length === 0 && !entryAt)
  const present = dialect.roots.find((path) => isObject(valueAt(file.doc.value, path)))
  const root = own.root?.(file, world) ?? present ?? (bare ? [] : (dialect.roots[0] ?? []))
  const entries = tables.flatMap(({ value, path, entryAt }) =>
    keysIn(value, path).map((entry) => entryAt?.(entry.name) ?? entry),
  )
  // Of a file that its owner cannot read, the entries are still where they are.
  const unread = valueAt(file.doc.value, root)
  const all = entries.length > 0 || !isObject(unread) ? entries : keysIn(unread, root)
  return { rules: rulesOf(dialect, file, world), own, root, entries: all }
}

function keysIn(value: JsonObject, path: Path): Writing['entries'] {
  return Object.keys(value).map((key) => ({ name: key, path: [...path, key] }))
}

function rulesOf({ rules }: Dialect, file: OpenFile, world: World): EntryRules {
  return typeof rules === 'function' ? rules(file, world) : rules
}

/** Hidden entries are kept as far as they can be shown; what is wrong with them was already said. */
function toShadowed(hidden: Combined['hidden']): readonly Shadowed[] {
  const unheard = new Report()
  return hidden.flatMap(({ draft, by }) => {
    const server = draft.refused ? undefined : toServer(draft, unheard)
    return server ? [{ server, by }] : []
  })
}
