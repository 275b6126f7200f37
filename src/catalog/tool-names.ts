import { sha256Hex } from '../model/canonical.ts'
import type { NamingRules } from '../model/preset.ts'
import { cleanName, serverPart } from '../model/server-part.ts'

export interface Named {
  readonly server: string
  readonly tool: string
}

/** A tool and the names it has a right to, the first of them that it can have being its own. */
export interface Claim extends Named {
  /** What the scheme makes of it, as long as that may be. */
  readonly plain: string
  /** The scheme changed nothing but to join the two. */
  readonly isExact: boolean
  name: string
}

interface Scheme {
  readonly fold: (text: string) => string
  readonly prefix: (server: string) => string
  /** What a tool's own name may begin with and need not repeat. */
  readonly redundant?: (server: string) => string
}

/** What providers accept. */
const maxLength = 64

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

/** What the names of a server's tools begin with, unless they are too long or have a mark alone. */
export function prefixOf(naming: NamingRules, server: string): string {
  return schemeOf(naming).prefix(server)
}

/** Makes the claims of one server's tools. */
export function createClaims(naming: NamingRules, server: string): (tool: string) => Claim {
  const { fold, prefix, redundant } = schemeOf(naming)
  const start = prefix(server)
  const repeated = redundant?.(server)
  const isServerExact = fold(server) === server
  return (tool) => {
    const folded = fold(tool)
    const rest = repeated && folded.startsWith(repeated) ? folded.slice(repeated.length) : folded
    // Where a scheme joins parts with a single `_`, it has no other.
    const plain = start + (repeated && rest.startsWith('_') ? rest.slice(1) : rest)
    return { server, tool, plain, isExact: isServerExact && folded === tool, name: '' }
  }
}

/**
 * The names a claim has a right to: the plain one, one with a mark of its own, and one that is nothing but a mark. No
 * two of these kinds can be the same text, so what a tool is called depends on nothing but who else wants that name.
 */
export function nameAt(claim: Claim, stage: number): string {
  if (stage === 0) return claim.plain
  const own = sha256Hex(`${claim.server}\0${claim.tool}\0${stage}`)
  if (stage > 1) return `t_${own.slice(0, 62)}`
  const tail = `_h${own.slice(0, 8)}`
  return claim.plain.slice(0, maxLength - tail.length) + tail
}

/** Too long to be a name, or it could be taken for one of the marked. */
export function isUnfit({ plain }: Claim): boolean {
  if (plain.length > maxLength) return true
  // Hardly any name gets as far as to the patterns.
  if (plain.at(-9) === 'h' && /_h[0-9a-f]{8}$/.test(plain)) return true
  return plain.length === maxLength && /^t_[0-9a-f]{62}$/.test(plain)
}

/** Two tools that would have had the same name. */
export interface Clash {
  readonly name: string
  /** Keeps the name; `native` is the embedder's own tool. */
  readonly kept: Named | 'native'
  /** Has another one, or none where the last has it. */
  readonly renamed: Named
}

/**
 * Who is called what. It never depends on who came first (C11): of those that want the same name, one that is called
 * exactly so has it before one that was made to fit, then the first by server and tool; the others go on to a name with
 * a mark of their own. A native tool keeps its name against all of them.
 */
export class Names<C extends Claim> {
  readonly #native: ReadonlySet<string>
  readonly #rule: NamingRules['clash']
  /** Whoever wants a name, the one who has it first. */
  readonly #wanted = new Map<string, C[]>()
  /** What they were called before. */
  readonly #moved = new Map<C, string>()

  constructor(native: ReadonlySet<string> = new Set(), rule: NamingRules['clash'] = 'suffix') {
    this.#native = native
    this.#rule = rule
  }

  add(claim: C): void {
    this.#join(claim, firstStage(claim))
  }

  remove(claim: C): void {
    this.#leave(claim, firstStage(claim))
    this.#moved.delete(claim)
  }

  holder(name: string): C | undefined {
    return this.#native.has(name) ? undefined : this.#wanted.get(name)?.[0]
  }

  /** Those that were called something else the last time somebody asked. */
  takeMoved(): readonly C[] {
    const moved = [...this.#moved].filter(([claim, name]) => claim.name !== name)
    this.#moved.clear()
    return moved.map(([claim]) => claim)
  }

  /** Every clash with both of its origins, by name. */
  clashes(): readonly Clash[] {
    const clashes: Clash[] = []
    for (const [name, claims] of this.#wanted) {
      const holder = this.holder(name)
      const kept = holder ? origin(holder) : 'native'
      for (const claim of claims) if (claim !== holder) clashes.push({ name, kept, renamed: origin(claim) })
    }
    return clashes.sort((a, b) => compare(a.name, b.name))
  }

  #join(claim: C, stage: number): void {
    const name = nameAt(claim, stage)
    const claims = this.#wanted.get(name)
    const before = claims && this.holder(name)
    if (claims) claims.splice(this.#placeOf(claims, claim), 0, claim)
    else this.#wanted.set(name, [claim])
    if (this.holder(name) !== claim) return this.#lose(claim, stage)
    this.#call(claim, name)
    if (before) this.#lose(before, stage)
  }

  #lose(claim: C, stage: number): void {
    if (this.#isReplaced(claim, stage)) this.#call(claim, '')
    else this.#join(claim, stage + 1)
  }

  #isReplaced(claim: C, stage: number): boolean {
    return this.#rule === 'last-wins' && !this.#native.has(nameAt(claim, stage))
  }

  #leave(claim: C, stage: number): void {
    const name = nameAt(claim, stage)
    const claims = this.#wanted.get(name)
    if (!claims) return
    const wasHolder = this.holder(name) === claim
    claims.splice(this.#placeOf(claims, claim), 1)
    if (claims.length === 0) this.#wanted.delete(name)
    if (!wasHolder) return this.#isReplaced(claim, stage) ? undefined : this.#leave(claim, stage + 1)
    const next = this.holder(name)
    if (!next) return
    if (!this.#isReplaced(next, stage)) this.#leave(next, stage + 1)
    else if (!this.#moved.has(next)) this.#moved.set(next, next.name)
    this.#call(next, name)
  }

  /** Where a claim stands or belongs among others that are in order. */
  #placeOf(claims: readonly Claim[], claim: Claim): number {
    const isBefore = this.#rule === 'last-wins' ? isAfter : isFirst
    let [from, to] = [0, claims.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const other = claims[middle]
      if (other && isBefore(other, claim)) from = middle + 1
      else to = middle
    }
    return from
  }

  #call(claim: C, name: string): void {
    if (claim.name !== '' && !this.#moved.has(claim)) this.#moved.set(claim, claim.name)
    claim.name = name
  }
}

function firstStage(claim: Claim): number {
  return isUnfit(claim) ? 1 : 0
}

function origin({ server, tool }: Named): Named {
  return { server, tool }
}

function isFirst(a: Claim, b: Claim): boolean {
  return a.isExact === b.isExact ? isAfter(b, a) : a.isExact
}

function isAfter(a: Claim, b: Claim): boolean {
  return (compare(a.server, b.server) || compare(a.tool, b.tool)) > 0
}

/** By code units: the same on every machine. */
export function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
