import { isHostError } from '../../model/error.ts'
import type { Json } from '../../model/json.ts'
import type { CallAudit } from '../audit-call.ts'
import type { CallOptions, View } from '../view/view.ts'

type AuditedOffers = Pick<View, 'read' | 'prompt' | 'subscribe' | 'forward'>

/** Records requests for resources and prompts that were refused because they are held, as calls of held tools are. */
export function auditHeldOffers<O extends AuditedOffers>(
  offers: O,
  audit: CallAudit | undefined,
  agent: string | undefined,
): O {
  if (!audit) return offers
  const recorded = async <T>(args: Json, options: CallOptions | undefined, sent: Promise<T>): Promise<T> => {
    try {
      return await sent
    } catch (error) {
      if (isHostError(error, 'resource.held') || isHostError(error, 'prompt.held')) {
        const { auditRefused } = await import('../audit-request.ts')
        await auditRefused(audit, { tool: '', args, error, agent, caller: options?.forward?.caller })
      }
      throw error
    }
  }
  return {
    ...offers,
    read: (uri, options) => recorded({ uri }, options, offers.read(uri, options)),
    prompt: (server, name, args, options) =>
      recorded(args ?? {}, options, offers.prompt(server, name, args, options)),
    subscribe: (uri, listener, options) =>
      recorded({ uri }, options, offers.subscribe(uri, listener, options)),
    forward: (server, method, params, options) =>
      recorded(params ?? {}, options, offers.forward(server, method, params, options)),
  }
}
