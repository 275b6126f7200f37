import { isStringArray } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { dropIdleSwitches, hasEndpoint } from '../../entries/combine.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { dropOtherTransport } from '../other-transport.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { checkLiteral } from '../../entries/check-literals.ts'
import { writeClient } from '../oauth-fields.ts'
import type { LostField } from '../../entries/write-rules.ts'

const loginKeys = ['oauth', 'oauth_client_id', 'oauth_client_secret', 'oauth_callback_port'] as const

const rules: EntryRules = {
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  untypedUrl: 'http',
  both: 'command',
  keys: { cwd: null },
  flag: 'disabled',
  timeouts: [{ key: 'timeout', unit: 's', sets: 'startupMs' }],
  allowKey: 'enabled_tools',
  denyKey: 'disabled_tools',
  emptyAllowMeansAll: true,
  filterConflict: true,
  checkPins: true,
  partial: true,
  auth: readAuth,
  finish(entry, draft) {
    checkLogin(entry, draft)
    dropOtherTransport(entry, draft, { stdio: ['args', 'env'], remote: ['headers'] }, (key) => {
      entry.warn('unknown-key', `"${key}" has no meaning for this type of server; it is ignored.`, { key })
    })
  },
}

/** Layers of strict JSON, merged key by key. Values are expanded as in a shell. */
export const crush = createSource({
  id: 'crush',
  title: 'Crush',
  reads: 'strict',
  roots: [['mcp']],
  rules,
  values: {
    syntaxes: ['shell', 'braces', 'bare'],
    unset: 'empty',
    fields: ['args', 'env', 'headers', 'url', 'auth'],
  },
  merge: 'deep',
  settle({ drafts, report }) {
    dropIdleSwitches(drafts)
    for (const draft of drafts) {
      checkType(draft, report)
      joinDenied(draft)
    }
  },
  writes: { typed: true, auth: writeAuth, boundKeys: [...loginKeys, 'oauth_token'] },
})

function readAuth(entry: Entry): Auth | undefined {
  const oauth = entry.boolean('oauth')
  const clientId = entry.string('oauth_client_id')
  const clientSecret = entry.string('oauth_client_secret')
  const callbackPort = entry.number('oauth_callback_port')
  if (oauth === false) return { type: 'none' }
  if (!loginKeys.some((key) => entry.has(key))) return undefined
  return {
    type: 'oauth',
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(callbackPort !== undefined && { callbackPort }),
  }
}

const writeLogin = writeClient({
  fields: {
    clientId: 'oauth_client_id',
    clientSecret: 'oauth_client_secret',
    callbackPort: 'oauth_callback_port',
  },
})

function writeAuth(auth: Auth, lost: LostField[]): JsonObject | undefined {
  if (auth.type === 'none') return { oauth: false }
  const client = writeLogin(auth, lost)
  return client && { oauth: true, ...client }
}

function checkLogin(entry: Entry, draft: Draft): void {
  checkLiteral(entry, ['oauth_client_secret'])
  if (entry.has('oauth_token')) {
    entry.warn('embedded-token', 'Crush keeps live tokens in this file; they are not used here.', {
      key: 'oauth_token',
    })
  }
  const key = loginKeys.find((name) => entry.has(name) && entry.get(name) !== false)
  if (key === undefined || draft.kind === undefined || draft.kind === 'http') return
  entry.warn('unsupported-in-client', `${key} works only with type "http".`, { key })
  draft.auth = undefined
}

/** If no layer has a type, Crush treats the entry as stdio, so a remote one lacks a command. */
function checkType(draft: Draft, report: SettleContext['report']): void {
  if (!hasEndpoint(draft) || draft.declared.some(({ entry }) => entry['type'] !== undefined)) return
  const where = { file: draft.file, pointer: draft.origin.pointer, server: draft.name }
  if (draft.command !== undefined) {
    return report.add('missing-type', 'warn', 'The schema requires a type; stdio is assumed.', where)
  }
  report.add('url-missing-type', 'error', 'Without "type": "http" or "sse", Crush expects a command.', where)
  draft.refused = true
}

/** Lists of disabled tools are merged; a higher layer does not clear a lower one's. */
function joinDenied(draft: Draft): void {
  if (draft.declared.length < 2) return
  const lists = draft.declared.map(({ entry }) => entry['disabled_tools'])
  const denied = lists.reverse().flatMap((list) => (isStringArray(list) ? list : []))
  if (denied.length > 0) draft.deny = [...new Set(denied)]
}
