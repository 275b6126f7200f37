import { parseStartTags, startTagVariable, starterOf } from '../start-tag.ts'
import type { Env } from '../platform.ts'
import { readProcess } from './process-table.ts'

/** Hosts that run in each other. No real setup nests deeper, so more of them are a loop that was not recognized otherwise. */
const maxNested = 3

/**
 * Whether this process is the program that a host started as a server, or a part of it. A terminal that a server opened has
 * a session of its own, and so has what a person starts there: that is not a part of it.
 */
export function isStartedAsServer(env: Env): boolean {
  const tags = parseStartTags(env[startTagVariable] ?? '')
  if (tags.length > maxNested) return true
  const starter = starterOf(tags.at(-1) ?? '')
  if (starter === undefined) return false
  if (process.ppid === starter) return true
  const own = process.platform === 'linux' ? readProcess(process.pid) : undefined
  // A host starts each program as the leader of a session.
  return own !== undefined && readProcess(own.session)?.parent === starter
}
