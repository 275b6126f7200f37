import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Auth } from '../../model/server.ts'
import type { Draft } from '../entries/server-draft.ts'
import type { Entry } from '../entries/raw-entry.ts'
import { reportLiteral } from '../entries/check-literals.ts'
import { classifyLiteral } from '../entries/literal-secrets.ts'
import { noKey } from '../entries/write-rules.ts'
import type { WriteRules } from '../entries/write-rules.ts'

const spellings: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  CLIENT_ID: 'clientId',
  client_secret: 'clientSecret',
  CLIENT_SECRET: 'clientSecret',
  callback_port: 'callbackPort',
  redirect_uri: 'redirectUri',
  scope: 'scopes',
}

function canonicalName(name: string): string {
  return Object.hasOwn(spellings, name) ? (spellings[name] ?? name) : name
}

/** Reads an `oauth` object in any spelling into one shape; `false` means that the client never logs in. */
export function readOAuth(entry: Entry, key: string): Auth | undefined {
  const value = entry.get(key)
  if (value === undefined || value === true) return value === true ? { type: 'oauth' } : undefined
  if (value === false) return { type: 'none' }
  if (!isObject(value)) {
    entry.warn('wrong-type', `"${key}" must be an object.`, { key })
    return undefined
  }
  const auth: Record<string, Json> = {}
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue
    const canonical = canonicalName(name)
    auth[canonical] = canonical === 'scopes' ? toScopes(item) : item
  }
  return { ...auth, type: 'oauth' }
}

/** Scopes are a list, or one string separated by spaces. */
export function toScopes(value: Json): Json {
  return typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value
}

/** Warns about an Authorization header beside a login: clients differ in which one they send. */
export function checkTwoLogins(entry: Entry, { auth, headers = {} }: Draft): void {
  if (auth === undefined || auth.type === 'none' || auth['enabled'] === false) return
  const header = Object.keys(headers).find((name) => name.toLowerCase() === 'authorization')
  if (header === undefined) return
  entry.warn('auth-conflict', `The header ${header} and the ${auth.type} login both authenticate; keep one.`)
}

/** Warns about a literal client secret. */
export function checkClientSecret(entry: Entry, key: string): void {
  const client = entry.get(key)
  if (!isObject(client)) return
  for (const [name, value] of Object.entries(client)) {
    if (canonicalName(name) !== 'clientSecret' || typeof value !== 'string') continue
    const kind = classifyLiteral('secret', value)
    if (kind) reportLiteral(entry, kind, {}, `${key} ${name}`, [key, name])
  }
}

export function withoutAbsent(auth: Auth): JsonObject {
  return Object.fromEntries(
    Object.entries(auth).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

type WriteAuth = NonNullable<WriteRules['auth']>

interface LoginShape {
  /** The client's key for each field that it supports. */
  readonly fields: Readonly<Record<string, string>>
  /** Scopes are written as one string, separated by spaces. */
  readonly scopes?: 'text'
}

/** Writes the fields of an OAuth client with a program's own keys. */
export function writeClient({ fields, scopes }: LoginShape): WriteAuth {
  return (auth, lost) => {
    if (auth.type !== 'oauth') return undefined
    const { type: _type, ...given } = withoutAbsent(auth)
    return Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => {
        const key = Object.hasOwn(fields, name) ? fields[name] : undefined
        if (key !== undefined) return [[key, name === 'scopes' && scopes === 'text' ? toText(value) : value]]
        lost.push({ field: `auth.${name}`, reason: noKey })
        return []
      }),
    )
  }
}

/** Writes the fields as one object under a key. Without fields nothing is written: a server that needs a login asks for it. */
export function writeOAuth(key: string, shape: LoginShape, off?: 'false'): WriteAuth {
  const writeFields = writeClient(shape)
  return (auth, lost) => {
    if (auth.type === 'none' && off === 'false') return { [key]: false }
    const client = writeFields(auth, lost)
    return client && Object.keys(client).length > 0 ? { [key]: client } : client
  }
}

/** Fields that have the same names in the file as in our model. */
export function sameNames(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]))
}

function toText(value: Json): Json {
  return Array.isArray(value) ? value.join(' ') : value
}
