import { HostError, isHostError, toRef } from '../../index.ts'
import type { JsonObject, UnlistedServer } from '../../index.ts'
import type { GatewayView } from './gateway-view.ts'
import type { ServedRequest } from './served-request.ts'
import type { ServerLogins } from './server-logins.ts'

/**
 * A request for something of a server of which nothing is known. If it needs a login, the client is asked for it as for a
 * known server. Returns the request once the server is listed, or what the client gets instead. Throws why it is not listed.
 */
export async function untilListed(
  { server, error }: UnlistedServer,
  request: ServedRequest,
  { gatewayView, logins }: { readonly gatewayView: GatewayView; readonly logins: ServerLogins },
): Promise<{ readonly request: ServedRequest } | { readonly question: JsonObject }> {
  const isListed = async () => {
    // Waits until it is listed, or has failed again.
    await gatewayView.view.ready({ tool: toRef(server, '*') })
    return gatewayView.unlisted().every((each) => each.server !== server)
  }
  const begun = await logins.begin(request, server, false)
  if (begun !== request && !begun.refusesLogin && (await isListed())) return { request: begun }
  const question = await logins.offer(error, begun)
  if (question === 'again' && (await isListed())) return { request: begun }
  if (question !== undefined && question !== 'again') return { question }
  throw toSentence(server, error, begun)
}

/** What a client is told: callers that are not the person who runs the gateway cannot log in for all. */
function toSentence(server: string, error: HostError, { caller }: ServedRequest): HostError {
  if (!isHostError(error, 'server.needs-auth')) return error
  const isHere = caller === undefined || caller.kind === 'owner'
  const { hint = `Run: plugboard login ${server}`, data } = error
  const message = `Server "${server}" asked for a login, so what it offers is not known yet.`
  return new HostError('server.needs-auth', data, message, {
    hint: isHere ? hint : `For the person who runs the gateway: ${hint}`,
  })
}

/** What a model is told about servers that are in no list. The code of a failure alone: messages name paths of this machine. */
export function unlistedInstructions(servers: readonly UnlistedServer[]): string | undefined {
  if (servers.length === 0) return undefined
  const lines = servers.map(({ server, prefix, error }) =>
    isHostError(error, 'server.needs-auth')
      ? `- "${server}" needs a login first. A call of any name that begins with "${prefix}" says how to log in.`
      : `- "${server}" cannot be used now. A call of any name that begins with "${prefix}" says why.`,
  )
  return ['These servers are not in the lists:', ...lines].join('\n')
}
