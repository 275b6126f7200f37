import { HostError } from '../model/error.ts'
import { isObject, isStringArray } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { nearest } from '../model/near.ts'
import { namingSchemes, presetNames } from '../model/preset.ts'
import { toolLabels, trifectaModes } from '../model/tool-label.ts'
import { readGuard, readRule } from '../policy/declared-policy.ts'
import type { ScopeOptions } from '../calls/view/view.ts'
import { defaultLimits } from './host-context.ts'
import { hostOptionKeys } from './host-option-keys.ts'
import type { HostOptions } from './host-options.ts'

/** The allowed values of options that are enumerations. */
const allowedValues = {
  naming: Object.keys(namingSchemes),
  render: presetNames,
  descriptions: ['as-sent', 'bracketed'],
  properties: ['as-sent', 'always'],
  resources: ['tools'],
  offers: ['tools'],
  asks: ['writes'],
  trifecta: trifectaModes,
  accept: ['tofu', 'strict', 'off', 'person'],
  lifecycle: ['lazy', 'background', 'eager', 'on-demand'],
} as const satisfies Partial<Record<keyof HostOptions, readonly string[]>>

/** Refuses invalid options about tools: JavaScript has no compiler, and an ignored option could expose tools. */
export function checkOptions(options: HostOptions): void {
  refuseUnknown(options)
  for (const [key, allowed] of Object.entries(allowedValues)) {
    const value = options[key as keyof typeof allowedValues] // the keys of the table
    if (value !== undefined && !(allowed as readonly string[]).includes(value))
      throw invalid(key, value, `must be ${allowed.join(', ')}`)
  }
  checkTypes(options)
  const { readOnly, policy, roots, native, servers, expand, tools } = options
  checkLists({ ...(tools && { tools }) })
  if (servers !== undefined && (!isObject(servers) || Symbol.iterator in servers))
    throw invalid('servers', servers, 'must be an object of entries by name')
  if (expand !== undefined && typeof expand !== 'boolean')
    throw invalid('expand', expand, 'must be true or false')
  if (roots !== undefined && roots !== 'cwd' && typeof roots !== 'function')
    throw invalid('roots', roots, 'must be cwd or a function')
  if (native !== undefined && !Array.isArray(native))
    throw invalid('native', native, 'must be a list of tools')
  if (readOnly !== undefined && !readGuard(readOnly as Json))
    // looked at right here
    throw invalid(
      'readOnly',
      readOnly,
      'must be off, reject-declared or require-declared, alone or as "policy"',
    )
  if (policy === undefined) return
  if (!Array.isArray(policy)) throw invalid('policy', policy, 'must be a list of rules')
  for (const given of policy) {
    const { layer: _, dialect: __, origin: ___, ...rule } = { ...given }
    const read = readRule(rule as Json) // looked at right here
    if (typeof read === 'string') throw invalid('policy', given, read)
  }
}

function checkTypes({ trust, startupMs, limits, parallel, labels, on, signal, audit }: HostOptions): void {
  if (trust !== undefined && !['ask', 'project'].includes(trust as string) && typeof trust !== 'function')
    throw invalid('trust', trust, 'must be ask, project or a function')
  if (startupMs !== undefined && !isCount(startupMs))
    throw invalid('startupMs', startupMs, 'must be a number of milliseconds')
  if (on !== undefined && typeof on !== 'function') throw invalid('on', on, 'must be a function')
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalid('signal', signal, 'must be an AbortSignal')
  if (audit !== undefined && !isObject(audit)) throw invalid('audit', audit, 'must be an object')
  const isLimit = (value: unknown) => isCount(value) || isObject(value)
  checkRecord('limits', limits, isLimit, 'must be a number')
  checkRecord('limits.maxInFlight', limits?.maxInFlight, isCount, 'must be a number')
  const known = Object.keys(defaultLimits)
  const unknown = Object.keys(limits ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined) throw unknownKey(`limits.${unknown}`, nearest(unknown, known))
  const isParallel = (value: unknown) => ['never', 'readOnlyHint', 'always'].includes(value as string)
  const isLabels = (value: unknown) =>
    Array.isArray(value) && value.every((label) => toolLabels.some((known) => known === label))
  checkRecord('labels', labels, isLabels, `must be a list of ${toolLabels.join(', ')}`)
  checkRecord('parallel', parallel, isParallel, 'must be never, readOnlyHint or always')
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}

function checkRecord(
  key: string,
  value: unknown,
  isValid: (value: unknown) => boolean,
  message: string,
): void {
  if (value === undefined) return
  if (!isObject(value)) throw invalid(key, value, 'must be an object')
  const wrong = Object.entries(value).find(([, each]) => each !== undefined && !isValid(each))
  if (wrong) throw invalid(`${key}.${wrong[0]}`, wrong[1], message)
}

/** An ignored option could expose tools, or be the one that mattered. */
function refuseUnknown(options: object): void {
  const known = Object.keys(hostOptionKeys)
  const unknown = Object.entries(options).find(([key, value]) => value !== undefined && !known.includes(key))
  if (!unknown) return
  const [key] = unknown
  throw unknownKey(key, nearest(key, known))
}

function unknownKey(key: string, near: readonly string[]): HostError {
  const hint = near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {}
  return new HostError('config.invalid', { key }, `createHost has no option "${key}".`, hint)
}

/** Refuses a channel for a server that is not declared: it would never be used. */
export function checkChannels(channels: object, names: readonly string[]): void {
  const name = Object.keys(channels).find((each) => !names.includes(each))
  if (name === undefined) return
  const near = nearest(name, names)
  const key = `channels.${name}`
  throw new HostError(
    'config.invalid',
    { server: name, key },
    `The option "${key}" is invalid: no server "${name}" is declared.`,
    {
      hint:
        near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : `Declare it with its channel: servers: { ${JSON.stringify(name)}: { channel } }`,
    },
  )
}

/** Checks the lists of a host or a scope. */
function checkLists(options: Pick<ScopeOptions, 'tools' | 'servers'>): void {
  for (const key of ['tools', 'servers'] as const) {
    const list = options[key]
    if (list !== undefined && !isStringArray(list)) throw invalid(key, list, 'must be a list of patterns')
  }
}

/** Throws `config.invalid` for options of a scope that cannot be used: one that was ignored would leave it wider than wanted. */
export function checkScope(options: ScopeOptions): void {
  checkLists(options)
  const { asks } = options
  if (asks !== undefined && asks !== 'writes') throw invalid('asks', asks, 'must be writes')
}

function invalid(key: string, value: unknown, message: string): HostError {
  const shown = isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
  return new HostError('config.invalid', { key }, `The option "${key}" is invalid: ${shown} ${message}.`)
}
