import { sha256Hex } from '../model/canonical.ts'
import type { NamingRules } from '../model/preset.ts'
import { cleanName, serverPart } from '../model/server-part.ts'

export interface ToolId {
  readonly server: string
  readonly tool: string
}

/** A tool's claim to a name. It gets the first of its candidate names that no other claim holds. */
export interface NameClaim extends ToolId {
  /** The name by the naming scheme, of any length. */
  readonly plain: string
  /** The scheme joined the two names without changing a character. */
  readonly isExact: boolean
  name: string
}

interface Scheme {
  readonly fold: (text: string) => string
  readonly prefix: (server: string) => string
  /** A prefix of the tool's own name that is dropped because it repeats the server. */
  readonly redundant?: (server: string) => string
}

/** The longest name that providers accept. */
const maxLength = 64
/** `_h` and eight digits. */
const tailLength = 10

const otherCharacters = { 'a-z0-9_': /[^a-z0-9_]/g, 'a-z_': /[^a-z_]/g } as const

function schemeOf({ prefix, separator, letters }: NamingRules): Scheme {
  if (letters === 'A-Za-z0-9_-') {
    const part = separator === '__' ? serverPart : cleanName
    return { fold: cleanName, prefix: (server) => prefix + part(server) + separator }
  }
  const other = otherCharacters[letters]
  const fold = (text: string) => text.toLowerCase().replace(other, '_').replace(/_+/g, '_')
  return {
    fold,
    prefix: (server) => fold(prefix + server + separator),
    redundant: (server) => fold(server + separator),
  }
}

/** The prefix of the names of a server's tools, except for names that are cut or consist of a hash. */
export function prefixOf(naming: NamingRules, server: string): string {
  return schemeOf(naming).prefix(server)
}

/** How the names of a server's tools begin: with its prefix, or with a part of it if they are cut. Not those of a hash. */
export function nameStartsOf(naming: NamingRules, server: string): readonly string[] {
  const prefix = prefixOf(naming, server)
  const most = maxLength - tailLength
  return prefix.length <= most ? [prefix] : [prefix, `${prefix.slice(0, most)}_h`]
}

/** Whether a tool of this server may have this name. Only for deciding whom to wait for: tools are found by the table. */
export function mayOwnName(naming: NamingRules, server: string, name: string): boolean {
  return isHashName(name) || nameStartsOf(naming, server).some((start) => name.startsWith(start))
}

/** Creates the claims of one server's tools. */
export function createClaims(naming: NamingRules, server: string): (tool: string) => NameClaim {
  const { fold, prefix, redundant } = schemeOf(naming)
  const start = prefix(server)
  const repeated = redundant?.(server)
  const isServerExact = fold(server) === server
  return (tool) => {
    const folded = fold(tool)
    const rest = repeated && folded.startsWith(repeated) ? folded.slice(repeated.length) : folded
    // Schemes that join with a single `_` have no double one.
    const plain = start + (repeated && rest.startsWith('_') ? rest.slice(1) : rest)
    return { server, tool, plain, isExact: isServerExact && folded === tool, name: '' }
  }
}

/**
 * The candidate names of a claim by stage: the plain name, the name with a hash, and a hash alone. Names of different
 * stages never coincide, so a tool's name depends only on the other claims to the same name.
 */
export function candidateName(claim: NameClaim, stage: number): string {
  if (stage === 0) return claim.plain
  const own = sha256Hex(`${claim.server}\0${claim.tool}\0${stage}`)
  if (stage > 1) return `t_${own.slice(0, 62)}`
  const tail = `_h${own.slice(0, tailLength - 2)}`
  return claim.plain.slice(0, maxLength - tail.length) + tail
}

/** Whether the plain name is too long, or looks like a name with a hash. */
export function needsMark({ plain }: NameClaim): boolean {
  if (plain.length > maxLength) return true
  return hasHashTail(plain) || isHashName(plain)
}

function hasHashTail(name: string): boolean {
  // The first condition spares almost all names the regular expression.
  return name.at(-9) === 'h' && /_h[0-9a-f]{8}$/.test(name)
}

/** Whether the name is a hash, which a tool of any server may have. */
export function isHashName(name: string): boolean {
  return name.length === maxLength && /^t_[0-9a-f]{62}$/.test(name)
}

/** Two tools that would have had the same name. */
export interface Clash {
  readonly name: string
  /** The tool that has the name; `native` is a tool of the embedder. */
  readonly kept: ToolId | 'native'
  /** The tool that gets another name, or none under the rule `last-wins`. */
  readonly renamed: ToolId
}

/**
 * Assigns names to claims, independent of the order in which they are added (C11). Of the claims to one name, an exact
 * name wins over a changed one, then the first by server and tool; the others get a name with a hash. A native tool
 * always keeps its name.
 */
export class NameTable<C extends NameClaim> {
  readonly #native: ReadonlySet<string>
  readonly #rule: NamingRules['clash']
  /** The claims to each name, its holder first. */
  readonly #claims = new Map<string, C[]>()
  /** The earlier names of claims that were renamed. */
  readonly #renamed = new Map<C, string>()

  constructor(native: ReadonlySet<string> = new Set(), rule: NamingRules['clash'] = 'suffix') {
    this.#native = native
    this.#rule = rule
  }

  add(claim: C): void {
    this.#addClaim(claim, firstStage(claim))
  }

  remove(claim: C): void {
    this.#removeClaim(claim, firstStage(claim))
    this.#renamed.delete(claim)
  }

  holder(name: string): C | undefined {
    return this.#native.has(name) ? undefined : this.#claims.get(name)?.[0]
  }

  /** Returns the claims that were renamed since the last call. */
  takeRenamed(): readonly C[] {
    const moved = [...this.#renamed].filter(([claim, name]) => claim.name !== name)
    this.#renamed.clear()
    return moved.map(([claim]) => claim)
  }

  /** All clashes with both tools, sorted by name. */
  clashes(): readonly Clash[] {
    const clashes: Clash[] = []
    for (const [name, claims] of this.#claims) {
      const holder = this.holder(name)
      const kept = holder ? toToolId(holder) : 'native'
      for (const claim of claims) if (claim !== holder) clashes.push({ name, kept, renamed: toToolId(claim) })
    }
    return clashes.sort((a, b) => compare(a.name, b.name))
  }

  #addClaim(claim: C, stage: number): void {
    const name = candidateName(claim, stage)
    const claims = this.#claims.get(name)
    if (!claims) {
      // Nearly every name has one claim.
      this.#claims.set(name, [claim])
      return this.#native.has(name) ? this.#passOver(claim, stage) : this.#setName(claim, name)
    }
    const before = this.holder(name)
    claims.splice(this.#positionOf(claims, claim), 0, claim)
    if (this.holder(name) !== claim) return this.#passOver(claim, stage)
    this.#setName(claim, name)
    if (before) this.#passOver(before, stage)
  }

  #passOver(claim: C, stage: number): void {
    if (this.#isReplaced(claim, stage)) this.#setName(claim, '')
    else this.#addClaim(claim, stage + 1)
  }

  #isReplaced(claim: C, stage: number): boolean {
    return this.#rule === 'last-wins' && !this.#native.has(candidateName(claim, stage))
  }

  #removeClaim(claim: C, stage: number): void {
    const name = candidateName(claim, stage)
    const claims = this.#claims.get(name)
    if (!claims) return
    const wasHolder = this.holder(name) === claim
    claims.splice(this.#positionOf(claims, claim), 1)
    if (claims.length === 0) this.#claims.delete(name)
    if (!wasHolder) return this.#isReplaced(claim, stage) ? undefined : this.#removeClaim(claim, stage + 1)
    const next = this.holder(name)
    if (!next) return
    if (!this.#isReplaced(next, stage)) this.#removeClaim(next, stage + 1)
    else if (!this.#renamed.has(next)) this.#renamed.set(next, next.name)
    this.#setName(next, name)
  }

  /** The position of a claim in a sorted list, by binary search. */
  #positionOf(claims: readonly NameClaim[], claim: NameClaim): number {
    const isBefore = this.#rule === 'last-wins' ? isAfter : hasPriority
    let [from, to] = [0, claims.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const other = claims[middle]
      if (other && isBefore(other, claim)) from = middle + 1
      else to = middle
    }
    return from
  }

  #setName(claim: C, name: string): void {
    if (claim.name !== '' && !this.#renamed.has(claim)) this.#renamed.set(claim, claim.name)
    claim.name = name
  }
}

function firstStage(claim: NameClaim): number {
  return needsMark(claim) ? 1 : 0
}

function toToolId({ server, tool }: ToolId): ToolId {
  return { server, tool }
}

function hasPriority(a: NameClaim, b: NameClaim): boolean {
  return a.isExact === b.isExact ? isAfter(b, a) : a.isExact
}

function isAfter(a: NameClaim, b: NameClaim): boolean {
  return (compare(a.server, b.server) || compare(a.tool, b.tool)) > 0
}

/** Compares by UTF-16 code units, independent of the locale. */
export function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
