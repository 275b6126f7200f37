import type { Host, ServerStatus } from '../../index.ts'
import { nextCommand } from '../../model/next-command.ts'
import { helpFor, ompWords } from '../../presets/omp-words.ts'

type Status = ServerStatus['status']

export function isDown(status: Status): status is Extract<Status, { readonly failure: unknown }> {
  return status.state === 'failed' || status.state === 'waiting' || status.state === 'needs-auth'
}

/** Why servers are not there: they cannot be reached, nobody trusts them, or their entries are wrong. */
export function errorsOf(host: Host): readonly (readonly [string, string])[] {
  const { servers, diagnostics } = host.discovery
  const known = new Set(servers.map(({ name }) => name))
  const refused = diagnostics.flatMap(({ severity, server, message }) =>
    severity === 'error' && server !== undefined && !known.has(server)
      ? [[server, ompWords.invalidConfig([message])] as const]
      : [],
  )
  return [...refused, ...host.servers().flatMap((each) => errorOf(each))]
}

function errorOf({ name, status }: ServerStatus): readonly (readonly [string, string])[] {
  if (status.state === 'untrusted')
    return [
      [
        name,
        `Server "${name}" is declared by the project and not trusted: ${nextCommand('trust --preset omp', name)}`,
      ],
    ]
  if (!isDown(status)) return []
  const { failure } = status
  const help = helpFor(failure, name)
  const told = ompWords.connectFailed(name, failure.message)
  return [[name, help === undefined ? told : `${told}\n${help}`]]
}
