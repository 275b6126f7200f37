import type { Answers } from '../../model/answers.ts'
import type { Server, Value } from '../../model/server.ts'
import { parseTemplate } from '../../sources/entries/template.ts'
import type { Part, Syntax, ValueField, ValueRules } from '../../sources/entries/template.ts'
import type { FilePlace, Source, World } from '../../sources/source.ts'
import { partsOf } from '../values/value-sites.ts'
import type { ValueSite } from '../values/value-sites.ts'
import { expandsField, isReadAs, parseAlternative, takenTexts } from './target-reading.ts'
import type { Piece } from './target-reading.ts'

/** The value syntax of two owners, to translate from one to the other. */
export interface Translation {
  readonly from: ValueRules
  readonly to: ValueRules
  readonly answers?: Answers
  /** The inputs whose answer is a text of the source, such as a default: what it contains must stay text. */
  readonly literalInputs?: ReadonlySet<string>
  /** Whether a variable is set: decides if a bare word is the name of a variable. */
  readonly isSet?: (name: string) => boolean
}

export interface TranslatedValue {
  /** `{ env }` if the whole value is a variable and the target has no placeholder syntax for it. */
  readonly value: Value
  /** Why the value has another meaning in the target. */
  readonly reason?: string
  /** The value must not be written: it may be empty, or the target would resolve a text that is plain in the source. */
  readonly isLeftOut?: true
}

/** Where a value is written, if that is another place than where it was read. */
export interface WrittenPlace {
  readonly field: ValueField
  /** The text that is written before it. */
  readonly prefix: string
}

/** Translates one value into the target's syntax, without resolving it. A text stays the same text, or is left out. */
export function translateValue(
  site: ValueSite,
  translation: Translation,
  { field, prefix }: WrittenPlace = { field: site.field, prefix: '' },
): TranslatedValue {
  const { to } = translation
  const reader = { field, to, isSet: translation.isSet ?? (() => false) }
  const parts = partsFrom(site, translation)
  const whole = parts.length === 1 && prefix === ''
  const write = (part: Part): Piece | undefined => {
    const known = knownPiece(part, translation)
    if (known) return known
    const text = writePart(part, { field, whole, to })
    if (part.kind === 'text' || part.kind === 'literal' || text === undefined)
      return text === undefined ? undefined : { text, isLive: false }
    return isReadAs(part, text, reader) ? { text, isLive: true } : undefined
  }
  const written = parts.map(write)
  const before = prefix === '' ? [] : [{ text: prefix, isLive: false }]
  const [only] = parts
  const pieces = written.filter((piece) => piece !== undefined)
  if (pieces.length === parts.length) {
    const value = pieces.map(({ text }) => text).join('')
    return leaveOutTaken(value, takenTexts([...before, ...pieces], reader)) ?? { value }
  }
  const isVariable = parts.length === 1 && only?.kind === 'env'
  if (isVariable && only.fallback === undefined && acceptsVariableName(field)) {
    return { value: { env: only.name } }
  }
  const { value } = site
  if (isVariable && only.fallback === '' && acceptsVariableName(field)) {
    return {
      value: only.text,
      reason: `The target cannot resolve ${only.text}; it is left out.`,
      isLeftOut: true,
    }
  }
  const literal = parts.map((part) => ({
    text: part.text,
    isLive: part.kind !== 'text' && isReadAs(part, part.text, reader),
  }))
  return (
    leaveOutTaken(value, takenTexts([...before, ...literal], reader)) ?? {
      value,
      reason: `The target cannot resolve ${typeof value === 'string' ? value : `\${${value.env}}`}; it is written literally.`,
    }
  )
}

function leaveOutTaken(value: Value, [first]: readonly string[]): TranslatedValue | undefined {
  if (first === undefined) return undefined
  const verb = first.startsWith('!') || first.includes('$(') ? 'run' : 'resolve'
  return {
    value,
    reason: `It is plain text, and the target would ${verb} ${first}; it is left out.`,
    isLeftOut: true,
  }
}

/** The variable in `Bearer ${TOKEN}`, in any owner's syntax. */
export function bearerVariable(site: ValueSite, translation: Translation): string | undefined {
  const [scheme, variable, ...more] = partsFrom(site, translation)
  const isBearer = scheme?.kind === 'text' && /^bearer +$/i.test(scheme.text) && more.length === 0
  return isBearer && variable?.kind === 'env' && variable.fallback === undefined ? variable.name : undefined
}

/** The answers to an input that is the whole value and has several: each becomes an argument of its own. */
export function listAnswers(text: string, translation: Translation): readonly TranslatedValue[] | undefined {
  const { from, to, answers = {}, isSet = () => false } = translation
  const [part, ...more] = parseTemplate(text, from)
  if (part?.kind !== 'input' || more.length > 0 || !Object.hasOwn(answers, part.id)) return undefined
  const answer = answers[part.id]
  if (typeof answer === 'string') return undefined
  return answer?.map((item) => {
    const piece = { text: expandNames(item, from), isLive: !translation.literalInputs?.has(part.id) }
    const taken = takenTexts([piece], { field: 'args', to, isSet })
    return leaveOutTaken(piece.text, taken) ?? { value: piece.text }
  })
}

function partsFrom(site: ValueSite, { from, isSet = () => false }: Translation): readonly Part[] {
  const { value } = site
  if (typeof value === 'string' && !expandsField(from, site.field)) return [{ kind: 'text', text: value }]
  return partsOf(site, from).map(
    (part) => parseAlternative(part, from) ?? resolveBareWord(part, isSet) ?? part,
  )
}

/** Decides whether a bare word is the name of a variable (it is set) or a text. */
function resolveBareWord(part: Part, isSet: (name: string) => boolean): Part | undefined {
  if (part.kind !== 'env' || part.fallback !== part.name || part.text !== part.name) return undefined
  const { name, text } = part
  return isSet(name) ? { kind: 'env', name, text } : { kind: 'text', text }
}

/** Whether the values of a field may be `{ env }`. */
function acceptsVariableName(field: ValueField): boolean {
  return field === 'env' || field === 'headers'
}

/** The text of an answered input, or of a name that only the source of the declaration defines. */
function knownPiece(part: Part, { from, answers = {}, literalInputs }: Translation): Piece | undefined {
  if (part.kind === 'name') {
    const text = from.names?.[part.name]
    return text === undefined ? undefined : { text, isLive: false }
  }
  if (part.kind !== 'input' || !Object.hasOwn(answers, part.id)) return undefined
  const answer = answers[part.id]
  const text = typeof answer === 'string' ? answer : answer?.join(',')
  return text === undefined
    ? undefined
    : { text: expandNames(text, from), isLive: !literalInputs?.has(part.id) }
}

/** Expands names such as the plugin's folder in an answer: defaults may use them, and the target does not know them. */
function expandNames(answer: string, { syntaxes, names }: ValueRules): string {
  if (!syntaxes.includes('plugin') || !names) return answer
  const parts = parseTemplate(answer, { syntaxes: ['plugin'], unset: 'keep', names })
  return parts.map((part) => (part.kind === 'name' ? names[part.name] : undefined) ?? part.text).join('')
}

interface PartTarget {
  readonly field: ValueField
  /** Whether the part is the whole value. */
  readonly whole: boolean
  readonly to: ValueRules
}

function writePart(part: Part, { field, whole, to }: PartTarget): string | undefined {
  if (part.kind === 'text') return part.text
  if (part.kind === 'literal') return part.value
  if (!expandsField(to, field)) return undefined
  const writes = (syntax: Syntax) => to.syntaxes.includes(syntax)
  switch (part.kind) {
    case 'env':
      return writeVariable(part, to)
    case 'input':
      return writes('input') ? `\${input:${part.id}}` : undefined
    case 'file':
      return isAbsolute(part.path) ? writeFile(part.path, to) : undefined
    case 'command':
      if (writes('shell')) return `$(${part.command})`
      return writes('bang') && whole && acceptsVariableName(field) && needsNoShell(part.command)
        ? `!${part.command}`
        : undefined
    case 'keychain':
      return writes('keychain') ? part.text : undefined
    case 'name':
      return writes('editor') ? part.text : undefined
    case 'secret':
    case 'scheme':
      return undefined
    default:
      return part satisfies never
  }
}

/** A relative path cannot be copied: it is relative to the folder of the original file. */
function isAbsolute(path: string): boolean {
  return /^([\\/]|~[\\/]|[A-Za-z]:[\\/])/.test(path)
}

/** Whether a command runs the same with and without a shell. */
function needsNoShell(command: string): boolean {
  return /^[\w@%+=:,./ -]+$/.test(command)
}

function writeFile(path: string, { syntaxes }: ValueRules): string | undefined {
  if (syntaxes.includes('opencode')) return `{file:${path}}`
  return syntaxes.includes('file-colon') ? `\${file:${path}}` : undefined
}

function writeVariable(part: Part & { kind: 'env' }, to: ValueRules): string | undefined {
  const writes = (syntax: Syntax) => to.syntaxes.includes(syntax)
  const { name } = part
  // Where an unset variable is empty anyway, an empty default needs no syntax.
  const isEmpty = part.fallback === '' && to.unset === 'empty' && !writes('braces')
  const fallback = isEmpty ? undefined : part.fallback
  if (writes('braces')) return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`
  if (fallback !== undefined)
    return writes('alternatives') ? `\${env:${name} | value:${fallback}}` : undefined
  if (writes('env-colon') || writes('alternatives')) return `\${env:${name}}`
  if (writes('opencode')) return `{env:${name}}`
  if (writes('dollar-env')) return `$env:${name}`
  return writes('bare') ? `$${name}` : undefined
}

/** The value rules of a file that may have no server yet. */
export function valueRulesIn(
  source: Source,
  { path, scope, authority }: FilePlace,
  world: World,
): ValueRules {
  const placeholder: Server = {
    id: '',
    name: '',
    entryHash: '',
    transport: { kind: 'stdio', command: '', args: [], env: {}, framing: 'auto', inheritEnv: false },
    protocol: 'auto',
    origin: { source: source.id, scope, authority, file: path, pointer: '', line: 1, column: 1 },
    enabled: true,
    timeouts: {},
    tools: { allow: null, deny: [] },
    declared: [],
    extra: {},
  }
  return source.valuesOf(placeholder, world)
}
