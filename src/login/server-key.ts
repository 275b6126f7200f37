import { createHash } from 'node:crypto'

/** A server as logins know it: its whole address. A query may hold a secret, so that only its mark is kept. */
export function toLoginServer(url: URL): string {
  const plain = new URL(url)
  plain.hash = ''
  plain.username = ''
  plain.password = ''
  if (plain.search !== '') {
    plain.search = `?${createHash('sha256').update(plain.search).digest('hex').slice(0, 16)}`
  }
  return plain.href
}
