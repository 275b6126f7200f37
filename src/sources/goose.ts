import { createSource } from './dialect.ts'

export const goose = createSource({
  id: 'goose',
  title: 'goose',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
