import { isStringArray, valueAt } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { readOAuth, withoutAbsent } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'

const rules: EntryRules = {
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  untypedUrl: 'http',
  both: 'refuse',
  flag: 'enabled',
  timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs', zeroMeansNone: true }],
  known: ['requestIdFormat', 'instructions'],
  auth: readAuth,
}

/** C5: with `strictType` a missing type means stdio, whatever else the entry has. */
const strictRules: EntryRules = {
  ...rules,
  untypedUrl: 'refused',
  untypedUrlNote: {
    code: 'missing-endpoint',
    severity: 'error',
    message: 'No "type": the entry is treated as stdio, which requires "command". Set "type": "http".',
  },
}

/** O1–O10: native files, then folders of other tools, then the project's root. An invalid entry still claims its name. */
export const ohMyPi = createSource({
  id: 'oh-my-pi',
  title: 'oh-my-pi',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: (_file, world) => (world.strictType ? strictRules : rules),
  values: {
    syntaxes: ['braces', 'bang', 'env-name'],
    unset: 'keep',
    bang: 'shell',
    failedCommand: 'omit',
  },
  refusedClaims: true,
  untrustedClaims: true,
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      return root ? tablesOf(file, root, { roots: rootsOf(file), otherRoots: 'no' }, report) : []
    })
  },
  settle: applyLists,
  writes: {
    root: (file) => rootsOf(file)[0] ?? [],
    auth: writeAuth,
    boundKeys: ['auth', 'oauth'],
    // O4: omp's own writer refuses other names, though it reads them.
    badName: {
      pattern: /[^a-zA-Z0-9_.-]/,
      message: 'the name may have letters, digits, "_", "." and "-" only.',
    },
  },
})

function rootsOf(file: OpenFile): readonly (readonly string[])[] {
  return file.role === 'vscode' ? [['servers'], ['mcp', 'servers']] : [['mcpServers']]
}

/** `auth` names a stored credential, `oauth` the client; together they are one login. */
function readAuth(entry: Entry): Auth | undefined {
  const auth = entry.object('auth')
  const client = readOAuth(entry, 'oauth')
  if (!auth && !client) return undefined
  const type = auth && typeof auth['type'] === 'string' ? auth['type'] : 'oauth'
  return { ...auth, ...client, type }
}

/** A stored credential is named under `auth`; everything else describes the client. */
function writeAuth(auth: Auth): JsonObject | undefined {
  const { type = 'oauth', credentialId, ...client } = withoutAbsent(auth)
  if (type !== 'oauth' && type !== 'apikey') return undefined
  const named = credentialId !== undefined || type === 'apikey' || Object.keys(client).length === 0
  return {
    ...(named && { auth: { type, ...(credentialId !== undefined && { credentialId }) } }),
    ...(Object.keys(client).length > 0 && { oauth: client }),
  }
}

/** The user's lists: `disabledServers` turns off any server, `enabledServers` turns on those that omp cannot write. */
function applyLists({ drafts, files, report }: SettleContext): void {
  for (const file of files.filter(({ role, authority }) => role === 'native' && authority === 'user')) {
    const disabled = listIn(file, 'disabledServers')
    const enabled = listIn(file, 'enabledServers')
    for (const draft of drafts) {
      if (disabled.includes(draft.name)) {
        draft.enabled = false
        draft.disabledBy = `${file.path}#/disabledServers`
      } else if (enabled.includes(draft.name)) {
        draft.forceEnabledBy = `${file.path}#/enabledServers`
        const writable = draft.file.role === 'native'
        if (!writable) draft.enabled = true
        report.add(
          'enable-override',
          'info',
          writable
            ? 'enabledServers only turns on servers in files that omp cannot write; this one keeps its own "enabled".'
            : 'enabledServers turns this server on.',
          { file, pointer: `/enabledServers/${enabled.indexOf(draft.name)}`, server: draft.name },
        )
      }
    }
  }
}

function listIn(file: OpenFile, key: string): readonly string[] {
  const list = valueAt(file.doc.value, [key])
  return isStringArray(list) ? list : []
}
