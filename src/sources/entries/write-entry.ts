import type { Json, JsonObject } from '../../model/json.ts'
import type { EntryRules, TimeoutRule } from './entry-rules.ts'
import { unitMs } from './read-timeout.ts'
import { writeEndpoint } from './write-endpoint.ts'
import { noKey } from './write-rules.ts'
import type {
  LostField,
  NewServer,
  NewTransport,
  VariableNames,
  WriteRules,
  WrittenEntry,
} from './write-rules.ts'
import type { Value } from '../../model/server.ts'

interface EntryContext extends Pick<WriteRules, 'auth' | 'headersUnder' | 'typed' | 'urlKey' | 'variables'> {
  /** The existing entry; its spellings are kept. */
  readonly like?: JsonObject
  /** The switch that this file uses, if its client reads both. */
  readonly flag?: Flag
  /** Write the switch even if the server is on without it. */
  readonly always?: boolean
}

export type Flag = 'enabled' | 'disabled'

/** Writes a server in a client's shape, and lists what that shape cannot hold. */
export function toEntry(server: NewServer, rules: EntryRules, context: EntryContext = {}): WrittenEntry {
  const { like = {}, typed = false, urlKey, headersUnder } = context
  const lost: LostField[] = []
  const login = server.auth && context.auth?.(server.auth, lost)
  const { transport, named } = writeValues(server, { variables: context.variables, login, lost })
  const entry = {
    ...writeEndpoint(server.name, transport, { rules, like, lost, typed, urlKey, headersUnder }),
    ...named,
    ...(server.enabled !== undefined && writeFlag(server.enabled, rules, context, lost)),
    ...writeTimeouts(server, rules, lost),
    ...writeTools(server, rules, lost),
    ...writeText('title', server.title, rules.titleKey, lost),
    ...writeText('description', server.description, rules.descriptionKey, lost),
    ...login,
  }
  return { entry, lost }
}

/** The keys that turn an entry on or off: empty if none is needed, `undefined` if the client has no switch. */
export function flagEdit(
  rules: EntryRules,
  on: boolean,
  { like = {}, flag = 'enabled', always = false }: Pick<EntryContext, 'like' | 'flag' | 'always'> = {},
): JsonObject | undefined {
  if (!rules.flag) return undefined
  const known: readonly Flag[] = rules.flag === 'either' ? ['enabled', 'disabled'] : [rules.flag]
  const present = known.filter((key) => Object.hasOwn(like, key))
  if (present.length === 0 && on && !always) return {}
  const keys = present.length > 0 ? present : [rules.flag === 'either' ? flag : rules.flag]
  return Object.fromEntries(keys.map((key) => [key, key === 'enabled' ? on : !on]))
}

function writeFlag(on: boolean, rules: EntryRules, context: EntryContext, lost: LostField[]): JsonObject {
  const flags = flagEdit(rules, on, context)
  if (!flags && !on) lost.push({ field: 'enabled', reason: noKey })
  return flags ?? {}
}

/** Lost fields are reported by the keys of our own files. */
const ownKeys = { callMs: 'timeout', startupMs: 'startupTimeout', idleMs: 'idleStopMs' } as const

function writeTimeouts({ timeouts = {} }: NewServer, rules: EntryRules, lost: LostField[]): JsonObject {
  const written: Record<string, Json> = {}
  for (const field of ['callMs', 'startupMs', 'idleMs'] as const) {
    const ms = timeouts[field]
    if (ms === undefined) continue
    const rule = ruleFor(field, rules.timeouts ?? [])
    const word = ownKeys[field]
    if (!rule) lost.push({ field: word, reason: noKey })
    else if (written[rule.key] === undefined) writeTimeout(word, ms, rule, written, lost)
    else if (ms !== timeouts.callMs)
      lost.push({ field: word, reason: `It shares the key ${rule.key} with the timeout of calls.` })
  }
  return written
}

function ruleFor(
  field: 'callMs' | 'startupMs' | 'idleMs',
  rules: readonly TimeoutRule[],
): TimeoutRule | undefined {
  const current = rules.filter(({ deprecated }) => !deprecated)
  const shared = field === 'idleMs' ? undefined : current.find(({ sets }) => sets === 'call-and-startup')
  return current.find(({ sets }) => sets === field) ?? shared
}

function writeTimeout(
  field: string,
  ms: number,
  rule: TimeoutRule,
  written: Record<string, Json>,
  lost: LostField[],
): void {
  const { key, unit, min = 0, max = Infinity, ignoredBelow = 0, zeroMeansNone } = rule
  const value = rule.fractions ? ms / unitMs[unit] : Math.ceil(ms / unitMs[unit])
  const fits = value >= Math.max(min, ignoredBelow) && value <= max && (value > 0 || zeroMeansNone === true)
  if (!fits) {
    lost.push({ field, reason: `${key} cannot be ${value} ${unit}.` })
    return
  }
  written[key] = value
  if (value * unitMs[unit] !== ms) lost.push({ field, reason: `${key} is in ${unit}; ${value} is written.` })
}

function writeTools({ tools = {} }: NewServer, rules: EntryRules, lost: LostField[]): JsonObject {
  const { allow, deny, autoApprove } = tools
  const none = allow?.length === 0 && rules.emptyAllowMeansAll
  if (none) lost.push({ field: 'allowedTools', reason: 'An empty list means every tool.' })
  return {
    ...(allow && !none && writeList('allowedTools', allow, rules.allowKey, lost)),
    ...(deny && deny.length > 0 && writeList('deniedTools', deny, rules.denyKey, lost)),
    ...(autoApprove &&
      autoApprove.length > 0 &&
      writeList('autoApprove', autoApprove, rules.autoApproveKey, lost)),
  }
}

function writeList(
  field: string,
  list: readonly string[],
  key: string | undefined,
  lost: LostField[],
): JsonObject {
  if (key !== undefined) return { [key]: list }
  lost.push({ field, reason: noKey })
  return {}
}

function writeText(
  field: string,
  text: string | undefined,
  key: string | undefined,
  lost: LostField[],
): JsonObject {
  if (text === undefined) return {}
  if (key !== undefined) return { [key]: text }
  lost.push({ field, reason: noKey })
  return {}
}

interface ValueContext {
  readonly variables: WriteRules['variables']
  /** The keys of the login; `undefined` if the client has none for this kind of login. */
  readonly login: JsonObject | undefined
  readonly lost: LostField[]
}

/** Writes every value as a string, except names of variables that the client has separate keys for. */
function writeValues(
  server: NewServer,
  context: ValueContext,
): { readonly transport: NewTransport<string>; readonly named: JsonObject } {
  const transport = withBearer(server, context)
  const { texts, names } = splitValues(transport.kind === 'stdio' ? transport.env : transport.headers)
  const place = transport.kind === 'stdio' ? 'env' : 'headers'
  const wanted: VariableNames = { env: {}, headers: {}, [place]: names }
  const { entry, rest } = context.variables?.(wanted) ?? { entry: {}, rest: wanted }
  const values = { ...texts, ...namesAsTexts(place, rest[place], context.lost) }
  return {
    transport: transport.kind === 'stdio' ? { ...transport, env: values } : { ...transport, headers: values },
    named: entry,
  }
}

/** Writes a bearer token from a variable as a header, if the client has no key for it. */
function withBearer({ transport, auth }: NewServer, { login, lost }: ValueContext): NewTransport {
  if (!auth || login) return transport
  const { type, tokenEnv } = auth
  if (transport.kind === 'stdio' || type !== 'bearer' || typeof tokenEnv !== 'string') {
    lost.push({ field: 'auth', reason: noKey })
    return transport
  }
  const token = `Bearer \${${tokenEnv}}`
  lost.push({ field: 'headers.Authorization', reason: noVariable(token) })
  return { ...transport, headers: { Authorization: token, ...transport.headers } }
}

function splitValues(values: Readonly<Record<string, Value>> = {}) {
  const texts: Record<string, string> = {}
  const names: Record<string, string> = {}
  for (const [key, value] of Object.entries(values)) {
    if (typeof value === 'string') texts[key] = value
    else names[key] = value.env
  }
  return { texts, names }
}

function namesAsTexts(place: string, names: Readonly<Record<string, string>>, lost: LostField[]) {
  return Object.fromEntries(
    Object.entries(names).map(([key, name]) => {
      const text = `\${${name}}`
      lost.push({ field: `${place}.${key}`, reason: noVariable(text) })
      return [key, text]
    }),
  )
}

function noVariable(text: string): string {
  return `The target cannot resolve ${text}; it is written literally.`
}
