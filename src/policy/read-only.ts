import type { Annotations } from '../model/tool.ts'
import { toGlobs } from './globs.ts'
import type { Matchable } from './globs.ts'

/** C12: `reject-declared` refuses what says that it writes, `require-declared` what does not say that it only reads. */
export type ReadOnlyPolicy = 'off' | 'reject-declared' | 'require-declared'

export interface ReadOnlyGuard {
  readonly policy: ReadOnlyPolicy
  /** Names of the servers whose word counts when a tool must be declared read-only; nobody's by default (T22). */
  readonly believes?: readonly string[]
  /** Globs of tools that a person lets through, whatever is said about them. */
  readonly except?: readonly string[]
}

/** A tool as policy sees it. Without a server it is the embedder's own. */
export interface Subject extends Matchable {
  readonly server?: string
  /** The server's own name for it. */
  readonly tool?: string
  readonly annotations?: Annotations
}

export interface ReadyGuard {
  /** Why a tool is refused, if it is. */
  refusal(tool: Subject): string | undefined
  /** Whether what a tool says of itself counts at all. */
  judges(tool: Subject): boolean
}

export function toGuard({ policy, believes = [], except = [] }: ReadOnlyGuard): ReadyGuard {
  const believed = new Set(believes)
  const excepted = toGlobs(except)
  return {
    refusal(tool) {
      if (policy === 'off') return undefined
      const refusal =
        declaredRefusal(tool) ?? (policy === 'require-declared' ? doubt(tool, believed) : undefined)
      return refusal !== undefined && excepted.admits(tool) ? undefined : refusal
    },
    judges: (tool) => policy !== 'off' && !excepted.admits(tool),
  }
}

/** Several at once: none lets through what another one refuses. */
export function joinGuards(guards: readonly ReadyGuard[]): ReadyGuard | undefined {
  if (guards.length < 2) return guards[0]
  return {
    refusal(tool) {
      for (const guard of guards) {
        const refusal = guard.refusal(tool)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    judges: (tool) => guards.some((guard) => guard.judges(tool)),
  }
}

/** P4, P5, B18: only an outspoken `false` counts, under either name; nothing at all passes. */
function declaredRefusal({ annotations = {} }: Subject): string | undefined {
  if (annotations.readOnlyHint === false) return 'It is declared to write (readOnlyHint is false).'
  if (annotations.readOnly === false) return 'It is declared to write (readOnly is false).'
  return undefined
}

/**
 * T22: that a tool only reads is its server's claim. It counts where the server is believed and nothing speaks against
 * it. The embedder's own tools are the embedder's word: they pass unless they say that they write.
 */
function doubt({ server, annotations = {}, tool, name }: Subject, believed: ReadonlySet<string>) {
  if (server === undefined) return undefined
  if (annotations.readOnlyHint !== true) return 'It is not declared read-only.'
  if (!believed.has(server)) return `What the server "${server}" says of its tools is not believed.`
  if (annotations.destructiveHint === true) return 'It is declared read-only and destructive at once.'
  const verb = writingVerb(tool ?? name)
  return verb === undefined ? undefined : `It is declared read-only, but its name says "${verb}".`
}

const reading = new Set(
  'get list read search find show describe fetch query view count check lookup resolve browse inspect'.split(
    ' ',
  ),
)
const writing = new Set(
  (
    'add append apply approve archive assign cancel clear close commit copy create delete deploy destroy disable ' +
    'drop edit enable erase exec execute grant import insert install invite kill merge modify move overwrite patch ' +
    'pay post publish purge push put reject remove rename replace reset restart restore revoke rm run save send set ' +
    'start stop submit terminate transfer truncate uninstall update upload upsert wipe write'
  ).split(' '),
)

/** A word that says that something is changed, unless the name begins with one that says it is looked at. */
function writingVerb(name: string): string | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  return reading.has(words[0] ?? '') ? undefined : words.find((word) => writing.has(word))
}
