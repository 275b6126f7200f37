import { isObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { checkClientSecret, checkTwoLogins, readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { ValueRules } from '../../entries/template.ts'

const extensionRules: EntryRules = {
  types: { stdio: 'stdio', sse: 'sse', streamableHttp: 'http' },
  untypedUrl: 'sse',
  both: 'command',
  nestedUnder: 'transport',
  flag: 'disabled',
  autoApproveKey: 'autoApprove',
  timeouts: [{ key: 'timeout', unit: 's', sets: 'callMs', min: 1, max: 3600, outside: 'clamp' }],
  known: ['metadata', 'remoteConfigured'],
  checkPins: true,
  auth: readAuth,
  finish: reportTransport,
}

const cliRules: EntryRules = {
  ...extensionRules,
  finish(entry, draft) {
    readLegacyType(entry, draft)
    reportTransport(entry, draft)
  },
}

const values: ValueRules = { syntaxes: ['env-colon'], unset: 'keep' }

/** The extension and the CLI have a file each. Both have the same form, except for the old `transportType`. */
export const cline = createSource({
  id: 'cline',
  title: 'Cline',
  reads: 'unsure',
  roots: [['mcpServers']],
  roles: ['servers', 'cli'],
  rules: (file) => (file.role === 'cli' ? cliRules : extensionRules),
  values: ({ origin }) => (isCliFile(origin.file) ? { ...values, fields: ['env'] } : values),
  writes: {
    auth: writeOAuth('oauthClient', { fields: sameNames('clientId', 'clientSecret') }),
    boundKeys: ['oauth', 'oauthClient'],
  },
})

/** The extension's file is in the folder that VS Code gives to extensions. */
function isCliFile(path: string): boolean {
  return !path.split(/[\\/]/).includes('globalStorage')
}

function reportTransport(entry: Entry, draft: Draft): void {
  checkTwoLogins(entry, draft)
  if (entry.has('transportType')) {
    const message =
      draft.kind === 'sse' && entry.get('transportType') === 'http'
        ? '"transportType" is deprecated, and the extension ignores it: a url without a type is SSE.'
        : '"transportType" is deprecated; use "type".'
    entry.info('deprecated-key', message, { key: 'transportType' })
  } else if (draft.kind === 'sse' && !entry.has('type')) {
    entry.warn(
      'inferred-transport',
      'A url without a type is SSE in Cline; in most other clients it is Streamable HTTP.',
    )
  }
}

const legacyTypes: Readonly<Record<string, 'stdio' | 'sse' | 'http'>> = {
  stdio: 'stdio',
  sse: 'sse',
  http: 'http',
  streamableHttp: 'http',
}

/** The CLI still reads `transportType`; the extension treats every url without a type as SSE. */
function readLegacyType(entry: Entry, draft: Draft): void {
  const word = entry.string('transportType')
  if (word === undefined || entry.has('type') || draft.kind === undefined) return
  const kind = legacyTypes[word]
  if (kind === undefined) {
    entry.refuse('unknown-transport', `"${word}" is not a transport.`, { key: 'transportType' })
  } else if (draft.kind !== 'stdio' && kind !== 'stdio') draft.kind = kind
}

/** `oauth` is the state of a login, including live tokens. Only the fact that there is a login is passed on. */
function readAuth(entry: Entry): Auth | undefined {
  const state = entry.object('oauth')
  const client = readOAuth(entry, 'oauthClient')
  checkClientSecret(entry, 'oauthClient')
  if (isObject(state?.['tokens']) && Object.keys(state['tokens']).length > 0) {
    entry.warn('embedded-token', 'This file contains live tokens of a login.', {
      key: ['oauth', 'tokens'],
      hint: 'Do not share or commit the file.',
    })
  }
  return client ?? (state && { type: 'oauth' })
}
