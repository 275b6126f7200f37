import type { Severity } from '../../model/diagnostic.ts'
import { isObject, toPointer, valueAt } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Origin, Server, ShadowedServer } from '../../model/server.ts'
import { combine, reportShadowed } from './combine.ts'
import type { CombinedDrafts, MergeMode } from './combine.ts'
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
import type { WriteRules, WriteTarget } from './write-rules.ts'

/** The input of a rule across entries or files; it may change the drafts. */
export interface SettleContext {
  readonly drafts: readonly Draft[]
  readonly hidden: CombinedDrafts['hidden']
  readonly files: readonly OpenFile[]
  readonly world: World
  readonly report: Report
}

/** How a client declares servers, as data; `createSource` makes a reader of it. */
export interface Dialect extends RootRules {
  readonly id: SourceId
  readonly title: string
  readonly reads: Strictness
  readonly rules: EntryRules | ((file: OpenFile, world: World) => EntryRules)
  readonly values: ValueRules | ((server: Server, world: World) => ValueRules)
  readonly merge?: MergeMode
  /** Roles of the files that hold servers under the root keys; `servers` by default. */
  readonly roles?: readonly string[]
  /** Finds a file whose existence disables all others. */
  readonly exclusive?: (files: readonly OpenFile[]) => OpenFile | undefined
  /** D-16: whether one of these files excludes everything below it, other sources included. */
  readonly endsSearch?: (files: readonly OpenFile[]) => boolean
  /** O1: an invalid entry still claims its name, because the client resolves names before it validates. */
  readonly refusedClaims?: boolean
  /** An entry claims its name also while it waits for trust, because its owner documents that order. */
  readonly untrustedClaims?: true
  /** Severity of the diagnostic for hidden entries; `false` if a rule of the client's own reports them. */
  readonly shadowedAs?: Severity | false
  /** Finds servers that are not under the root keys. Highest rank first. */
  readonly tables?: (files: readonly OpenFile[], world: World, report: Report) => readonly Table[]
  /** Applies lists, policies and notes that concern several entries or files. */
  readonly settle?: (context: SettleContext) => void
  /** What its person switches off in the client itself, so that its files do not say it. */
  readonly switchesElsewhere?: Source['switchesElsewhere']
  /** Rules for writing that do not follow from `rules`; `never` for files whose entries are not edited. */
  readonly writes?: WriteRules | ((file: OpenFile) => WriteRules) | 'never'
}

export function createSource(dialect: Dialect): Source {
  const { writes = {} } = dialect
  return {
    id: dialect.id,
    title: dialect.title,
    read: (files, world, leaveOut) => read(dialect, files, world, leaveOut),
    ...(dialect.untrustedClaims && { untrustedClaims: true }),
    ...(dialect.switchesElsewhere && { switchesElsewhere: dialect.switchesElsewhere }),
    valuesOf: (server, world) =>
      typeof dialect.values === 'function' ? dialect.values(server, world) : dialect.values,
    ...(writes !== 'never' && { writing: (file, world) => writeTargetOf(dialect, writes, file, world) }),
  }
}

function read(
  dialect: Dialect,
  files: readonly OpenFile[],
  world: World,
  leaveOut?: (origin: Origin) => boolean,
): SourceReading {
  const report = new Report(dialect.title)
  const tables = dialect.tables?.(files, world, report) ?? defaultTables(dialect, files, report)
  const all = tables.flatMap((table) => readTable(dialect, table, world, report))
  const drafts = leaveOut ? all.filter(({ origin }) => !leaveOut(origin)) : all
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

function writeTargetOf(
  dialect: Dialect,
  writes: Exclude<Dialect['writes'], 'never' | undefined>,
  file: OpenFile,
  world: World,
): WriteTarget {
  const own = typeof writes === 'function' ? writes(file) : writes
  const discarded = new Report()
  const tables = dialect.tables?.([file], world, discarded) ?? defaultTables(dialect, [file], discarded)
  const bare = tables.some(({ path, entryAt }) => path.length === 0 && !entryAt)
  const present = dialect.roots.find((path) => isObject(valueAt(file.doc.value, path)))
  const root = own.root?.(file, world) ?? present ?? (bare ? [] : (dialect.roots[0] ?? []))
  const entries = tables.flatMap(({ value, path, entryAt }) =>
    keysIn(value, path).map((entry) => entryAt?.(entry.name) ?? entry),
  )
  // If the client could not read the file, its entries are still found under the root key.
  const rootValue = valueAt(file.doc.value, root)
  const all = entries.length > 0 || !isObject(rootValue) ? entries : keysIn(rootValue, root)
  return { rules: rulesOf(dialect, file, world), own, root, entries: all }
}

function keysIn(value: JsonObject, path: Path): WriteTarget['entries'] {
  return Object.keys(value).map((key) => ({ name: key, path: [...path, key] }))
}

function rulesOf({ rules }: Dialect, file: OpenFile, world: World): EntryRules {
  return typeof rules === 'function' ? rules(file, world) : rules
}

/** Converts hidden entries for display. Their problems were reported when they were read. */
function toShadowed(hidden: CombinedDrafts['hidden']): readonly ShadowedServer[] {
  const discarded = new Report()
  return hidden.flatMap(({ draft, by }) => {
    const server = draft.refused ? undefined : toServer(draft, discarded)
    return server ? [{ server, by }] : []
  })
}
