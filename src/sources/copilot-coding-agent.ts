import { createSource } from './dialect.ts'

export const copilotCodingAgent = createSource({
  id: 'copilot-coding-agent',
  title: 'copilot-coding-agent',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
