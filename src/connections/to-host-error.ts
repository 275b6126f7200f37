import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { toFailure } from './failure.ts'
import type { FailureContext } from './failure.ts'

/** What the caller of a request is told: whether it ran, did not run, or nobody knows (D-5). */
export function toHostError(error: unknown, context: FailureContext & { readonly method: string }): unknown {
  const { server, method, redact = (text: string) => text } = context
  if (error instanceof RpcError) {
    const { code, data } = error
    const message = redact(error.message)
    const fault = { code, message, ...(data !== undefined && { data }) }
    return new HostError(
      'request.refused',
      { server, method, error: fault },
      `"${server}" answered: ${message}`,
      {
        cause: error,
      },
    )
  }
  if (!(error instanceof WireError)) return error
  const { sent } = error
  const failure = toFailure(error, context)
  const { message: what } = failure
  const options = { cause: error, hint: failure.hint }
  const data = { server, method, sent }
  switch (error.code) {
    case 'timeout':
      return new HostError('call.timeout', data, `"${server}": ${what}`, {
        cause: error,
        hint: `Look at what it said (${nextCommand('logs', server)}), or give it more time: "timeout" in its entry.`,
      })
    case 'cancelled':
      return new HostError('call.cancelled', data, `"${server}": ${what}`, { cause: error })
    case 'too-large':
      return new HostError('call.too-large', data, `"${server}": ${what}`, options)
    case 'protocol':
      return new HostError('call.protocol', data, `"${server}": ${what}`, options)
    case 'busy':
      return new HostError('call.busy', { server }, `"${server}" is busy: ${what}`, options)
    case 'auth':
      return new HostError(
        'server.needs-auth',
        { server, failure },
        error.facts.isOfEntry ? `"${server}": ${what}` : `Server "${server}" asked for a login.`,
        options,
      )
    case 'forbidden':
      if (!failure.lacking) break
      return new HostError(
        'server.needs-auth',
        { server, failure },
        `Server "${server}" asked for a login with more rights.`,
        options,
      )
    default:
      break
  }
  if (!sent) return new HostError('server.failed', { server, failure }, `"${server}": ${what}`, options)
  const message = `"${server}" may or may not have done it: ${what}`
  return new HostError('call.outcome-unknown', { ...data, failure }, message, options)
}
