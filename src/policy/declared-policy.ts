import { acceptWords } from '../model/definition/accept-word.ts'
import type { Place } from '../model/diagnostic.ts'
import { removeHidden } from '../model/hidden.ts'
import { isList, isObject, isStringArray } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { ToolSettings } from '../model/tool-settings.ts'
import type { Layer } from './layers.ts'
import { readPredicate } from './predicates.ts'
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
 * Reads the policy keys of a settings file. Each key becomes a layer of its own, so that a decision can name its line.
 * An invalid list or rule denies everything and is reported: if it were skipped, it would allow what it should deny.
 */
export function readDeclaredPolicy(settings: ToolSettings): DeclaredPolicy {
  const complaints: Complaint[] = []
  const { kind, value } = settings
  const complain = (pointer: string, message: string) =>
    complaints.push({ message: `"${pointer.slice(1)}" ${message}`, origin: settings.placeOf(pointer) })
  const toLayer = (key: string, content: Partial<Layer>): Layer => ({
    kind,
    ...content,
    origin: settings.placeOf(`/${key}`),
  })
  const listLayers = (key: 'tools' | 'servers'): readonly Layer[] => {
    const globs = value[key]
    if (globs === undefined) return []
    if (!isStringArray(globs))
      complain(`/${key}`, 'must be a list of patterns; it admits nothing until it is fixed.')
    return [toLayer(key, { [key]: isStringArray(globs) ? globs : [] })]
  }
  const guardLayers = (guard: Json | undefined): readonly Layer[] => {
    if (guard === undefined) return []
    const readOnly = readGuard(guard)
    if (!readOnly)
      complain(
        '/readOnly',
        'must be off, reject-declared or require-declared; require-declared applies until it is fixed.',
      )
    return [toLayer('readOnly', { readOnly: readOnly ?? { policy: 'require-declared' } })]
  }
  const toRule = (declared: Json, pointer: string): Rule => {
    const rule = readRule(declared)
    const place = { layer: kind, origin: settings.placeOf(pointer) }
    if (typeof rule !== 'string') {
      const { reason } = rule
      return { ...rule, ...place, ...(reason !== undefined && { reason: quoteReason(reason, kind) }) }
    }
    complain(pointer, `${rule}; no tool runs until it is fixed.`)
    return { effect: 'deny', tools: ['*'], reason: `A rule is invalid: it ${rule}.`, ...place }
  }
  const { rules = [], accept } = value
  if (accept !== undefined && !acceptWords.some((each) => each === accept))
    complain('/accept', `must be one of ${acceptWords.join(', ')}; strict applies until it is fixed.`)
  return {
    layers: [...listLayers('tools'), ...listLayers('servers'), ...guardLayers(value['readOnly'])],
    rules: isList(rules)
      ? rules.map((each, index) => toRule(each, `/rules/${index}`))
      : [toRule(rules, '/rules')],
    complaints,
  }
}

const maxReason = 300

/** A project's reason reaches people and models, and may be hostile (T17): it is shortened to one line and quoted. */
function quoteReason(reason: string, kind: ToolSettings['kind']): string {
  const line = reason.replace(/\s+/g, ' ').trim()
  const short = line.length > maxReason ? `${line.slice(0, maxReason - 1).trimEnd()}…` : line
  return kind === 'user' ? short : `The project says: ${JSON.stringify(short)}`
}

const policies = ['off', 'reject-declared', 'require-declared'] as const

export function readGuard(value: Json): ReadOnlyGuard | undefined {
  const { policy: word, believes, except, ...unknown } = isObject(value) ? value : { policy: value }
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

/** Returns the rule, or a text that says what is wrong with it. */
export function readRule(value: Json): Rule | string {
  if (!isObject(value)) return 'must be an object with "effect" and "tools"'
  const { tools, reason, when = [] } = value
  const [unknown] = Object.keys(value).filter((key) => !ruleKeys.has(key))
  if (unknown !== undefined)
    return `has an unknown key ${JSON.stringify(unknown)} (known: ${[...ruleKeys].join(', ')})`
  const effect = effects.find((each) => each === value['effect'])
  if (effect === undefined) return `must have an "effect": ${effects.join(', ')}`
  if (!isStringArray(tools) || tools.every((pattern) => pattern.startsWith('!')))
    return 'must have "tools" with at least one pattern that does not start with "!"'
  if (reason !== undefined && typeof reason !== 'string') return 'has a "reason" that is not a string'
  const predicates = isList(when) ? when.map(readPredicate) : [undefined]
  if (!predicates.every((each) => each !== undefined))
    return 'has a "when" that is not a list of { "at": "/place", "matches": … } or { "at": "/place", "equals": … }'
  return {
    effect,
    tools,
    ...(predicates.length > 0 && { when: predicates }),
    ...(reason !== undefined && { reason: removeHidden(reason).text }),
  }
}
