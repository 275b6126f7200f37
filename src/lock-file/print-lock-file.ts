import { lockMaps, lockTexts, lockVersion } from './lock-format.ts'
import type { LockFile, LockedServer } from '../model/locked-server.ts'

/**
 * The text of a lock file. Everything is sorted and stands on its own line, so that git merges the changes of two branches
 * that touch different servers or tools.
 */
export function printLockFile({ servers }: LockFile): string {
  const body = sorted(servers).map(([name, server]) => `    ${quote(name)}: ${printServer(server)}`)
  const lines = body.length === 0 ? '{}' : `{\n${body.join(',\n')}\n  }`
  return `{\n  "version": ${lockVersion},\n  "servers": ${lines}\n}\n`
}

function printServer(server: LockedServer): string {
  const texts = lockTexts.flatMap((key) => {
    const value = server[key]
    return value === undefined ? [] : [`      ${quote(key)}: ${quote(value)}`]
  })
  const maps = lockMaps.flatMap((key) => {
    const items = sorted(server[key] ?? new Map<string, string>()).map(
      ([name, hash]) => `        ${quote(name)}: ${quote(hash)}`,
    )
    // The tools are written even if there are none: that is agreed on too.
    if (items.length === 0) return key === 'tools' ? [`      "tools": {}`] : []
    return [`      ${quote(key)}: {\n${items.join(',\n')}\n      }`]
  })
  return `{\n${[...texts, ...maps].join(',\n')}\n    }`
}

function sorted<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Everything but plain ASCII is escaped: a reviewer must see hidden characters and look-alikes in the names of tools. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
