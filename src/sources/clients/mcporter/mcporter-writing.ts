import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { spellings } from './mcporter-schema.ts'
import { writeClient } from '../write-oauth.ts'
import type { Lost, NewServer, WriteRules, WrittenEntry } from '../../entries/write-rules.ts'

/** The keys of a login and what they say. */
export const oauthKeys: Readonly<Record<string, string>> = {
  oauthClientId: 'clientId',
  oauthClientSecret: 'clientSecret',
  oauthClientSecretEnv: 'clientSecretEnv',
  oauthTokenEndpointAuthMethod: 'tokenEndpointAuthMethod',
  oauthRedirectUrl: 'redirectUri',
  oauthScope: 'scopes',
}

const loginKeys = [
  ...Object.keys(oauthKeys),
  'auth',
  'bearerToken',
  'bearerTokenEnv',
  'refresh',
  'oauthCommand',
]

export const mcporterWrites: WriteRules = {
  auth: writeAuth,
  boundKeys: [...loginKeys, 'tokenCacheDir'].flatMap(spellings),
  toEntry: fitSchema,
}

const writeLogin = writeClient({
  fields: Object.fromEntries(Object.entries(oauthKeys).map(([key, name]) => [name, key])),
  scopes: 'text',
})

function writeAuth(auth: Auth, lost: Lost[]): JsonObject | undefined {
  const { type, token, tokenEnv } = auth
  if (type === 'bearer' && tokenEnv !== undefined) return { bearerTokenEnv: tokenEnv }
  if (type === 'bearer' && token !== undefined) return { bearerToken: token }
  const login = writeLogin(auth, lost)
  return login && { auth: 'oauth', ...login }
}

function fitSchema(server: NewServer, written: WrittenEntry): WrittenEntry {
  return keepIdleTime(server, oneList(server, wholeCommand(server, written)))
}

/** A command alone is split at its spaces; one in a list is not. */
function wholeCommand({ transport }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const splits = transport.kind === 'stdio' && !transport.args?.length && /[\s"'\\]/.test(transport.command)
  return splits ? { entry: { ...entry, command: [transport.command] }, lost } : { entry, lost }
}

/** Both lists at once make mcporter refuse the whole file. */
function oneList({ tools = {} }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const { allow, deny = [] } = tools
  if (!allow || deny.length === 0) return { entry, lost }
  const { blockedTools: _both, ...rest } = entry
  const reason = 'It takes a list of allowed tools or one of denied tools, and the first is written.'
  return {
    entry: { ...rest, allowedTools: allow.filter((tool) => !deny.includes(tool)) },
    lost: [...lost, { field: 'deniedTools', reason }],
  }
}

function keepIdleTime({ timeouts = {} }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const { idleMs } = timeouts
  if (idleMs === undefined || idleMs <= 0) return { entry, lost }
  return {
    entry: { ...entry, lifecycle: { mode: 'keep-alive', idleTimeoutMs: idleMs } },
    lost: lost.filter(({ field }) => field !== 'idleStopMs'),
  }
}
