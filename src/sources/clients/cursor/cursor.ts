import { createSource } from '../../entries/client-dialect.ts'
import { checkClientSecret, readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'

const others = sameNames('scopes', 'authorizationUrl', 'tokenUrl')

export const cursor = createSource({
  id: 'cursor',
  title: 'Cursor',
  switchesElsewhere: 'servers and tools',
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
    checkPins: true,
    auth(entry) {
      checkClientSecret(entry, 'auth')
      return readOAuth(entry, 'auth')
    },
  },
  values: {
    syntaxes: ['env-colon', 'editor'],
    unset: 'keep',
    literalPlaceholders: 'report',
  },
  writes: {
    auth: writeOAuth('auth', { fields: { clientId: 'CLIENT_ID', clientSecret: 'CLIENT_SECRET', ...others } }),
    boundKeys: ['auth'],
  },
})
