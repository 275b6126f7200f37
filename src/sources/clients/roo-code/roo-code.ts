import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'

/** The project's entries hide the user's by name. An entry that violates the schema is refused as a whole. */
export const rooCode = createSource({
  id: 'roo-code',
  title: 'Roo Code',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: { stdio: 'stdio', sse: 'sse', 'streamable-http': 'http' },
    untypedUrl: 'refused',
    untypedUrlNote: {
      code: 'url-missing-type',
      severity: 'error',
      message: 'An entry with a url needs "type": "streamable-http" or "sse".',
    },
    both: 'refuse',
    flag: 'disabled',
    timeouts: [{ key: 'timeout', unit: 's', sets: 'callMs', min: 1, max: 3600, outside: 'refuse' }],
    denyKey: 'disabledTools',
    autoApproveKey: 'alwaysAllow',
    checkPins: true,
    finish(entry, draft) {
      draft.watch = entry.strings('watchPaths')
      refuseMixture(entry, draft)
    },
  },
  values: ({ folder }, world) => ({
    syntaxes: ['env-colon', 'plugin'],
    names: { workspaceFolder: folder ?? world.dirs[0] ?? world.cwd },
    unset: 'empty',
    checkDisabled: true,
    literalPlaceholders: 'report',
  }),
})

/** Refuses keys of the other transport: the entry would match neither schema. */
function refuseMixture(entry: Entry, draft: Draft): void {
  if (draft.kind === undefined || entry.refused) return
  for (const key of draft.kind === 'stdio' ? ['headers'] : ['args', 'env']) {
    if (!entry.has(key)) continue
    entry.refuse('unsupported-in-client', `"${key}" does not belong to a ${draft.kind} server.`, { key })
  }
}
