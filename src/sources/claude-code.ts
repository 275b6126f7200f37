import { createSource } from './dialect.ts'

export const claudeCode = createSource({
  id: 'claude-code',
  title: 'claude-code',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
