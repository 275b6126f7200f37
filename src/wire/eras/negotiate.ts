import type { Server } from '../../model/server.ts'
import type { Era } from '../../model/status.ts'
import type { Clock } from '../../platform/platform.ts'
import { legacyVersions, modernVersion } from '../message.ts'
import type { RequestOptions } from '../pending.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError, WireError } from '../wire-error.ts'
import type { Greeting, ClientIdentity } from './greeting.ts'
import { acceptInitialize, askInitialize } from './legacy.ts'
import { askDiscover, assumedModern, isModernError, offeredVersions } from './modern.ts'

export interface NegotiateOptions extends Pick<RequestOptions, 'signal' | 'timeoutMs'> {
  readonly protocol: Server['protocol']
  /** The era found by an earlier connection. */
  readonly remembered?: Era | undefined
  /** Send a request even if the entry fixes the revision, to check that the server answers. */
  readonly isTrial?: boolean | undefined
  readonly self: ClientIdentity
  readonly clock: Clock
  /** How long to wait for an answer to the probe on a pipe before `initialize` is sent as well. */
  readonly probeGraceMs: number
}

/** Determines the server's era and agrees on a revision (D-3). */
export async function negotiate(rpc: Rpc, options: NegotiateOptions): Promise<Greeting> {
  const { protocol, remembered, self } = options
  if (protocol === 'legacy')
    return acceptInitialize(rpc, await askInitialize(rpc, self, requestOptionsOf(options)))
  if (protocol === modernVersion) {
    rpc.speak(modernVersion)
    if (options.isTrial) await checkAnswers(rpc, options)
    return assumedModern()
  }
  if (remembered !== 'legacy') return probe(rpc, options)
  try {
    return acceptInitialize(rpc, await askInitialize(rpc, self, requestOptionsOf(options)))
  } catch (error) {
    // The server may have been upgraded since; it did answer, so probe it.
    if (!isRejection(error)) throw error
    return probe(rpc, options)
  }
}

/** Checks that the server answers; an error answer is fine. */
async function checkAnswers(rpc: Rpc, options: NegotiateOptions): Promise<void> {
  await askDiscover(rpc, options.self, requestOptionsOf(options)).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error
  })
}

function requestOptionsOf({ signal, timeoutMs }: NegotiateOptions): RequestOptions {
  return { signal, timeoutMs }
}

async function probe(rpc: Rpc, options: NegotiateOptions): Promise<Greeting> {
  // Over HTTP the probe itself is sent in the modern revision. On a pipe nothing is agreed yet.
  if (rpc.kind !== 'stdio') rpc.speak(modernVersion)
  const discovered = askDiscover(rpc, options.self, requestOptionsOf(options)).catch((error: unknown) => {
    if (isLegacyRejection(error)) return undefined
    throw error
  })
  // HTTP always answers; a server on a pipe may ignore an unknown method.
  if (rpc.kind !== 'stdio') return (await discovered) ?? fallBack(rpc, options)
  return probePipe(rpc, discovered, options)
}

/** A legacy server does not know the probe and rejects it, with any error. */
function isLegacyRejection(error: unknown): boolean {
  if (isModernError(error)) {
    // Rejecting our revision but listing older ones is a request to fall back.
    const offered = offeredVersions(error)
    return !offered.includes(modernVersion) && legacyVersions.some((version) => offered.includes(version))
  }
  return isRejection(error)
}

/** The server answered with a rejection. Authorization and overload say nothing about the era. */
function isRejection(error: unknown): boolean {
  if (error instanceof RpcError) return true
  if (!(error instanceof WireError)) return false
  const { status } = error.facts
  if (status === undefined) return error.code === 'protocol'
  return ![401, 403, 407, 408, 429, 502, 503, 504].includes(status)
}

async function fallBack(rpc: Rpc, options: NegotiateOptions): Promise<Greeting> {
  rpc.speak(legacyVersions[0])
  return acceptInitialize(rpc, await askInitialize(rpc, options.self, requestOptionsOf(options)))
}

/**
 * Probes a pipe once. If there is no answer, `initialize` is sent while the probe is still open, and the first answer
 * decides: a slow start is not mistaken for a legacy server.
 */
async function probePipe(
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
  const initialized = askInitialize(rpc, options.self, requestOptionsOf(options))
  const modern = discovered.then((greeting) => greeting ?? initialized)
  // A modern server may reject `initialize` while the probe is still pending.
  const legacy = initialized.catch(() => modern)
  return accept(rpc, await Promise.race([modern, legacy]))
}

function accept(rpc: Rpc, greeting: Greeting): Greeting {
  if (greeting.era === 'legacy') return acceptInitialize(rpc, greeting)
  rpc.speak(modernVersion)
  return greeting
}
