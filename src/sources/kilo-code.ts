import { createSource } from './dialect.ts'

export const kiloCode = createSource({
  id: 'kilo-code',
  title: 'kilo-code',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
