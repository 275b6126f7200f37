import { createSource } from './dialect.ts'

export const lmStudio = createSource({
  id: 'lm-studio',
  title: 'lm-studio',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
