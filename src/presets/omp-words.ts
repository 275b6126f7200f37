import { HostError } from '../model/error.ts'
import type { ConnectionWords, SystemWords } from '../model/preset.ts'
import type { Failure } from '../model/status.ts'

/** omp's own messages, word for word (O20). */
export const ompWords = {
  invalidConfig: (reasons: readonly string[]) => `Invalid server config: ${reasons.join('; ')}`,
  alreadyExists: (name: string, path: string) => `Server "${name}" already exists in ${path}`,
  urlAndCommand: 'Use either --url or -- <command...>, not both.',
  tokenWithoutUrl: '--token requires --url (HTTP/SSE transport).',
  connectFailed: (name: string, message: string) => `Failed to connect to "${name}": ${message}`,
  timeoutHelp: 'The server took too long: increase "timeout" in its entry, which counts in milliseconds.',
  authHelp: (name: string) =>
    `The server answered 401 or 403: check "headers" or "auth" in its entry, or run /mcp reauth ${name}.`,
  noEndpoints: (name: string) =>
    `Authentication required for "${name}", but OAuth endpoints could not be discovered`,
  flowTimedOut: 'OAuth flow timed out. Please try again.',
  oauthFailed: (message: string) => `OAuth authentication failed: ${message}`,
  disabled: (name: string) => `Server "${name}" is disabled. Run /mcp enable ${name} first.`,
} as const

const connection: ConnectionWords = {
  failure(failure: Failure, server: string): Failure {
    const hint = helpFor(failure, server)
    return hint === undefined ? failure : { ...failure, hint }
  },

  error(error: HostError): HostError {
    const { code, data } = error
    if (code === 'server.disabled' && 'server' in data && data.server !== undefined)
      return new HostError(code, { server: data.server }, ompWords.disabled(data.server), { cause: error })
    if (code !== 'server.needs-auth' || !('failure' in data)) return error
    const { server, failure } = data
    const hint = ompWords.authHelp(server)
    const message = ompWords.connectFailed(server, failure.message)
    return new HostError(code, { server, failure: { ...failure, hint } }, message, { cause: error, hint })
  },
}

/** The messages of the host that these replace. */
export const ompSystemWords: SystemWords = {
  connection,
  login: {
    timedOut: ompWords.flowTimedOut,
    undiscovered: ompWords.noEndpoints,
    failed: ompWords.oauthFailed,
  },
}

/** The hint added to a failure's message; only timeouts and refused logins have one. */
export function helpFor({ code }: Failure, server: string): string | undefined {
  if (code === 'timeout') return ompWords.timeoutHelp
  return code === 'auth' || code === 'forbidden' ? ompWords.authHelp(server) : undefined
}
