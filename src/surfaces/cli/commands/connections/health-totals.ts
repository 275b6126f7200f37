import type { Diagnostic } from '../../../../index.ts'
import { isBrokenFile } from '../../discover-servers.ts'
import { count } from '../../output/draw.ts'
import type { Examination, Health } from './examine-server.ts'

/** How many servers are ready, and why the others are not. */
export interface HealthTotals {
  readonly ready: number
  /** Switched on, but waiting for trust or a login, broken or unusable. */
  readonly notReady: number
  readonly off: number
  readonly notStarted: number
  readonly byHealth: Readonly<Partial<Record<Health, number>>>
  readonly brokenFiles: number
}

export function countHealth(found: readonly Examination[], diagnostics: readonly Diagnostic[]): HealthTotals {
  const byHealth: Partial<Record<Health, number>> = {}
  for (const { health } of found) byHealth[health] = (byHealth[health] ?? 0) + 1
  const { ok: ready = 0, off = 0, 'not started': notStarted = 0 } = byHealth
  const files = diagnostics.filter(isBrokenFile).map(({ origin }) => origin?.file)
  return {
    ready,
    notReady: found.length - ready - off - notStarted,
    off,
    notStarted,
    byHealth,
    brokenFiles: new Set(files).size,
  }
}

const reasons = {
  'needs trust': 'waiting for trust',
  changed: 'changed since they were trusted',
  'needs login': 'waiting for a login',
  broken: 'broken',
  unusable: 'unusable',
} as const satisfies Partial<Record<Health, string>>

/** One line: `2 of 5 servers ready; not ready: 1 waiting for trust, 2 broken; 1 off; 1 file cannot be used`. */
export function drawTotals({
  ready,
  notReady,
  off,
  notStarted,
  byHealth,
  brokenFiles,
}: HealthTotals): string {
  const why = Object.entries(reasons).flatMap(([health, text]) => {
    const number = byHealth[health as Health] ?? 0 // a key of `reasons`
    return number > 0 ? [`${number} ${text}`] : []
  })
  return [
    `${ready} of ${count(ready + notReady + notStarted, 'server')} ready`,
    ...(why.length > 0 ? [`not ready: ${why.join(', ')}`] : []),
    ...(notStarted > 0 ? [`${notStarted} not started`] : []),
    ...(off > 0 ? [`${off} off`] : []),
    ...(brokenFiles > 0 ? [`${count(brokenFiles, 'file')} cannot be used`] : []),
  ].join('; ')
}
