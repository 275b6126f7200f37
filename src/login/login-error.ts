import { HostError } from '../model/error.ts'
import { nextCommand } from '../model/next-command.ts'
import { ompWords } from '../model/omp-words.ts'
import { AuthError } from './auth-error.ts'

/** Why a login did not come about, for whoever asked for it: in the words of omp where those are wanted (O20). */
export function toHostError(error: unknown, name: string, saysOmp: boolean): unknown {
  if (!(error instanceof AuthError)) return error
  const { reason, oauth, message } = error
  if (reason === 'cancelled')
    return new HostError('login.cancelled', { server: name }, message, { cause: error })
  if (reason === 'timeout') {
    const text = saysOmp ? ompWords.flowTimedOut : `"${name}": ${message}`
    const hint = `Try again: ${nextCommand('login', name)}`
    return new HostError('login.timeout', { server: name }, text, { cause: error, hint })
  }
  const data = { server: name, reason, ...(oauth !== undefined && { oauth }) }
  const hint = hintFor(error, name)
  return new HostError('login.failed', data, saysOmp ? inOmpWords(error, name) : `"${name}": ${message}`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  })
}

function inOmpWords({ reason, message }: AuthError, name: string): string {
  return reason === 'undiscovered' ? ompWords.noEndpoints(name) : ompWords.oauthFailed(message)
}

function hintFor({ reason, oauth }: AuthError, name: string): string | undefined {
  if (reason === 'undiscovered')
    return `A token can be put into "headers" of its entry: ${nextCommand('why', name)}`
  if (reason === 'unregistered')
    return 'Register a client with the issuer, and put its id into "auth": { "clientId": … } of the entry.'
  if (reason === 'no-port') return `Name another port: ${nextCommand('login', name)} --port N`
  if (reason === 'unreachable' || oauth === 'access_denied') return `Try again: ${nextCommand('login', name)}`
  return undefined
}
