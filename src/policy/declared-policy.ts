import type { Place } from '../model/diagnostic.ts'
import { removeHidden } from '../model/hidden.ts'
import { isList, isObject, isStringArray } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { ToolSettings } from '../model/tool-settings.ts'
import type { Layer } from './layers.ts'
import type { Predicate } from './predicates.ts'
import type { ReadOnlyGuard } from './read-only.ts'
import { effects } from './call-rules.ts'
import type { Rule } from './call-rules.ts'

export interface DeclaredPolicy {
  readonly layers: readonly Layer[]
  readonly rules: readonly Rule[]
  readonly complaints: readonly Complaint[]
}

export interface Complaint {
  readonly message: string
  readonly origin: Place
}

/**
 * What such settings come to. One key is one layer, so that whoever asks why is told the line. What cannot be read
 * admits nothing, and is said: a list or a rule that is passed over would let through what it was written against.
 */
export function readDeclared(text: ToolSettings): DeclaredPolicy {
  const complaints: Complaint[] = []
  const { kind, value } = text
  const refuse = (pointer: string, message: string) =>
    complaints.push({ message: `"${pointer.slice(1)}" ${message}`, origin: text.placeOf(pointer) })
  const layer = (key: string, says: Partial<Layer>): Layer => ({
    kind,
    ...says,
    origin: text.placeOf(`/${key}`),
  })
  const list = (key: 'tools' | 'servers'): readonly Layer[] => {
    const globs = value[key]
    if (globs === undefined) return []
    if (!isStringArray(globs)) refuse(`/${key}`, 'must be a list of patterns; as it is, it admits nothing.')
    return [layer(key, { [key]: isStringArray(globs) ? globs : [] })]
  }
  const guard = (said: Json | undefined): readonly Layer[] => {
    if (said === undefined) return []
    const readOnly = readGuard(said)
    if (!readOnly)
      refuse('/readOnly', 'must be off, reject-declared or require-declared; the last one counts.')
    return [layer('readOnly', { readOnly: readOnly ?? { policy: 'require-declared' } })]
  }
  const rule = (said: Json, pointer: string): Rule => {
    const read = readRule(said)
    const whose = { layer: kind, origin: text.placeOf(pointer) }
    if (typeof read !== 'string') {
      const { reason } = read
      return { ...read, ...whose, ...(reason !== undefined && { reason: inWords(reason, kind) }) }
    }
    refuse(pointer, `${read}; until it is mended, no tool runs.`)
    return { effect: 'deny', tools: ['*'], reason: `A rule cannot be read: it ${read}.`, ...whose }
  }
  const { rules = [] } = value
  return {
    layers: [...list('tools'), ...list('servers'), ...guard(value['readOnly'])],
    rules: isList(rules)
      ? rules.map((each, index) => rule(each, `/rules/${index}`))
      : [rule(rules, '/rules')],
    complaints,
  }
}

const maxReason = 300

/** A project's word reaches people and models, and nobody has trusted it: in one line, and as whose it is. */
function inWords(reason: string, kind: ToolSettings['kind']): string {
  const line = reason.replace(/\s+/g, ' ').trim()
  const short = line.length > maxReason ? `${line.slice(0, maxReason - 1).trimEnd()}…` : line
  return kind === 'user' ? short : `The project says: ${JSON.stringify(short)}`
}

const policies = ['off', 'reject-declared', 'require-declared'] as const

export function readGuard(said: Json): ReadOnlyGuard | undefined {
  const { policy: word, believes, except, ...unknown } = isObject(said) ? said : { policy: said }
  if (Object.keys(unknown).length > 0) return undefined
  const policy = policies.find((each) => each === word)
  const areLists = [believes, except].every((each) => each === undefined || isStringArray(each))
  if (policy === undefined || !areLists) return undefined
  return {
    policy,
    ...(isStringArray(believes) && { believes }),
    ...(isStringArray(except) && { except }),
  }
}

const ruleKeys: ReadonlySet<string> = new Set(['effect', 'tools', 'when', 'reason'])

/** The rule, or what is wrong with it. */
export function readRule(said: Json): Rule | string {
  if (!isObject(said)) return 'must be an object with "effect" and "tools"'
  const { tools, reason, when = [] } = said
  const [unknown] = Object.keys(said).filter((key) => !ruleKeys.has(key))
  if (unknown !== undefined) return `has no key ${JSON.stringify(unknown)}: ${[...ruleKeys].join(', ')}`
  const effect = effects.find((each) => each === said['effect'])
  if (effect === undefined) return `must have an "effect": ${effects.join(', ')}`
  if (!isStringArray(tools) || tools.every((pattern) => pattern.startsWith('!')))
    return 'must have "tools": patterns of which one admits'
  if (reason !== undefined && typeof reason !== 'string') return 'has a "reason" that is no text'
  if (!isList(when) || !when.every(isPredicate))
    return 'has a "when" that is no list of { "at": "/place", "matches": … } or { "at": "/place", "equals": … }'
  return {
    effect,
    tools,
    ...(when.length > 0 && { when }),
    ...(reason !== undefined && { reason: removeHidden(reason).text }),
  }
}

function isPredicate(said: Json): said is Json & Predicate {
  if (!isObject(said)) return false
  const { at, not, matches, equals } = said
  const isPlace = typeof at === 'string' && (at === '' || at.startsWith('/'))
  const isOne = (matches === undefined) !== (equals === undefined)
  const isText = matches === undefined || typeof matches === 'string'
  return isPlace && isOne && isText && (not === undefined || typeof not === 'boolean')
}
