import { createSource } from './dialect.ts'

export const claudeDesktop = createSource({
  id: 'claude-desktop',
  title: 'claude-desktop',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
