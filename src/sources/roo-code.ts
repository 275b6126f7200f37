import { createSource } from './dialect.ts'

export const rooCode = createSource({
  id: 'roo-code',
  title: 'roo-code',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
