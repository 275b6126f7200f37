import { createSource } from './dialect.ts'

export const qwenCode = createSource({
  id: 'qwen-code',
  title: 'qwen-code',
  reads: 'unsure',
  roots: [['mcpServers']],
  rules: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, untypedUrl: 'http+sse', both: 'refuse' },
  values: { syntaxes: ['braces'], unset: 'keep' },
})
