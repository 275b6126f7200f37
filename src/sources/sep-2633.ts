import { createSource } from './dialect.ts'

export const sep2633 = createSource({
  id: 'sep-2633',
  title: 'sep-2633',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
