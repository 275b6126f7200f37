import { createSource } from './dialect.ts'

export const factoryDroid = createSource({
  id: 'factory-droid',
  title: 'factory-droid',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
