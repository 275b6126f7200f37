import type { Clock } from '../platform/platform.ts'
import type { RequestOptions } from '../wire/pending.ts'
import { WireError } from '../wire/wire-error.ts'
import type { Link } from './link.ts'
import { isLooking, remedyFor } from './retry.ts'

export interface CallOptions extends RequestOptions {
  /** Doing it twice is the same as doing it once, so it may be asked again. */
  readonly isRepeatable?: boolean
}

/** Who holds the link, and wants to know how it does. */
export interface Holder {
  readonly clock: Clock
  readonly isClosed: boolean
  jitter(): number
  /** The open link, at once where there is one. */
  link(signal: AbortSignal | undefined): Link | Promise<Link>
  answered(): void
  refused(error: WireError, link: Link): void
}

/** Asks, and asks again where that mends it and does no harm (D-5). */
export async function askThrough<T>(
  holder: Holder,
  { method, options }: { readonly method: string; readonly options: CallOptions },
  ask: (link: Link) => Promise<T>,
): Promise<T> {
  const isRepeatable = options.isRepeatable ?? isLooking(method)
  for (let tries = 0; ; tries++) {
    const found = holder.link(options.signal)
    const link = found instanceof Promise ? await found : found
    try {
      const result = await ask(link)
      holder.answered()
      return result
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      holder.refused(error, link)
      const remedy = remedyFor(error, { isRepeatable, tries, jitter: holder.jitter() })
      if (remedy.kind === 'none' || holder.isClosed) throw error
      if (remedy.kind === 'wait') await pause(remedy.ms, options.signal, holder.clock)
    }
  }
}

export async function pause(ms: number, signal: AbortSignal | undefined, clock: Clock): Promise<void> {
  await clock.sleep(ms, signal).catch((cause: unknown) => {
    throw new WireError('cancelled', 'Cancelled before it was sent.', { cause })
  })
}
