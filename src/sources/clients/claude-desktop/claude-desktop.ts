import { createSource } from '../../entries/client-dialect.ts'
import { dropOtherTransport } from '../other-transport.ts'
import type { NewServer, WrittenEntry } from '../../entries/write-rules.ts'

/** Local servers only: remote ones are added in the app and stored with the account. */
export const claudeDesktop = createSource({
  id: 'claude-desktop',
  title: 'Claude Desktop',
  switchesElsewhere: 'tools',
  reads: 'strict',
  roots: [['mcpServers']],
  rules: {
    types: {
      stdio: 'stdio',
      http: 'refused',
      'streamable-http': 'refused',
      streamableHttp: 'refused',
      sse: 'refused',
    },
    untypedUrl: 'refused',
    untypedUrlNote: {
      code: 'unsupported-transport',
      severity: 'error',
      message: 'Claude Desktop starts only local servers; add a remote one as a connector in the app.',
    },
    both: 'command',
    keys: { cwd: null },
    checkPins: true,
    finish(entry, draft) {
      dropOtherTransport(entry, draft, { stdio: [], remote: ['headers'] }, (key) =>
        entry.warn('unknown-key', `"${key}" is not a key of a local server; it is ignored.`, { key }),
      )
    },
  },
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' },
  writes: { toEntry: withoutType },
})

/** Removes the type: there is only one transport. */
function withoutType(
  _server: NewServer,
  { entry: { type: _type, ...entry }, lost }: WrittenEntry,
): WrittenEntry {
  return { entry, lost }
}
