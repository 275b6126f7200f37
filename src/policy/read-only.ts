import type { Annotations } from '../model/tool.ts'
import { compileGlobs } from './globs.ts'
import type { Matchable } from './globs.ts'

/** `reject-declared` refuses tools that declare to write, `require-declared` all that do not declare to be read-only (C12). */
export type ReadOnlyPolicy = 'off' | 'reject-declared' | 'require-declared'

export interface ReadOnlyGuard {
  readonly policy: ReadOnlyPolicy
  /** Names of the servers whose read-only declarations count under `require-declared`; none by default (T22). */
  readonly believes?: readonly string[]
  /** Globs of tools that pass whatever they declare. */
  readonly except?: readonly string[]
}

/** A tool as policy sees it; without a server it is a native tool. */
export interface Subject extends Matchable {
  readonly server?: string
  /** The server's name for it. */
  readonly tool?: string
  readonly annotations?: Annotations
}

export interface CompiledGuard {
  /** The reason for refusing a tool; undefined if it passes. */
  refusal(tool: Subject): string | undefined
  /** Whether the decision on a tool depends on what it declares. */
  appliesTo(tool: Subject): boolean
}

export function compileGuard({ policy, believes = [], except = [] }: ReadOnlyGuard): CompiledGuard {
  const believed = new Set(believes)
  const excepted = compileGlobs(except)
  return {
    refusal(tool) {
      if (policy === 'off') return undefined
      const refusal =
        declaredRefusal(tool) ??
        (policy === 'require-declared'
          ? undeclaredRefusal(tool, (server) => believed.has(server))
          : undefined)
      return refusal !== undefined && excepted.admits(tool) ? undefined : refusal
    },
    appliesTo: (tool) => policy !== 'off' && !excepted.admits(tool),
  }
}

/** Combines guards: a tool passes only if all of them let it pass. */
export function joinGuards(guards: readonly CompiledGuard[]): CompiledGuard | undefined {
  if (guards.length < 2) return guards[0]
  return {
    refusal(tool) {
      for (const guard of guards) {
        const refusal = guard.refusal(tool)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    appliesTo: (tool) => guards.some((guard) => guard.appliesTo(tool)),
  }
}

/** Why a tool is not taken for read-only (T22); undefined if it is. `isBelieved`: the declarations of this server count. */
export function explainWrites(tool: Subject, isBelieved: (server: string) => boolean): string | undefined {
  return declaredRefusal(tool) ?? undeclaredRefusal(tool, isBelieved)
}

/** Only an explicit `false` counts, under either name; a tool without annotations passes (P4, P5, B18). */
function declaredRefusal({ annotations = {} }: Subject): string | undefined {
  if (annotations.readOnlyHint === false) return 'It declares that it writes (readOnlyHint is false).'
  if (annotations.readOnly === false) return 'It declares that it writes (readOnly is false).'
  return undefined
}

/**
 * A read-only declaration is a claim of the server. It counts only if the server is believed (`believes`) and neither
 * `destructiveHint` nor the tool's name contradicts it (T22). Native tools come from the embedder: they pass unless they
 * declare that they write.
 */
function undeclaredRefusal(
  { server, annotations = {}, tool, name }: Subject,
  isBelieved: (server: string) => boolean,
): string | undefined {
  if (server === undefined) return undefined
  if (annotations.readOnlyHint !== true) return 'It does not declare that it is read-only.'
  if (!isBelieved(server)) return `Declarations of the server "${server}" are not believed.`
  if (annotations.destructiveHint === true) return 'It declares that it is both read-only and destructive.'
  const verb = writingVerb(tool ?? name)
  return verb === undefined ? undefined : `It declares that it is read-only, but its name contains "${verb}".`
}

const readingVerbs = new Set(
  'get list read search find show describe fetch query view count check lookup resolve browse inspect'.split(
    ' ',
  ),
)
const writingVerbs = new Set(
  (
    'add append apply approve archive assign cancel clear close commit copy create delete deploy destroy disable ' +
    'drop edit enable erase exec execute grant import insert install invite kill merge modify move overwrite patch ' +
    'pay post publish purge push put reject remove rename replace reset restart restore revoke rm run save send set ' +
    'start stop submit terminate transfer truncate uninstall update upload upsert wipe write'
  ).split(' '),
)

/** The first verb of writing in a name; none if the name starts with a verb of reading. */
function writingVerb(name: string): string | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  return readingVerbs.has(words[0] ?? '') ? undefined : words.find((word) => writingVerbs.has(word))
}
