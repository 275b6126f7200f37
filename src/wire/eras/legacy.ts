import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { sample } from '../frames/decode.ts'
import { legacyVersions } from '../message.ts'
import type { RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { WireError } from '../wire-error.ts'
import type { Greeting, Self } from './greeting.ts'

/** Sends `initialize` and reads the answer; the connection is agreed on only by `acceptInitialize`. */
export async function askInitialize(rpc: Rpc, self: Self, options: RequestOptions): Promise<Greeting> {
  const answer = await rpc.request(
    'initialize',
    {
      protocolVersion: legacyVersions[0],
      capabilities: withChanges(self.capabilities),
      clientInfo: { ...self.info },
    },
    { ...options, isUnlimited: true },
  )
  return readAnswer(answer)
}

/** Only this era is told when the working directories are others. */
function withChanges({ roots, ...others }: JsonObject): JsonObject {
  return isObject(roots) ? { roots: { ...roots, listChanged: true }, ...others } : others
}

/** From here on both sides speak the agreed revision. */
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
    const message = `The server wants protocol version ${sample(JSON.stringify(version))}, which is not known here.`
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
