import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodePlatform } from '../../../index.ts'
import type { Platform } from '../../../index.ts'
import { stateDirectory } from '../../../internal.ts'

const maxBytes = 1024 * 1024

export function deskLogFile(preset: string, platform: Platform = nodePlatform()): string {
  return join(stateDirectory(platform), 'gateway', `${preset}.log`)
}

/** The log of the gateway of a user: what it did, one line each. A large one is moved aside at the start. */
export function openDeskLog(preset: string) {
  const file = deskLogFile(preset)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.1`)
  } catch {
    // Such as a read-only home: then there is no log.
  }
  let isOpen = true
  return {
    log: (message: string): void => {
      if (!isOpen) return
      try {
        appendFileSync(file, `${new Date().toISOString()} ${message.replaceAll(/\s+/g, ' ')}\n`, {
          mode: 0o600,
        })
      } catch {
        isOpen = false
      }
    },
  }
}

/** The last lines of the log; none if there is no log. */
export function readDeskLog(file: string, lines: number): readonly string[] {
  try {
    const all = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    return lines === 0 ? [] : all.slice(-lines)
  } catch {
    return []
  }
}
