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
      // Whoever wrote it wants the server off, and off is the safe side of a doubt.
      if (entry.get('disabled') === true) draft.enabled = false
      entry.warn('unknown-key', 'Junie documents no "disabled" in its file and may start the server.', {
        key: 'disabled',
      })
    },
  },
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report' },
})
