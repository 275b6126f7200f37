import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { checkClientSecret, readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'

/** The catalog of the MCP Inspector: the common form with additional settings. */
export const inspector = createSource({
  id: 'inspector',
  title: 'MCP Inspector',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
    untypedUrl: 'refused',
    untypedUrlNote: {
      code: 'url-missing-type',
      severity: 'error',
      message: 'Without a "type" the Inspector treats the entry as a command. Set "type": "http" or "sse".',
    },
    both: 'command',
    timeouts: [
      { key: 'connectionTimeout', unit: 'ms', sets: 'startupMs', zeroMeansNone: true },
      { key: 'requestTimeout', unit: 'ms', sets: 'callMs', zeroMeansNone: true },
    ],
    known: [
      'roots',
      'metadata',
      'modernLogLevel',
      'taskTtl',
      'autoRefreshOnListChanged',
      'paginatedLists',
      'advertisedExtensions',
      'maxFetchRequests',
      'requestInit',
      'eventSourceInit',
    ],
    checkPins: true,
    auth(entry) {
      checkClientSecret(entry, 'oauth')
      return readOAuth(entry, 'oauth')
    },
    finish: readEra,
  },
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' },
  writes: {
    auth: writeOAuth('oauth', { fields: sameNames('clientId', 'clientSecret', 'scopes'), scopes: 'text' }),
    boundKeys: ['oauth'],
  },
})

const eras: Readonly<Record<string, Draft['protocol']>> = {
  auto: 'auto',
  legacy: 'legacy',
  modern: '2026-07-28',
}

function readEra(entry: Entry, draft: Draft): void {
  const era = entry.string('protocolEra')
  if (era === undefined) return
  draft.extra['protocolEra'] = era
  draft.protocol = Object.hasOwn(eras, era) ? eras[era] : undefined
  if (draft.protocol === undefined) {
    const names = Object.keys(eras).join(', ')
    entry.warn('out-of-range', `"protocolEra" must be one of ${names}; "${era}" is ignored.`, {
      key: 'protocolEra',
    })
  }
}
