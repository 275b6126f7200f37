import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import { dropOtherTransport } from '../other-transport.ts'

const untyped = {
  code: 'missing-type',
  severity: 'error',
  message: '"type" is required: stdio, sse or streamable-http.',
} as const

/** The draft of a common `mcp.json`: every entry has a type and only the keys of that transport. */
export const sep2633 = createSource({
  id: 'sep-2633',
  title: 'SEP-2633 mcp.json (draft)',
  reads: 'strict',
  roots: [['mcpServers']],
  rules: {
    types: { stdio: 'stdio', 'streamable-http': 'http', sse: 'sse' },
    untypedUrl: 'refused',
    untypedUrlNote: untyped,
    untypedCommandNote: untyped,
    both: 'refuse',
    keys: { cwd: null },
    titleKey: 'title',
    descriptionKey: 'description',
    checkPins: true,
    badName: {
      pattern: /[^a-zA-Z0-9_[\]-]/,
      message: 'A server name may contain only letters, digits, hyphens, underscores and brackets.',
    },
    auth: (entry) => readOAuth(entry, 'oauth'),
    finish,
  },
  values: (_server, { env }) => ({
    syntaxes: ['alternatives'],
    unset: 'keep',
    has: (name) => env[name] !== undefined && env[name] !== '',
    literalPlaceholders: 'report',
  }),
  writes: {
    auth: writeOAuth('oauth', { fields: sameNames('clientId', 'scopes', 'redirectUri') }),
    boundKeys: ['oauth'],
  },
})

const keysByTransport = { stdio: ['args', 'env'], remote: ['headers', 'oauth'] }

function finish(entry: Entry, draft: Draft): void {
  dropOtherTransport(entry, draft, keysByTransport, (key) =>
    entry.refuse('unsupported-in-client', `"${key}" is not allowed with this type.`, { key }),
  )
  const hasAuthorization = Object.keys(draft.headers ?? {}).some((name) => /^authorization$/i.test(name))
  if (draft.auth && hasAuthorization) {
    entry.warn('auth-conflict', 'The entry has both "oauth" and an Authorization header; keep one.')
  }
  checkLength(entry, 'title', draft.title, 100)
  checkLength(entry, 'description', draft.description, 500)
}

function checkLength(entry: Entry, key: string, text: string | undefined, most: number): void {
  if (text === undefined || text.length <= most) return
  entry.warn('out-of-range', `"${key}" is longer than ${most} characters.`, { key })
}
