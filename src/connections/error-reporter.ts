import { HostError } from '../model/error.ts'
import { removeHidden } from '../model/hidden.ts'
import { maskTexts } from '../model/mask-texts.ts'
import { nextCommand } from '../model/next-command.ts'
import { isInCode } from '../model/server.ts'
import type { Failure } from '../model/status.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { nextStepsFor, toFailure } from './failure.ts'
import type { FailureContext } from './failure.ts'

type ReportContext = FailureContext & {
  readonly method: string
  /** Whether the caller set the time limit; otherwise the entry or a default did. */
  readonly isCallersLimit?: boolean | undefined
  /** Removes only known secrets: in data, a text that merely looks like a secret stays (D-9). */
  readonly mask?: (text: string) => string
}

/**
 * Converts an error for the caller of a request. It says whether the request ran, did not run, or may have run (D-5).
 */
export function toHostError(error: unknown, context: ReportContext): unknown {
  const { server, method } = context
  if (error instanceof RpcError) return toRefusedError(error, context)
  if (!(error instanceof WireError)) return error
  const { sent } = error
  const failure = toFailure(error, context)
  const { message: what } = failure
  const cause = withoutSecrets(error, context)
  const options = { cause, hint: failure.hint }
  const data = { server, method, sent }
  switch (error.code) {
    case 'timeout': {
      const hint = `See its output (${nextCommand('logs', server)}), or allow more time: ${timeLimit(context)}.`
      return new HostError('call.timeout', data, `"${server}": ${what}`, {
        cause,
        hint: nextStepsFor(hint, context),
      })
    }
    case 'cancelled':
      return new HostError('call.cancelled', data, `"${server}": ${what}`, { cause })
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

/** Where the time limit of a call can be raised. */
function timeLimit({ isCallersLimit = false }: ReportContext): string {
  return isCallersLimit ? 'this call has its own limit (timeoutMs, --timeout)' : '"timeout" in its entry'
}

/** The same error, or one without its own causes if a text of them contains a secret: programs print causes, too (T35). */
function withoutSecrets(error: WireError, { redact = unchanged }: ReportContext): WireError {
  const texts: string[] = []
  for (let each: unknown = error; each instanceof Error && texts.length < maxCauses; each = each.cause)
    texts.push(each.stack ?? each.message)
  const { code, message, sent, facts } = error
  const told = JSON.stringify([texts, message, facts])
  if (redact(told) === told) return error
  const { challenge, ...others } = facts
  const clean = { ...others, ...(challenge !== undefined && { challenge: redact(challenge) }) }
  return new WireError(code, redact(message), { sent, facts: clean })
}

const maxCauses = 10

/** The server's error message, data and cause, without any secret that we sent (T35). */
function toRefusedError(
  error: RpcError,
  { server, method, redact = unchanged, mask = unchanged }: ReportContext,
): HostError {
  const { code, status } = error
  const message = redact(error.message)
  const data = error.data === undefined ? undefined : maskTexts(error.data, mask)
  const fault = { code, message, ...(data !== undefined && { data }) }
  const told = redact(removeHidden(message).text)
  const cause = new RpcError(code, message, data, status)
  return new HostError('request.refused', { server, method, error: fault }, `"${server}" answered: ${told}`, {
    cause,
  })
}

function unchanged(text: string): string {
  return text
}

type ReporterOptions = Pick<ConnectionOptions, 'server' | 'clock' | 'redact' | 'mask' | 'reword'>

/** Reports the errors of one server: redacted, and in the wording of the preset. */
export class ErrorReporter {
  readonly #options: ReporterOptions

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  failure(error: unknown): Failure {
    const { reword, server } = this.#options
    const failure = toFailure(error, this.#context())
    return reword ? reword.failure(failure, server.name) : failure
  }

  /** The error for the caller of a request. */
  hostError(error: unknown, method: string, isCallersLimit?: boolean): unknown {
    const told = toHostError(error, { ...this.#context(), method, isCallersLimit })
    const { reword } = this.#options
    return reword && told instanceof HostError ? reword.error(told) : told
  }

  #context() {
    const { server, clock, redact, mask } = this.#options
    return {
      server: server.name,
      at: clock.now(),
      isInCode: isInCode(server),
      ...(redact && { redact }),
      ...(mask && { mask }),
    }
  }
}
