import { maskTokens } from '../../model/secrets/token-forms.ts'
import { isOfProject, namedValues } from './config-rule.ts'
import type { ConfigRule, NamedValue } from './config-rule.ts'

const secretKey =
  /(?:^|[_-])(?:api[_-]?key|key|token|secret|password|passwd|pwd|authorization|credentials?)$/i

export const literalSecret: ConfigRule = {
  id: 'CFG-007',
  severity: 'high',
  title: 'Secret written into the file',
  reason: 'Whoever can read the file, its backups or its repository has the secret.',
  remedy: 'Replace it by a reference such as ${env:NAME} and renew the secret.',
  hits: [
    { command: 'server', env: { API_KEY: 'q8Zr4Lw0Xc9Vb2Nm6Kj1Hg5Fd3Sa7Pt' } },
    { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer q8Zr4Lw0Xc9Vb2Nm6Kj1' } },
  ],
  misses: [
    { command: 'server', env: { API_KEY: '${API_KEY}', CACHE_KEY: 'articles' } },
    { command: 'server', args: ['--key=${env:KEY}'] },
    { command: 'server', env: { API_KEY: 'your-api-key-here' } },
  ],
  find: (server) =>
    namedValues(server)
      .filter(isSecret)
      .map(({ field, key, pointer }) => ({
        severity: isOfProject(server) ? 'high' : 'medium',
        pointer,
        message:
          key === '' || field === 'url' ? 'It holds a secret as it is.' : `"${key}" holds a secret as it is.`,
      })),
}

function isSecret({ key, value, field }: NamedValue): boolean {
  if (/\$\{|\$[A-Z_]|\{env:|\{\{/.test(value)) return false
  if (maskTokens(value, '\0') !== value) return true
  return (field === 'env' || field === 'headers') && secretKey.test(key) && looksRandom(value)
}

/** Long, of several kinds of characters and not made of words. */
function looksRandom(value: string): boolean {
  const text = value.replace(/^(?:bearer|basic|token)\s+/i, '')
  if (text.length < 16 || /\s/.test(text)) return false
  if (/(?:your|example|placeholder|changeme|xxxx|dummy|insert|replace)/i.test(text)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(text)).length
  return kinds >= 2 && new Set(text).size >= 10 && /\d/.test(text)
}
