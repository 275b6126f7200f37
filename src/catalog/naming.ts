import { digest } from '../model/canonical.ts'
import type { NamingRules } from '../model/preset.ts'
import { clean, serverPart } from '../model/server-part.ts'

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
    const part = separator === '__' ? serverPart : clean
    return { fold: clean, prefix: (server) => prefix + part(server) + separator }
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
  const own = digest(`${claim.server}\0${claim.tool}\0${stage}`)
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
