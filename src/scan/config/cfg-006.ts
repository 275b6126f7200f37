import type { ConfigRule } from './config-rule.ts'

export const plainHttp: ConfigRule = {
  id: 'CFG-006',
  severity: 'medium',
  title: 'Address without encryption',
  reason: 'Everyone on the way can read and change what the server says, tokens included.',
  remedy: 'Use https, or a tunnel that ends on this machine.',
  hits: [{ url: 'http://example.com/mcp' }, { url: 'http://127.0.0.1.example.com/mcp' }],
  misses: [
    { url: 'https://example.com/mcp' },
    { url: 'http://localhost:3000/mcp' },
    { url: 'http://[::1]:3000/mcp' },
  ],
  find: ({ transport }) => {
    if (transport.kind !== 'http' && transport.kind !== 'sse') return []
    if (transport.socketPath !== undefined || !URL.canParse(transport.url)) return []
    const { protocol, hostname } = new URL(transport.url)
    if (protocol !== 'http:' || isThisMachine(hostname)) return []
    return [{ severity: 'medium', pointer: '/url', message: `"${hostname}" is reached without encryption.` }]
  },
}

function isThisMachine(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]|host\.docker\.internal)$/.test(
    hostname,
  )
}
