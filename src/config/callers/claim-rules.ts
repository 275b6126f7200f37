import { matchGlob } from '../../model/glob.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Caller } from './caller-access.ts'

/** What callers with certain claims may use. */
export interface ClaimRule {
  /** By claim, patterns of which one has to match one of its values; all claims have to match. */
  readonly claims: Readonly<Record<string, string | readonly string[]>>
  /** `all` is everything, without a view. */
  readonly views: 'all' | readonly string[]
}

const maxName = 200

/**
 * The views that claims open: those of all rules that match together. `undefined` if no rule matches, which opens nothing.
 */
export function viewsOfClaims(
  rules: readonly ClaimRule[],
  claims: JsonObject,
): ClaimRule['views'] | undefined {
  const matching = rules.filter((rule) => matches(rule, claims)).map(({ views }) => views)
  if (matching.length === 0) return undefined
  if (matching.includes('all')) return 'all'
  return [...new Set(matching.flat())]
}

/** The caller with these claims of a verified token; `undefined` if no rule matches. */
export function callerOfClaims(
  {
    issuer,
    name,
    rules,
  }: { readonly issuer: string; readonly name?: string; readonly rules: readonly ClaimRule[] },
  claims: JsonObject,
): Caller | undefined {
  const views = viewsOfClaims(rules, claims)
  if (views === undefined) return undefined
  const { exp } = claims
  return {
    id: `token:${JSON.stringify([issuer, subjectOf(claims)])}`,
    name: nameOfClaims(name, claims),
    kind: 'token',
    ...(views !== 'all' && { views }),
    ...(typeof exp === 'number' && { until: exp * 1000 }),
  }
}

/** The claim that the issuer's `name` names, or the subject where there is none. */
export function nameOfClaims(name: string | undefined, claims: JsonObject): string {
  const shown = name === undefined ? undefined : claims[name]
  return (typeof shown === 'string' && shown !== '' ? shown : subjectOf(claims)).slice(0, maxName)
}

function subjectOf({ sub }: JsonObject): string {
  return typeof sub === 'string' ? sub : ''
}

function matches({ claims: wanted }: ClaimRule, claims: JsonObject): boolean {
  return Object.entries(wanted).every(([name, patterns]) => {
    const values = valuesOf(name, claims)
    const list = typeof patterns === 'string' ? [patterns] : patterns
    return values.some((value) => list.some((pattern) => matchGlob(pattern, value)))
  })
}

/** A name is that of a claim, or the way to it: `realm_access.roles`. */
function valuesOf(name: string, claims: JsonObject): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : valueAt(claims, name.split('.'))
  // RFC 9068 2.2.3: one text with all scopes.
  if (name === 'scope' && typeof value === 'string') return value.split(' ').filter((each) => each !== '')
  return (Array.isArray(value) ? value : [value]).flatMap(toText)
}

function valueAt(value: Json | undefined, [key, ...rest]: readonly string[]): Json | undefined {
  if (key === undefined) return value
  return isObject(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined
}

function toText(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
}
