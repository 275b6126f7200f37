import { createSource } from './dialect.ts'

export const copilotCli = createSource({
  id: 'copilot-cli',
  title: 'copilot-cli',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
