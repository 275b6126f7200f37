import type { Diagnostic, DiagnosticCode, Place, Severity } from '../model/diagnostic.ts'
import type { Authority, Server, Shadowed } from '../model/server.ts'
import type { Env, Os } from '../platform/platform.ts'
import type { Doc, Format } from './formats/doc.ts'
import type { SourceId } from './places.ts'
import type { ValueRules } from './entries/template.ts'
import type { Writing } from './entries/write-rules.ts'

/** What a source may know of the outside when it says where its files are. */
export interface World {
  readonly os: Os
  readonly home: string
  readonly cwd: string
  readonly env: Env
  readonly systemRoot: string
  /** From the working directory up to the repository's root, nearest first; never the home directory. */
  readonly dirs: readonly string[]
  /** Folders of `PATH` that lead into the project by a link. */
  readonly linkedPath?: readonly string[]
  /** The file of `--config`. */
  readonly config?: string | undefined
  /** C5: a url without a type is taken for an incomplete stdio entry, as the omp document warns. */
  readonly strictType?: boolean
}

/** Where a file of a source may be. `*` stands for one path segment. */
export interface FilePlace {
  readonly path: string
  readonly scope: string
  readonly authority: Authority
  /** What the file is to its source; `servers` unless it only holds lists or settings. */
  readonly role: string
  readonly format: Format
  /** The directory whose project this file belongs to. */
  readonly root: string
  /** Set where a variable names the file or moves it. */
  readonly moved?: Moved
}

/** T01: whoever set the variable, a file that really lies in the project is the project's. */
export interface Moved {
  /** Its usual path, if it has one: there it is the person's, wherever they stand. */
  readonly from?: string
  /** The project's folders. */
  readonly dirs: readonly string[]
}

/** A file that exists and was parsed, however badly. */
export interface OpenFile extends FilePlace {
  readonly doc: Doc
}

/** One place where servers are declared: text in, servers and diagnostics out; nothing is touched. */
export interface Source {
  readonly id: SourceId
  readonly title: string
  /** Files highest in rank first, as `places.ts` lists them. */
  read(files: readonly OpenFile[], world: World): SourceReading
  /** How values of this server's file are written. */
  valuesOf(server: Server, world: World): ValueRules
  /** How entries are written into one of its files; absent where that is not for us to do. */
  readonly writing?: (file: OpenFile, world: World) => Writing
}

export interface SourceReading {
  readonly servers: readonly Server[]
  readonly shadowed: readonly Shadowed[]
  readonly diagnostics: readonly Diagnostic[]
  /** D-16: a managed file of it ends the search, for sources below it too. */
  readonly exclusive?: true
}

interface Where {
  /** The file, or only its place when it does not exist. */
  readonly file: OpenFile | FilePlace
  readonly pointer?: string
  /** Where nothing can be pointed at, as in a text that is not valid. */
  readonly at?: { readonly line: number; readonly column: number }
  readonly server?: string
  readonly hint?: string
}

/** Collects what is wrong without stopping. */
export class Report {
  readonly diagnostics: Diagnostic[] = []
  /** Whose files these are, as a sentence begins with it. */
  readonly owner: string

  constructor(owner = 'The owner') {
    this.owner = owner
  }

  add(code: DiagnosticCode, severity: Severity, message: string, where: Where): void {
    const { file, pointer, at, server, hint } = where
    this.diagnostics.push({
      code,
      severity,
      message,
      ...(hint !== undefined && { hint }),
      ...(server !== undefined && { server }),
      origin: at ? { file: file.path, line: at.line, column: at.column } : placeIn(file, pointer),
    })
  }
}

/** Lines are looked up when somebody reads them: most diagnostics and origins are never printed. */
export function placeIn(file: FilePlace | OpenFile, pointer: string | undefined): Place {
  if (pointer === undefined || !('doc' in file)) return { file: file.path }
  return {
    file: file.path,
    pointer,
    get line() {
      return file.doc.position(pointer).line
    },
    get column() {
      return file.doc.position(pointer).column
    },
  }
}

export function originIn(
  source: string,
  file: OpenFile,
  pointer: string,
  scope = file.scope,
): Server['origin'] {
  return {
    source,
    scope,
    authority: file.authority,
    file: file.path,
    pointer,
    get line() {
      return file.doc.position(pointer).line
    },
    get column() {
      return file.doc.position(pointer).column
    },
  }
}
