import type { JsonObject } from '../model/json.ts'
import type { Auth } from '../model/server.ts'
import { createSource } from './dialect.ts'
import { readOAuth, withoutAbsent } from './oauth.ts'

export const cursor = createSource({
  id: 'cursor',
  title: 'Cursor',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: {
      stdio: 'stdio',
      http: 'http+sse',
      'streamable-http': 'http+sse',
      streamableHttp: 'http+sse',
      sse: 'sse',
    },
    untypedUrl: 'http+sse',
    both: 'command',
    keys: { cwd: null, envFile: ['envFile'] },
    auth: (entry) => readOAuth(entry, 'auth'),
  },
  values: {
    syntaxes: ['env-colon', 'editor'],
    unset: 'keep',
  },
  writes: { auth: writeAuth },
})

/** The client in Cursor's spelling; how to log in is not a choice there. */
function writeAuth(auth: Auth): JsonObject {
  const { type: _type, clientId, clientSecret, ...rest } = withoutAbsent(auth)
  return {
    auth: {
      ...(clientId !== undefined && { CLIENT_ID: clientId }),
      ...(clientSecret !== undefined && { CLIENT_SECRET: clientSecret }),
      ...rest,
    },
  }
}
