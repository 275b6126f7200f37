import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import type { Report } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import { writeClient } from '../oauth-fields.ts'
import type { LostField, NewServer, EntryTarget, WrittenEntry } from '../../entries/write-rules.ts'

const bare = {
  message: 'A map of servers without "mcpServers": Copilot CLI accepts it, other clients do not.',
}

const loginFields = {
  clientId: 'oauthClientId',
  public: 'oauthPublicClient',
  grantType: 'oauthGrantType',
}

export const copilotCli = createSource({
  id: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  switchesElsewhere: 'servers and tools',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: { local: 'stdio', stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
    untypedUrl: 'http',
    untypedUrlNote: {
      code: 'missing-type',
      severity: 'warn',
      message: 'A remote server needs a "type" ("http" or "sse"); http is assumed.',
    },
    both: 'command',
    timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs' }],
    allowKey: 'tools',
    known: ['deferTools', 'disableToolCache', 'filterMapping'],
    badName: { pattern: /\}/, message: 'A "}" is not allowed in the name of a server.' },
    checkPins: true,
    auth: readAuth,
  },
  values: { syntaxes: ['braces', 'bare'], unset: 'keep' },
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      const rules = { roots: [['mcpServers']], ...(file.authority === 'project' && { bare }) }
      return root ? tablesOf(file, root, rules, report) : []
    })
  },
  settle({ drafts, report }) {
    for (const draft of drafts) checkRequired(draft, report)
    reportTrust(drafts, report)
  },
  writes: { auth: writeAuth, boundKeys: [...Object.values(loginFields), 'oidc'], toEntry: addRequired },
})

function writeAuth(auth: Auth, lost: LostField[]): JsonObject | undefined {
  return auth.type === 'oidc' ? { oidc: true } : writeClient({ fields: loginFields })(auth, lost)
}

/** Adds the keys that are documented as required. */
function addRequired(
  { transport }: NewServer,
  { entry, lost }: WrittenEntry,
  { like }: EntryTarget,
): WrittenEntry {
  const args = transport.kind === 'stdio' ? { args: entry['args'] ?? [] } : {}
  return { entry: { ...entry, ...args, tools: entry['tools'] ?? like['tools'] ?? ['*'] }, lost }
}

/** Reads a pre-registered client, or a token that GitHub issues. */
function readAuth(entry: Entry): Auth | undefined {
  const clientId = entry.string('oauthClientId')
  const isPublic = entry.boolean('oauthPublicClient')
  const grantType = entry.string('oauthGrantType')
  const oidc = entry.get('oidc')
  const oauth = {
    ...(clientId !== undefined && { clientId }),
    ...(isPublic !== undefined && { public: isPublic }),
    ...(grantType !== undefined && { grantType }),
  }
  if (Object.keys(oauth).length > 0) return { type: 'oauth', ...oauth }
  return oidc === undefined || oidc === false ? undefined : { type: 'oidc' }
}

/** `tools` is documented as required too, but the client takes an entry without it as one with all tools. */
function checkRequired(draft: Draft, report: Report): void {
  const entry = draft.declared[0]?.entry ?? {}
  if (draft.kind !== 'stdio' || Object.hasOwn(entry, 'args')) return
  report.add('missing-key', 'warn', 'Missing, although documented as required: args.', {
    file: draft.file,
    pointer: draft.origin.pointer,
    server: draft.name,
  })
}

/** Reports once: trust applies to the folder, not to each file. */
function reportTrust(drafts: SettleContext['drafts'], report: Report): void {
  const first = drafts.find(({ file }) => file.authority === 'project')
  if (!first) return
  report.add('untrusted-project', 'warn', 'Copilot CLI loads project servers only in trusted folders.', {
    file: first.file,
  })
}
