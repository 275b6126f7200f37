import { createSource } from './dialect.ts'

export const visualStudio = createSource({
  id: 'visual-studio',
  title: 'visual-studio',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
