import { createSource } from '../../entries/client-dialect.ts'
import { dropOtherTransport } from '../other-transport.ts'
import type { NewServer, WrittenEntry } from '../../entries/write-rules.ts'

/** Local servers only: what is remote is added in the app and kept by the account. */
export const claudeDesktop = createSource({
  id: 'claude-desktop',
  title: 'Claude Desktop',
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
      message: 'Claude Desktop starts local servers only; a remote one is added as a connector in the app.',
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

/** There is only one transport, and no word for it. */
function withoutType(
  _server: NewServer,
  { entry: { type: _type, ...entry }, lost }: WrittenEntry,
): WrittenEntry {
  return { entry, lost }
}
