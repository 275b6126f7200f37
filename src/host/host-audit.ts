import type { AuditCall } from '../audit/audit-row.ts'
import type { AuditTrail, ChainedTrail } from '../audit/audit-trail.ts'
import type { CallAudit } from '../calls/audit-call.ts'
import type { RefusedCall } from '../calls/audit-request.ts'
import type { Settings } from '../config/settings.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { JsonObject } from '../model/json.ts'
import type { HostContext } from './host-context.ts'
import type { AuditOptions } from './host-options.ts'

export interface HostAudit {
  /** Set by the host: makes secrets of servers known that were not started yet. Arguments are kept only after that. */
  knowSecrets?: () => Promise<void>
  readonly record: CallAudit
  /** Records a call that a program refused by itself. */
  refused(call: RefusedCall): Promise<void>
  /** Resolves when the rows are written. */
  flush(): Promise<void>
  /** The same, and says in the person's own trail that nothing follows. */
  close(): Promise<void>
}

/** Larger arguments are not kept: a row has to fit into memory some thousand times. Their shape and size are. */
const maxValueBytes = 64 * 1024

/**
 * Records the calls of a host. The trail is opened behind the first call: no call waits for it, unless the person's settings say
 * `sync`. Then `record` returns when the row is written, or could not be.
 */
export function createAudit(
  {
    platform,
    redactor,
    options,
    preset,
    events,
    settings,
  }: Pick<HostContext, 'platform' | 'redactor' | 'options' | 'preset' | 'events'> & {
    readonly settings: Settings
  },
  { trail: given, values = false, ...caller }: AuditOptions,
): HostAudit {
  const redact = (text: string) => redactor.redact(text)
  const isSync = options.settings !== false && settings.audit?.sync === true
  let opened: Promise<OpenTrail> | undefined
  const open = async (): Promise<OpenTrail> => {
    const found = await openTrail()
    if (found.keepsValues) await audit.knowSecrets?.()
    return found
  }
  const openTrail = async (): Promise<OpenTrail> => {
    const by = { surface: 'library', ...named(platform.account().name), ...caller }
    if (given) return { by, trail: masked(given, redact), keepsValues: values }
    if (preset.keepsNothing) return { by, keepsValues: false }
    const { openOwnTrail } = await import('./own-trail.ts')
    const onFailure = (message: string) => events.emit({ type: 'audit.failed', message })
    const hasSettings = options.settings !== false
    const { trail: own, keepsValues } = await openOwnTrail(platform, { redact, hasSettings, onFailure })
    return { by, keepsValues, ...(own && { trail: own, own }) }
  }
  const audit: HostAudit = {
    record(call, args) {
      const written = (opened ??= open()).then(({ by, trail, own, keepsValues }) => {
        if (!trail) return undefined
        const isKept = keepsValues && call.argsBytes <= maxValueBytes
        const whole = { ...call, by: call.by ? { ...by, ...call.by } : by }
        const row = isKept ? { ...whole, args } : whole
        return isSync && own ? own.recordNow(row) : trail.record(row)
      })
      return isSync ? written : undefined
    },
    refused: async (call) => (await import('../calls/audit-request.ts')).auditRefused(audit.record, call),
    async flush() {
      await (await opened)?.trail?.flush()
    },
    async close() {
      const { own, trail } = (await opened) ?? {}
      await (own ? own.close() : trail?.flush())
    },
  }
  return audit
}

interface OpenTrail {
  readonly by: Parameters<AuditTrail['record']>[0]['by']
  /** Absent if the person turned it off. */
  readonly trail?: AuditTrail
  /** The same, if it is the person's own. */
  readonly own?: ChainedTrail
  readonly keepsValues: boolean
}

/** A trail of the embedder that gets no known secret: a model may write one into the name of a tool or an argument (T35). */
function masked(trail: AuditTrail, redact: (text: string) => string): AuditTrail {
  return {
    record: (call) => trail.record(maskTexts(call as unknown as JsonObject, redact) as unknown as AuditCall), // texts stay texts
    flush: () => trail.flush(),
  }
}

function named(user: string | undefined): { readonly user?: string } {
  return user === undefined ? {} : { user }
}
