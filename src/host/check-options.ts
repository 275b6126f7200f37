import { HostError } from '../model/error.ts'
import { isObject, isStringArray } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { nearest } from '../model/near.ts'
import { namingSchemes, presetNames } from '../model/preset.ts'
import { readGuard, readRule } from '../policy/declared-policy.ts'
import type { ScopeOptions } from '../calls/view/view.ts'
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
} as const satisfies Partial<Record<keyof HostOptions, readonly string[]>>

/** Refuses invalid options about tools: JavaScript has no compiler, and an ignored option could expose tools. */
export function checkOptions(options: HostOptions): void {
  refuseUnknown(options)
  for (const [key, allowed] of Object.entries(allowedValues)) {
    const value = options[key as keyof typeof allowedValues] // the keys of the table
    if (value !== undefined && !(allowed as readonly string[]).includes(value))
      throw invalid(key, value, `must be ${allowed.join(', ')}`)
  }
  const { readOnly, policy, roots, native, servers, expand, tools } = options
  checkLists({ ...(tools && { tools }) })
  if (servers !== undefined && !isObject(servers))
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

/** An ignored option could expose tools, or be the one that mattered. */
function refuseUnknown(options: object): void {
  const known = Object.keys(hostOptionKeys)
  const unknown = Object.entries(options).find(([key, value]) => value !== undefined && !known.includes(key))
  if (!unknown) return
  const [key] = unknown
  const near = nearest(key, known)
  throw new HostError(
    'config.invalid',
    { key },
    `createHost has no option "${key}".`,
    near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {},
  )
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
export function checkLists(options: Pick<ScopeOptions, 'tools' | 'servers'>): void {
  for (const key of ['tools', 'servers'] as const) {
    const list = options[key]
    if (list !== undefined && !isStringArray(list)) throw invalid(key, list, 'must be a list of patterns')
  }
}

function invalid(key: string, value: unknown, message: string): HostError {
  const shown = isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)
  return new HostError('config.invalid', { key }, `The option "${key}" is invalid: ${shown} ${message}.`)
}
