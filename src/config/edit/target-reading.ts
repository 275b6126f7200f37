import type { Part, ValueField, ValueRules } from '../../sources/entries/template.ts'
import { partsOf } from '../values/value-sites.ts'

/** A piece of a value to be written: a text that must stay text, or one that may be a placeholder in the target. */
export interface Piece {
  readonly text: string
  readonly isLive: boolean
}

interface Reader {
  readonly field: ValueField
  readonly to: ValueRules
  readonly isSet: (name: string) => boolean
}

/**
 * What the target would resolve in a text that is plain where it comes from. The whole value is read, because a
 * placeholder may begin in one piece and end in another.
 */
export function takenTexts(pieces: readonly Piece[], reader: Reader): readonly string[] {
  const value = pieces.map(({ text }) => text).join('')
  const live = spansOf(pieces).filter(({ isLive }) => isLive)
  const taken = spansOf(readParts(value, reader)).filter(
    (part) => part.isLive && !live.some(({ start, end }) => start <= part.start && part.end <= end),
  )
  const inShell = reader.to.syntaxes.includes('shell') && expandsField(reader.to, reader.field)
  const words = inShell ? pieces.filter(({ isLive, text }) => !isLive && shellSigns.test(text)) : []
  return [...new Set([...taken, ...words].map(({ text }) => text))]
}

/** A shell does more with these than the placeholders that we know: backticks, `$1`, `$((…))`, quotes. */
const shellSigns = /[$`\\"']/

/** Whether the target reads a text as this part and nothing else. */
export function isReadAs(part: Part, text: string, reader: Reader): boolean {
  const [found, ...more] = partsIn(text, reader)
  if (!found || more.length > 0) return false
  const read = parseAlternative(found, reader.to) ?? found
  if (part.kind === 'env' && read.kind === 'env') {
    const [wanted, fallback] = [part.fallback ?? '', read.fallback ?? '']
    const isExpandedAgain = reader.to.syntaxes.includes('shell') && shellSigns.test(wanted)
    return read.name === part.name && fallback === wanted && !isExpandedAgain
  }
  if (part.kind === 'command') return read.kind === 'command' && read.command === part.command
  return JSON.stringify({ ...read, text }) === JSON.stringify({ ...part, text })
}

/** `${env:X | value:d}` as a variable with a default. The parser keeps only the alternative that applies to this machine. */
export function parseAlternative({ kind, text }: Part, { syntaxes }: ValueRules): Part | undefined {
  if (kind === 'text' || !syntaxes.includes('alternatives')) return undefined
  const [, name, fallback] = /^\$\{\s*env:(\w+)\s*\|\s*value:([^|}]*)\}$/.exec(text) ?? []
  return name === undefined || fallback === undefined ? undefined : { kind: 'env', name, fallback, text }
}

function readParts(value: string, reader: Reader): readonly Piece[] {
  return partsIn(value, reader).map((part) => {
    const isWord = part.kind === 'env' && part.text === part.name
    return { text: part.text, isLive: isWord ? reader.isSet(part.name) : part.kind !== 'text' }
  })
}

function partsIn(value: string, { field, to }: Reader): readonly Part[] {
  return expandsField(to, field) ? partsOf({ field, key: field, value }, to) : [{ kind: 'text', text: value }]
}

export function expandsField({ fields }: ValueRules, field: ValueField): boolean {
  return fields === undefined || fields.includes(field)
}

function spansOf(
  pieces: readonly Piece[],
): readonly (Piece & { readonly start: number; readonly end: number })[] {
  let end = 0
  return pieces.map((piece) => {
    const start = end
    end += piece.text.length
    return { ...piece, start, end }
  })
}
