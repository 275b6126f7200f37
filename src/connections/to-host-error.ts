import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { toFailure } from './failure.ts'

/** What the caller of a request is told: whether it ran, did not run, or nobody knows (D-5). */
export function toHostError(
  error: unknown,
  context: { readonly server: string; readonly method: string; readonly at: number },
): unknown {
  const { server, method } = context
  if (error instanceof RpcError) {
    const { code, message, data } = error
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
  const options = { cause: error, hint: failure.hint }
  const data = { server, method, sent }
  switch (error.code) {
    case 'timeout':
      return new HostError('call.timeout', data, `"${server}": ${error.message}`, {
        cause: error,
        hint: `Look at what it said (${nextCommand('logs', server)}), or give it more time: "timeout" in its entry.`,
      })
    case 'cancelled':
      return new HostError('call.cancelled', data, `"${server}": ${error.message}`, { cause: error })
    case 'too-large':
      return new HostError('call.too-large', data, `"${server}": ${error.message}`, options)
    case 'protocol':
      return new HostError('call.protocol', data, `"${server}": ${error.message}`, options)
    case 'busy':
      return new HostError('call.busy', { server }, `"${server}" is busy: ${error.message}`, options)
    case 'auth':
      return new HostError(
        'server.needs-auth',
        { server, failure },
        `Server "${server}" asked for a login.`,
        options,
      )
    default: {
      if (!sent)
        return new HostError('server.failed', { server, failure }, `"${server}": ${error.message}`, options)
      const message = `"${server}" may or may not have done it: ${error.message}`
      return new HostError('call.outcome-unknown', { ...data, failure }, message, options)
    }
  }
}
