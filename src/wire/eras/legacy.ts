import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { sample } from '../frames/decode.ts'
import { legacyVersions } from '../message.ts'
import type { RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { WireError } from '../wire-error.ts'
import type { Greeting, ClientIdentity } from './greeting.ts'

/** Sends `initialize` and reads the answer. `acceptInitialize` then confirms the agreement. */
export async function askInitialize(
  rpc: Rpc,
  self: ClientIdentity,
  options: RequestOptions,
): Promise<Greeting> {
  const answer = await rpc.request(
    'initialize',
    {
      protocolVersion: legacyVersions[0],
      capabilities: withRootChanges(self.capabilities),
      clientInfo: { ...self.info },
    },
    { ...options, isUnlimited: true },
  )
  return readAnswer(answer)
}

/** Only the legacy era has notifications for changed roots. */
function withRootChanges({ roots, ...others }: JsonObject): JsonObject {
  return isObject(roots) ? { roots: { ...roots, listChanged: true }, ...others } : others
}

/** Confirms the handshake: from here on both sides use the agreed revision. */
export function acceptInitialize(rpc: Rpc, greeting: Greeting): Greeting {
  rpc.speak(greeting.version)
  rpc.notify('notifications/initialized')
  return greeting
}

function readAnswer(answer: Json): Greeting {
  const version = isObject(answer) ? answer['protocolVersion'] : undefined
  if (!isObject(answer) || typeof version !== 'string') {
    throw new WireError('protocol', 'The answer to initialize names no protocol version.', { sent: true })
  }
  if (!legacyVersions.some((known) => known === version)) {
    const message = `The server requires protocol version ${sample(JSON.stringify(version))}, which is not supported.`
    throw new WireError('protocol', message, { sent: true })
  }
  const { capabilities, serverInfo, instructions } = answer
  return {
    era: 'legacy',
    version,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}
