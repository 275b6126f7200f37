import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Auth } from '../model/server.ts'
import type { Entry } from './entry.ts'

const spellings: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  CLIENT_ID: 'clientId',
  client_secret: 'clientSecret',
  CLIENT_SECRET: 'clientSecret',
  callback_port: 'callbackPort',
  redirect_uri: 'redirectUri',
  scope: 'scopes',
}

/** An `oauth` object in any spelling, as one shape; `false` means that the owner never logs in. */
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
    const spelled = spellings[name] ?? name
    auth[spelled] = spelled === 'scopes' ? toScopes(item) : item
  }
  return { ...auth, type: 'oauth' }
}

/** A list, or one string with spaces between. */
export function toScopes(value: Json): Json {
  return typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value
}
