import type { AuditCall } from '../audit/audit-row.ts'
import type { AuditTrail } from '../audit/audit-trail.ts'
import type { CallAudit } from '../calls/audit-call.ts'
import type { RefusedCall } from '../calls/audit-request.ts'
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
}

/** Larger arguments are not kept: a row has to fit into memory some thousand times. Their shape and size are. */
const maxValueBytes = 64 * 1024

/** Records the calls of a host. The trail is opened behind the first call: no call waits for it. */
export function createAudit(
  {
    platform,
    redactor,
    options,
    preset,
    events,
  }: Pick<HostContext, 'platform' | 'redactor' | 'options' | 'preset' | 'events'>,
  { trail: given, values = false, ...caller }: AuditOptions,
): HostAudit {
  const redact = (text: string) => redactor.redact(text)
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
    return { by, ...(await openOwnTrail(platform, { redact, hasSettings, onFailure })) }
  }
  const audit: HostAudit = {
    record: (call, args) =>
      void (opened ??= open()).then(({ by, trail, keepsValues }) => {
        if (!trail) return
        const isKept = keepsValues && call.argsBytes <= maxValueBytes
        const whole = { ...call, by: call.by ? { ...by, ...call.by } : by }
        trail.record(isKept ? { ...whole, args } : whole)
      }),
    refused: async (call) => (await import('../calls/audit-request.ts')).auditRefused(audit.record, call),
    async flush() {
      await (await opened)?.trail?.flush()
    },
  }
  return audit
}

interface OpenTrail {
  readonly by: Parameters<AuditTrail['record']>[0]['by']
  /** Absent if the person turned it off. */
  readonly trail?: AuditTrail
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
