import { createSource } from './dialect.ts'

export const agentPlugins = createSource({
  id: 'agent-plugins',
  title: 'agent-plugins',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
