import type { Server } from '../../model/server.ts'
import type { Era } from '../../model/status.ts'
import type { Clock } from '../../platform/platform.ts'
import { legacyVersions, modernVersion } from '../message.ts'
import type { RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError, WireError } from '../wire-error.ts'
import type { Greeting, Self } from './greeting.ts'
import { acceptInitialize, askInitialize } from './legacy.ts'
import { askDiscover, assumedModern, isModernError, offeredVersions } from './modern.ts'

export interface NegotiateOptions extends Pick<RequestOptions, 'signal' | 'timeoutMs'> {
  readonly protocol: Server['protocol']
  /** What an earlier connection found out. */
  readonly remembered?: Era | undefined
  /** Where nothing would have to be asked, something is asked nevertheless. */
  readonly isTrial?: boolean | undefined
  readonly self: Self
  readonly clock: Clock
  /** How long a pipe may be silent after the probe before `initialize` is sent as well. */
  readonly probeGraceMs: number
}

/** Finds out which era the server is of, and agrees on a revision with it (D-3). */
export async function negotiate(rpc: Rpc, options: NegotiateOptions): Promise<Greeting> {
  const { protocol, remembered, self } = options
  if (protocol === 'legacy') return acceptInitialize(rpc, await askInitialize(rpc, self, asked(options)))
  if (protocol === modernVersion) {
    rpc.speak(modernVersion)
    if (options.isTrial) await tryOut(rpc, options)
    return assumedModern()
  }
  if (remembered !== 'legacy') return probe(rpc, options)
  try {
    return acceptInitialize(rpc, await askInitialize(rpc, self, asked(options)))
  } catch (error) {
    // It may have moved on since; an answer of any kind shows that it is there to be asked.
    if (!isDeclined(error)) throw error
    return probe(rpc, options)
  }
}

/** Whatever it answers, it is there. */
async function tryOut(rpc: Rpc, options: NegotiateOptions): Promise<void> {
  await askDiscover(rpc, options.self, asked(options)).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
  })
}

function asked({ signal, timeoutMs }: NegotiateOptions): RequestOptions {
  return { signal, timeoutMs }
}

async function probe(rpc: Rpc, options: NegotiateOptions): Promise<Greeting> {
  // Over HTTP the question itself is put in the revision it asks about. On a pipe nothing is agreed on yet.
  if (rpc.kind !== 'stdio') rpc.speak(modernVersion)
  const discovered = askDiscover(rpc, options.self, asked(options)).catch((error: unknown) => {
    if (isOldServer(error)) return undefined
    throw error
  })
  // HTTP answers every request; a pipe may just stay silent on a method it does not know.
  if (rpc.kind !== 'stdio') return (await discovered) ?? fallBack(rpc, options)
  return probeInPlace(rpc, discovered, options)
}

/** Not knowing the probe is how a server of the old era shows itself, whatever words it uses for it. */
function isOldServer(error: unknown): boolean {
  if (isModernError(error)) {
    // Refusing our revision while offering older ones is an invitation, not a recognized modern error.
    const offered = offeredVersions(error)
    return !offered.includes(modernVersion) && legacyVersions.some((version) => offered.includes(version))
  }
  return isDeclined(error)
}

/** The server answered, and the answer is no. Authorization and overload say nothing about the era. */
function isDeclined(error: unknown): boolean {
  if (error instanceof RpcError) return true
  if (!(error instanceof WireError)) return false
  const { status } = error.facts
  if (status === undefined) return error.code === 'protocol'
  return ![401, 403, 407, 408, 429, 502, 503, 504].includes(status)
}

async function fallBack(rpc: Rpc, options: NegotiateOptions): Promise<Greeting> {
  rpc.speak(legacyVersions[0])
  return acceptInitialize(rpc, await askInitialize(rpc, options.self, asked(options)))
}

/**
 * A pipe is asked once. When it stays silent, `initialize` follows while the first question is still open: whichever
 * is answered first decides, so that a slow start is not mistaken for an old server.
 */
async function probeInPlace(
  rpc: Rpc,
  discovered: Promise<Greeting | undefined>,
  options: NegotiateOptions,
): Promise<Greeting> {
  const silence = new AbortController()
  const isSilent = options.clock.sleep(options.probeGraceMs, silence.signal, { background: true }).then(
    () => 'silent' as const,
    () => undefined,
  )
  const first = await Promise.race([discovered, isSilent]).finally(() => silence.abort())
  if (first !== 'silent') return first ? accept(rpc, first) : fallBack(rpc, options)
  const initialized = askInitialize(rpc, options.self, asked(options))
  const modern = discovered.then((greeting) => greeting ?? initialized)
  // A server of the new era may refuse it while it still thinks about the first question.
  const legacy = initialized.catch(() => modern)
  return accept(rpc, await Promise.race([modern, legacy]))
}

function accept(rpc: Rpc, greeting: Greeting): Greeting {
  if (greeting.era === 'legacy') return acceptInitialize(rpc, greeting)
  rpc.speak(modernVersion)
  return greeting
}
