import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { withoutAbsent } from '../oauth-fields.ts'
import type { NewServer, WriteRules, WrittenEntry } from '../../entries/write-rules.ts'

export const piWrites: WriteRules = {
  auth: writeAuth,
  boundKeys: [
    'auth',
    'oauth',
    'bearerToken',
    'bearerTokenEnv',
    'bearerTokenStore',
    'requestHeadersCommand',
    'caFile',
    'httpTransport',
    'inheritEnv',
    'literalEnv',
  ],
  toEntry: nameTransport,
}

function writeAuth(auth: Auth): JsonObject | undefined {
  const { type, ...fields } = withoutAbsent(auth)
  const { token, tokenEnv, store } = fields
  if (type === 'none') return { auth: false }
  if (type === 'oauth') return { auth: type, ...(Object.keys(fields).length > 0 && { oauth: fields }) }
  if (type !== 'bearer') return undefined
  return {
    auth: type,
    ...(token !== undefined && { bearerToken: token }),
    ...(tokenEnv !== undefined && { bearerTokenEnv: tokenEnv }),
    ...(store === true && { bearerTokenStore: true }),
  }
}

/** A url alone may be either; the adapter has a key of its own to say that it is SSE. */
function nameTransport({ transport }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  if (transport.kind !== 'sse') return { entry, lost }
  return {
    entry: { ...entry, httpTransport: 'sse' },
    lost: lost.filter(({ field }) => field !== 'transport'),
  }
}
