import { join } from 'node:path'
import { AuditFiles } from '../audit/audit-files.ts'
import { ChainedTrail } from '../audit/audit-trail.ts'
import { stateDirectory } from '../config/own-directories.ts'
import { readSettings } from '../config/settings.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Platform } from '../platform/platform.ts'

interface OwnTrailOptions {
  readonly redact: Mask
  /** Whether the person's settings are read. */
  readonly hasSettings: boolean
  readonly onFailure: (message: string) => void
}

/** Opens the person's own trail for writing. Nothing is opened if their settings turn it off. */
export async function openOwnTrail(
  platform: Platform,
  { redact, hasSettings, onFailure }: OwnTrailOptions,
): Promise<{ readonly trail?: ChainedTrail; readonly keepsValues: boolean }> {
  const { audit } = hasSettings ? (await readSettings(platform)).settings : {}
  if (audit?.rows === 'off') return { keepsValues: false }
  const trail = new ChainedTrail({
    sink: ownAuditFiles(platform),
    clock: platform.clock,
    redact,
    onFailure(rows, error) {
      const [what, fate] = rows === 1 ? ['1 row', 'It is'] : [`${rows} rows`, 'They are']
      const reason = error instanceof Error ? error.message : String(error)
      onFailure(
        `${what} of the audit trail cannot be written: ${reason}. ${fate} lost if the program ends before ${join(stateDirectory(platform), 'audit')} can be written.`,
      )
    },
  })
  return { trail, keepsValues: audit?.rows === 'values' }
}

export function ownAuditFiles(platform: Platform): AuditFiles {
  const { files, lock, clock } = platform
  return new AuditFiles({ directory: join(stateDirectory(platform), 'audit'), files, lock, clock })
}
