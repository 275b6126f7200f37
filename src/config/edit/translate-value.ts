import type { Answers } from '../../model/answers.ts'
import type { Server, Value } from '../../model/server.ts'
import { parseTemplate } from '../../sources/entries/template.ts'
import type { Part, Syntax, ValueField, ValueRules } from '../../sources/entries/template.ts'
import type { FilePlace, Source, World } from '../../sources/source.ts'
import { partsOf } from '../values/value-sites.ts'
import type { ValueSite } from '../values/value-sites.ts'

/** From one owner's way of writing values to another's. */
export interface Translation {
  readonly from: ValueRules
  readonly to: ValueRules
  readonly answers?: Answers
  /** Whether a variable has a value, where a bare word may be the name of one. */
  readonly isSet?: (name: string) => boolean
}

export interface TranslatedValue {
  /** The name of a variable where the whole value is one, and the other owner cannot refer to it in a text. */
  readonly value: Value
  /** Why it does not mean the same there. */
  readonly reason?: string
}

/** One value in the other owner's words. Nothing is looked up for it. */
export function translateValue(site: ValueSite, translation: Translation): TranslatedValue {
  const { from, to, answers = {} } = translation
  const parts = partsFrom(site, translation)
  const whole = parts.length === 1
  const written = parts.map(
    (part) => answerTo(part, from, answers) ?? writePart(part, { field: site.field, whole, to }),
  )
  const [only] = parts
  if (!written.includes(undefined)) {
    const value = written.join('')
    const taken = parts.flatMap((part) => (part.kind === 'text' ? placeholdersIn(part.text, site, to) : []))
    return taken.length === 0
      ? { value }
      : { value, reason: `There ${taken.join(', ')} would be taken for a placeholder.` }
  }
  if (whole && only?.kind === 'env' && only.fallback === undefined && takesNames(site.field)) {
    return { value: { env: only.name } }
  }
  const { value } = site
  return {
    value,
    reason: `The target cannot resolve ${typeof value === 'string' ? value : `\${${value.env}}`}; it is written literally.`,
  }
}

/** `Bearer ${TOKEN}`: the name of the variable, in any owner's way of writing it. */
export function bearerVariable(site: ValueSite, translation: Translation): string | undefined {
  const [scheme, variable, ...more] = partsFrom(site, translation)
  const isBearer = scheme?.kind === 'text' && /^bearer +$/i.test(scheme.text) && more.length === 0
  return isBearer && variable?.kind === 'env' && variable.fallback === undefined ? variable.name : undefined
}

/** A list where the whole value is an input with several answers: it becomes several arguments. */
export function answersTo(text: string, { from, answers = {} }: Translation): readonly string[] | undefined {
  const [part, ...more] = parseTemplate(text, from)
  if (part?.kind !== 'input' || more.length > 0 || !Object.hasOwn(answers, part.id)) return undefined
  const answer = answers[part.id]
  return typeof answer === 'string' ? undefined : answer?.map((item) => expandNames(item, from))
}

function partsFrom(site: ValueSite, { from, isSet = () => false }: Translation): readonly Part[] {
  const { value } = site
  if (typeof value === 'string' && !expands(from, site.field)) return [{ kind: 'text', text: value }]
  return partsOf(site, from).map((part) => wholeChoice(part) ?? decidedWord(part, isSet) ?? part)
}

/** A variable or else a text: parsing chose one of them for this machine, and both are meant. */
function wholeChoice({ text }: Part): Part | undefined {
  const [, name, fallback] = /^\$\{\s*env:(\w+)\s*\|\s*value:([^|}]*)\}$/.exec(text) ?? []
  return name === undefined || fallback === undefined ? undefined : { kind: 'env', name, fallback, text }
}

/** A bare word that may be the name of a variable. */
function decidedWord(part: Part, isSet: (name: string) => boolean): Part | undefined {
  if (part.kind !== 'env' || part.fallback !== part.name || part.text !== part.name) return undefined
  const { name, text } = part
  return isSet(name) ? { kind: 'env', name, text } : { kind: 'text', text }
}

function expands({ fields }: ValueRules, field: ValueField): boolean {
  return fields === undefined || fields.includes(field)
}

function takesNames(field: ValueField): boolean {
  return field === 'env' || field === 'headers'
}

/** What the other owner would expand in a text that is to stand as it is. */
function placeholdersIn(text: string, { field, key }: ValueSite, to: ValueRules): readonly string[] {
  if (!expands(to, field)) return []
  const syntaxes = to.syntaxes.filter((syntax) => syntax !== 'env-name')
  const parts = partsOf({ field, key, value: text }, { ...to, syntaxes })
  return parts.flatMap((part) => (part.kind === 'text' ? [] : [part.text]))
}

/** Inputs a person answered, and names that only the declaration's own place knows. */
function answerTo(part: Part, from: ValueRules, answers: Answers): string | undefined {
  if (part.kind === 'name') return from.names?.[part.name]
  if (part.kind !== 'input' || !Object.hasOwn(answers, part.id)) return undefined
  const answer = answers[part.id]
  const text = typeof answer === 'string' ? answer : answer?.join(',')
  return text === undefined ? undefined : expandNames(text, from)
}

/** A default may be below a folder that only the declaration has a name for. */
function expandNames(answer: string, { syntaxes, names }: ValueRules): string {
  if (!syntaxes.includes('plugin') || !names) return answer
  const parts = parseTemplate(answer, { syntaxes: ['plugin'], unset: 'keep', names })
  return parts.map((part) => (part.kind === 'name' ? names[part.name] : undefined) ?? part.text).join('')
}

interface Place {
  readonly field: ValueField
  /** Whether the part is all of the value. */
  readonly whole: boolean
  readonly to: ValueRules
}

function writePart(part: Part, { field, whole, to }: Place): string | undefined {
  if (part.kind === 'text') return part.text
  if (part.kind === 'literal') return part.value
  if (!expands(to, field)) return undefined
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
      return writes('bang') && whole && takesNames(field) && isPlain(part.command)
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

/** A relative path is relative to a file that this is no longer in. */
function isAbsolute(path: string): boolean {
  return /^([\\/]|~[\\/]|[A-Za-z]:[\\/])/.test(path)
}

/** A command that a shell and a list of words both run in the same way. */
function isPlain(command: string): boolean {
  return /^[\w@%+=:,./ -]+$/.test(command)
}

function writeFile(path: string, { syntaxes }: ValueRules): string | undefined {
  if (syntaxes.includes('opencode')) return `{file:${path}}`
  return syntaxes.includes('file-colon') ? `\${file:${path}}` : undefined
}

function writeVariable({ name, fallback }: Part & { kind: 'env' }, to: ValueRules): string | undefined {
  const writes = (syntax: Syntax) => to.syntaxes.includes(syntax)
  if (writes('braces')) return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`
  if (fallback !== undefined)
    return writes('alternatives') ? `\${env:${name} | value:${fallback}}` : undefined
  if (writes('env-colon') || writes('alternatives')) return `\${env:${name}}`
  if (writes('opencode')) return `{env:${name}}`
  if (writes('dollar-env')) return `$env:${name}`
  return writes('bare') ? `$${name}` : undefined
}

/** How values are written in a file, before there is a server in it. */
export function valuesIn(source: Source, { path, scope, authority }: FilePlace, world: World): ValueRules {
  const someServer: Server = {
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
  return source.valuesOf(someServer, world)
}
