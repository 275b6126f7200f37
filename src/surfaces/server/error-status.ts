import { HostError } from '../../index.ts'
import type { ErrorCode } from '../../index.ts'
import type { Fault } from '../api/shared-shapes.ts'
import { RequestFault } from './request-fault.ts'

/** The status of an answer by the code of the error. */
export const statusOfError: Readonly<Record<ErrorCode, number>> = {
  usage: 400,
  'server.unknown': 404,
  'agent.unknown': 404,
  'source.unknown': 404,
  'config.invalid': 422,
  'config.exists': 409,
  'config.conflict': 409,
  'config.locked': 409,
  'config.unwritable': 409,
  'trust.refused': 403,
  'store.damaged': 503,
  'store.unavailable': 503,
  'store.newer': 503,
  'store.unknown': 404,
  'task.unknown': 404,
  'task.unreachable': 409,
  'store.conflict': 409,
  'key.unknown': 404,
  'key.exists': 409,
  'version.unknown': 404,
  'question.unknown': 404,
  'question.settled': 409,
  'runner.unavailable': 409,
  'value.unresolved': 409,
  'server.disabled': 409,
  'server.untrusted': 403,
  'server.needs-auth': 409,
  'server.failed': 502,
  'login.failed': 502,
  'login.timeout': 504,
  'login.cancelled': 409,
  'host.closed': 503,
  'registry.failed': 502,
  'registry.unknown': 404,
  'model.none': 409,
  'model.unknown': 404,
  'model.unauthorized': 409,
  'model.unavailable': 502,
  'model.busy': 503,
  'model.refused': 502,
  'request.refused': 502,
  'tool.quarantined': 409,
  'tool.held': 403,
  'app.held': 403,
  'app.unusable': 422,
  'prompt.held': 403,
  'resource.held': 403,
  'tool.failed': 502,
  'tool.unknown': 404,
  'prompt.unknown': 404,
  'resource.unknown': 404,
  'skill.unknown': 404,
  'skill.unverified': 502,
  'call.invalid-args': 422,
  'call.denied': 403,
  'call.limited': 429,
  'call.busy': 503,
  'call.unknown': 404,
  'call.timeout': 504,
  'call.cancelled': 409,
  'call.too-large': 502,
  'call.protocol': 502,
  'call.outcome-unknown': 502,
  'code.needed': 403,
  'code.wrong': 403,
  'serve.running': 409,
  'serve.none': 404,
}

/** What a failed request is answered with. An unexpected error is reported by its message alone: its stack is for the terminal. */
export function faultOf(error: unknown): { readonly status: number; readonly fault: Fault } {
  if (error instanceof RequestFault) return { status: error.status, fault: error.toFault() }
  if (error instanceof HostError) {
    const { code, message, hint, data }: HostError = error
    const fault = { code, message, ...(hint !== undefined && { hint }), ...withData(data) }
    return { status: statusOfError[code], fault }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { status: 500, fault: { code: 'internal', message: `Plugboard failed unexpectedly: ${message}` } }
}

/** The fault with its file as a person writes it, and with a full stop. Its data keep the whole path. */
export function withShownFile({ message, hint, ...fault }: Fault, shorten: (file: string) => string): Fault {
  const file = fault.data?.['file']
  const shown = (text: string) =>
    typeof file === 'string' && file !== '' ? text.replaceAll(file, shorten(file)) : text
  return {
    ...fault,
    message: shown(/[.!?…]$/.test(message) ? message : `${message}.`),
    ...(hint !== undefined && { hint: shown(hint) }),
  }
}

function withData(data: object): Pick<Fault, 'data'> {
  return Object.keys(data).length === 0 ? {} : { data: { ...data } }
}
