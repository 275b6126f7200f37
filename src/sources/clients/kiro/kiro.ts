import { basename } from 'node:path'
import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { checkClientSecret, checkTwoLogins, readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { originIn } from '../../source.ts'
import type { OpenFile } from '../../source.ts'
import { valueIn } from '../../entries/server-tables.ts'
import type { LostField } from '../../entries/write-rules.ts'

const rules: EntryRules = {
  types: {},
  typeKeys: [],
  untypedUrl: 'http+sse',
  both: 'command',
  keys: { cwd: null },
  flag: 'disabled',
  timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs' }],
  denyKey: 'disabledTools',
  autoApproveKey: 'autoApprove',
  checkPins: true,
  auth: readAuth,
  finish: checkEndpoint,
}

/** The workspace hides the user's entries. An agent's servers are separate and belong to that agent only. */
export const kiro = createSource({
  id: 'kiro',
  title: 'Kiro',
  reads: 'unsure',
  roots: [['mcpServers']],
  roles: ['servers', 'agent'],
  rules: (file) => (file.role === 'agent' ? agentRules(file) : rules),
  values: { syntaxes: ['braces'], unset: 'keep' },
  writes: { auth: writeAuth, boundKeys: ['oauth', 'oauthScopes'] },
})

function agentRules(file: OpenFile): EntryRules {
  const agent = agentName(file)
  return {
    ...rules,
    known: ['type'],
    finish(entry, draft) {
      checkEndpoint(entry, draft)
      draft.agent = agent
      draft.origin = originIn('kiro', file, entry.pointer, `agent:${agent}`)
    },
  }
}

function agentName(file: OpenFile): string {
  const name = valueIn(file, ['name'])
  return typeof name === 'string' && name !== '' ? name : basename(file.path, '.json')
}

/** Reads the OAuth client and its scopes, which are a key of the entry. */
function readAuth(entry: Entry): Auth | undefined {
  const client = readOAuth(entry, 'oauth')
  checkClientSecret(entry, 'oauth')
  const scopes = entry.strings('oauthScopes')
  if (!client && !scopes) return undefined
  return { type: 'oauth', ...client, ...(scopes && { scopes }) }
}

const writeOwnClient = writeOAuth('oauth', { fields: sameNames('clientId', 'redirectUri') })

function writeAuth({ scopes, ...client }: Auth, lost: LostField[]): JsonObject | undefined {
  const written = writeOwnClient(client, lost)
  return written && { ...written, ...(scopes !== undefined && { oauthScopes: scopes }) }
}

const loopback = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])([:/?#]|$)/i

function checkEndpoint(entry: Entry, draft: Draft): void {
  const { url } = draft
  checkTwoLogins(entry, draft)
  if (url === undefined || !/^http:/i.test(url) || loopback.test(url)) return
  entry.refuse('insecure-url', 'Kiro accepts only https urls, or http urls on this machine.', {
    key: 'url',
  })
}
