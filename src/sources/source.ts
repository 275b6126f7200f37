import type { Diagnostic, DiagnosticCode, Place, Severity } from '../model/diagnostic.ts'
import type { Authority, Origin, Server, ShadowedServer } from '../model/server.ts'
import type { Env, Os } from '../platform/platform.ts'
import type { Doc, Format } from './formats/doc.ts'
import type { SourceId } from './places.ts'
import type { ValueRules } from './entries/template.ts'
import type { WriteTarget } from './entries/write-rules.ts'

/** The facts about the machine and the working directory that a source may use to locate its files. */
export interface World {
  readonly os: Os
  readonly home: string
  readonly cwd: string
  /** Without what leads into the project: folders of `PATH`, `SHELL` and the like. */
  readonly env: Env
  readonly systemRoot: string
  /** The directories from the working directory up to the repository's root, nearest first; never the home directory. */
  readonly dirs: readonly string[]
  /** The file of `--config`. */
  readonly config?: string | undefined
  /** C5: treat a url without a type as an incomplete stdio entry, as the omp document warns. */
  readonly strictType?: boolean
}

/** A possible path of a source's file. `*` matches one path segment. */
export interface FilePlace {
  readonly path: string
  readonly scope: string
  readonly authority: Authority
  /** The part the file plays for its source; `servers` unless it only holds lists or settings. */
  readonly role: string
  readonly format: Format
  /** The directory whose project this file belongs to. Relative paths in a project's entry are bound to it (T52). */
  readonly root: string
  /** The key whose strings name further files of this source, relative to the folder so many levels above its own. */
  readonly names?: { readonly key: string; readonly levels: number }
  /** Set if a variable names the file or moves it. */
  readonly moved?: Relocation
}

/**
 * How a variable relocated a file. T01: if the real path is inside the project, the file gets the project's authority,
 * because a variable may be set by the project.
 */
export interface Relocation {
  /** Its usual path, if it has one. A file there keeps the user's authority, also if the project contains that path. */
  readonly from?: string
  /** The working directory and the home directory, which decide what the project is (T55). */
  readonly around: Pick<World, 'cwd' | 'home'>
}

/** A file that exists, with the result of parsing it; the result may hold errors. */
export interface OpenFile extends FilePlace {
  /** Takes the place of `root` for relative paths if the file is a link to another folder. */
  readonly folder?: string
  readonly doc: Doc
}

/** A reader of one client's files: parsed files in, servers and diagnostics out, without side effects. */
export interface Source {
  readonly id: SourceId
  readonly title: string
  /** Takes the files highest rank first, as `places.ts` lists them. Entries can be left out as if they were not there. */
  read(files: readonly OpenFile[], world: World, leaveOut?: (origin: Origin) => boolean): SourceReading
  /** An entry claims its name also while it waits for trust, because its owner documents that order. */
  readonly untrustedClaims?: true
  /** The placeholder syntax of the file this server came from. */
  valuesOf(server: Server, world: World): ValueRules
  /** The server without the variables, headers and arguments that unanswered inputs would complete. */
  readonly leaveOut?: (server: Server, isLeftOut: (id: string) => boolean) => Server
  /** What its person switches off in the client itself, so that its files do not say it. */
  readonly switchesElsewhere?: 'servers and tools' | 'tools'
  /** How entries are written into one of its files; absent for sources that are only read. */
  readonly writing?: (file: OpenFile, world: World) => WriteTarget
}

/** What is needed of a source to resolve the values of its servers. */
export type ValueSource = Pick<Source, 'valuesOf'>

export interface SourceReading {
  readonly servers: readonly Server[]
  readonly shadowed: readonly ShadowedServer[]
  readonly diagnostics: readonly Diagnostic[]
  /** D-16: a managed file excludes everything below it, including lower sources. */
  readonly exclusive?: true
}

interface DiagnosticTarget {
  /** The file, or only its place when it does not exist. */
  readonly file: OpenFile | FilePlace
  readonly pointer?: string
  /** Used instead of `pointer` if the text could not be parsed. */
  readonly at?: { readonly line: number; readonly column: number }
  readonly server?: string
  readonly hint?: string
  readonly meant?: string
}

/** Collects diagnostics; reading goes on after each of them. */
export class Report {
  readonly diagnostics: Diagnostic[] = []
  /** The client's name, as it begins a sentence. */
  readonly owner: string

  constructor(owner = 'The owner') {
    this.owner = owner
  }

  add(code: DiagnosticCode, severity: Severity, message: string, where: DiagnosticTarget): void {
    const { file, pointer, at, server, hint, meant } = where
    this.diagnostics.push({
      code,
      severity,
      message,
      ...(hint !== undefined && { hint }),
      ...(server !== undefined && { server }),
      origin: at ? { file: file.path, line: at.line, column: at.column } : placeIn(file, pointer),
      ...(meant !== undefined && { meant }),
    })
  }
}

/** Line and column are computed on access: most diagnostics and origins are never printed. */
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
