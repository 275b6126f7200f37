import { createSource } from './dialect.ts'

export const registryServerJson = createSource({
  id: 'registry-server-json',
  title: 'registry-server-json',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
