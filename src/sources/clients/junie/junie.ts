import { createSource } from '../../entries/client-dialect.ts'

export const junie = createSource({
  id: 'junie',
  title: 'Junie',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: {
    types: {},
    typeKeys: [],
    untypedUrl: 'http+sse',
    both: 'command',
    keys: { cwd: null },
    checkPins: true,
    finish(entry, draft) {
      if (!entry.has('disabled')) return
      // The intention is clear, and off is the safe choice.
      if (entry.get('disabled') === true) draft.enabled = false
      entry.warn('unknown-key', 'Junie does not document "disabled" and may start the server.', {
        key: 'disabled',
      })
    },
  },
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' },
})
