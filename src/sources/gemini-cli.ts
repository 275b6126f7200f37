import { createSource } from './dialect.ts'

export const geminiCli = createSource({
  id: 'gemini-cli',
  title: 'gemini-cli',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
