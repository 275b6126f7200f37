import { chmod } from 'node:fs/promises'
import { isObject } from '../../model/json.ts'
import { toBound } from './bound-value.ts'

/** What a query needs of an open SQLite file: the interface of Kysely's own dialect. */
export interface SqliteFile {
  close(): void
  prepare(sql: string): SqliteStatement
}

type Values = readonly unknown[]

interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean
  all(values: Values): unknown[]
  run(values: Values): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  iterate(values: Values): IterableIterator<unknown>
}

export type SqliteDriver = 'node:sqlite' | 'libsql'

/** How long a statement waits for another process. It blocks this one meanwhile, so the caller waits longer by itself. */
const busyMs = 50

/** The driver of Node or, where it has none, `libsql` if that is installed. */
export async function findSqlite(
  wanted?: SqliteDriver,
): Promise<{ readonly driver: SqliteDriver; open(file: string): SqliteFile } | undefined> {
  const Builtin = wanted === 'libsql' ? undefined : loadBuiltin()
  if (Builtin)
    return {
      driver: 'node:sqlite',
      open: (file) => new OpenFile(() => fromBuiltin(new Builtin(file, { timeout: busyMs }))),
    }
  const Libsql = wanted === 'node:sqlite' ? undefined : await loadLibsql()
  return (
    Libsql && {
      driver: 'libsql',
      open: (file) => new OpenFile(() => new Libsql(file, { timeout: busyMs })),
    }
  )
}

/** Takes a file from everyone but its owner. */
export async function shutOthersOut(file: string): Promise<void> {
  await chmod(file, 0o600)
}

interface RawDatabase extends SqliteFile {
  exec(sql: string): void
}

/**
 * A file that is opened again after a failure, once the transaction has ended: `libsql` keeps a statement that failed
 * until it is collected, and meanwhile every later commit fails.
 */
class OpenFile implements SqliteFile {
  readonly #open: () => RawDatabase
  #database: RawDatabase
  #isInTransaction = false
  #hasFailed = false

  constructor(open: () => RawDatabase) {
    this.#open = open
    this.#database = this.#opened()
  }

  /** Moves what is in the write-ahead log into the file first, which `libsql` does not do at the end. */
  close(): void {
    try {
      this.#database.exec('pragma wal_checkpoint(truncate)')
    } catch {
      // The log stays beside the file and is read again.
    }
    this.#database.close()
  }

  prepare(sql: string): SqliteStatement {
    const verb = /^\s*(begin|commit|rollback)\b/i.exec(sql)?.[1]?.toLowerCase()
    const statement = this.#watch(() => this.#database.prepare(sql))
    return {
      reader: statement.reader,
      all: (values) => this.#watch(() => statement.all(values.map(toBound))),
      run: (values) => {
        // A full disk ends the transaction by itself. A rollback would then fail, and hide the first error.
        if (verb === 'rollback' && this.#hasFailed) return this.#rollBack(() => statement.run([]))
        return this.#watch(() => statement.run(values.map(toBound)), verb)
      },
      iterate: (values) => statement.iterate(values.map(toBound)),
    }
  }

  #opened(): RawDatabase {
    const database = this.#open()
    database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
    // What is deleted is overwritten with zeros.
    database.exec('pragma secure_delete = on')
    return database
  }

  #watch<T>(work: () => T, verb?: string): T {
    try {
      const result = work()
      if (verb) this.#isInTransaction = verb === 'begin'
      return result
    } catch (error) {
      this.#hasFailed = true
      if (!this.#isInTransaction) this.#reopen()
      throw error
    }
  }

  #rollBack(work: () => unknown): ReturnType<SqliteStatement['run']> {
    try {
      work()
    } catch {
      // There is no transaction any more.
    }
    this.#isInTransaction = false
    this.#reopen()
    return { changes: 0, lastInsertRowid: 0 }
  }

  #reopen(): void {
    this.#database.close()
    this.#database = this.#opened()
    this.#hasFailed = false
  }
}

interface BuiltinDatabase {
  exec(sql: string): void
  close(): void
  prepare(sql: string): {
    all(...values: Values): unknown[]
    run(...values: Values): ReturnType<SqliteStatement['run']>
    iterate(...values: Values): IterableIterator<unknown>
  }
}

type BuiltinConstructor = new (file: string, options: { readonly timeout: number }) => BuiltinDatabase

/** Node 22 announces that its SQLite is experimental; only that one warning is left out. */
function loadBuiltin(): BuiltinConstructor | undefined {
  const original: unknown = Reflect.get(process, 'emitWarning')
  const emit = process.emitWarning.bind(process)
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('SQLite is an experimental feature')) emit(warning, ...rest)
  }
  try {
    const found: unknown = process.getBuiltinModule('node:sqlite')
    // Typed by hand: the types of Node 20 do not have it.
    return isObject(found) ? (found['DatabaseSync'] as unknown as BuiltinConstructor) : undefined
  } finally {
    Reflect.set(process, 'emitWarning', original)
  }
}

function fromBuiltin(database: BuiltinDatabase): RawDatabase {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        reader: returnsRows(sql),
        all: (values) => statement.all(...values),
        run: (values) => statement.run(...values),
        iterate: (values) => statement.iterate(...values),
      }
    },
  }
}

/** By its words: the columns of a statement are known only from Node 22.16 on. */
function returnsRows(sql: string): boolean {
  return /^\s*(?:select|with|pragma|explain)\b/i.test(sql) || /\breturning\b/i.test(sql)
}

type LibsqlConstructor = new (file: string, options: { readonly timeout: number }) => RawDatabase

async function loadLibsql(): Promise<LibsqlConstructor | undefined> {
  try {
    const { default: constructor } = (await import('libsql')) as unknown as { default: LibsqlConstructor }
    return constructor
  } catch (error) {
    // A package without a binary for this system fails in the same way.
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}
