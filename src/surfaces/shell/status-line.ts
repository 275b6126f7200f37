import type { Host, Status } from '../../index.ts'
import { escapeLine } from '../terminal/escape.ts'

const words: readonly (readonly [Status['state'], string])[] = [
  ['ready', 'ready'],
  ['connecting', 'connecting'],
  ['waiting', 'trying again'],
  ['needs-auth', 'needs login'],
  ['failed', 'failed'],
  ['untrusted', 'needs trust'],
  ['idle', 'idle'],
  ['disabled', 'off'],
]

/** How all servers are doing, in one line: those of which there are few by name. */
export function drawStatus(host: Pick<Host, 'servers' | 'tools'>): string {
  const servers = host.servers()
  if (servers.length === 0) return 'no servers yet: /mcp add'
  const parts = words.flatMap(([state, word]) => {
    const names = servers.filter(({ status }) => status.state === state).map(({ name }) => name)
    if (names.length === 0) return []
    const isTold = names.length <= 2 && state !== 'ready' && state !== 'idle' && state !== 'disabled'
    return [`${names.length} ${word}${isTold ? ` (${names.map(escapeLine).join(', ')})` : ''}`]
  })
  const count = host.tools().length
  return [`${count} tool${count === 1 ? '' : 's'}`, ...parts].join(' · ')
}
