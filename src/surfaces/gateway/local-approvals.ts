import type { ApprovalQuestion } from '../../index.ts'
import type { GatewayPerson } from './gateway-person.ts'
import type { ServedRequest } from './served-request.ts'

/** The call that a person was shown. */
interface ShownCall {
  readonly call: string
  readonly boundTo: string
  readonly args: string
}

type ApprovalAnswer = 'once' | 'no'

interface Offer extends ShownCall {
  /** Whose call it is: a caller over HTTP, or a client of the desk. */
  readonly of: string | undefined
  readonly over: AbortController
  /** Passes the client's answer on. The store decides whether it was the first. */
  readonly onClient: (said: ApprovalAnswer) => void
  /** The answer that was first; `undefined` if there can be none. */
  readonly settled: Promise<ApprovalAnswer | undefined>
  /** What `settled` has resolved with, until a request of the call uses it. */
  answer?: ApprovalAnswer
  /** An answer that no request uses expires with the question. */
  expiry?: NodeJS.Timeout
}

interface OfferedCall {
  readonly asked: ApprovalQuestion
  readonly request: ServedRequest
  readonly validMs: number
}

/** About more calls of one caller, or of all, only their clients are asked: what waits here is kept with its arguments. */
const maxOfCaller = 5
const maxOfAll = 50
/** How long the client's answer waits for a store that does not say whether another was first. */
const storeMs = 2000

/**
 * Approvals by the person at this machine of calls whose clients were asked with a round. A client of 2026-07-28 cannot be told
 * that its question was answered elsewhere, so the answer is kept until the next request of the call: the round that brings
 * the client's own answer, or the same call again.
 */
export class LocalApprovals {
  readonly #person: GatewayPerson | undefined
  readonly #offers = new Map<string, Offer>()

  constructor(person: GatewayPerson | undefined) {
    this.#person = person
  }

  /** Asks the person, while they can be asked. @param digest Of the request, with its caller and address. */
  offer(digest: string, shown: ShownCall, offered: OfferedCall): void {
    const before = this.#offers.get(digest)
    if (before && isSame(before, shown)) return
    if (before) this.#forget(digest, before)
    const of = offered.request.caller?.id ?? offered.request.from
    if (!this.#person?.mayApprove() || this.#isFull(of)) return
    const over = new AbortController()
    let onClient: Offer['onClient'] = () => undefined
    const ofClient = new Promise<ApprovalAnswer>((resolve) => (onClient = resolve))
    const settled = ask(this.#person, withoutParams(offered), ofClient, over.signal)
    const offer: Offer = { ...shown, of, over, onClient, settled }
    this.#offers.set(digest, offer)
    void settled.then((answer) => {
      if (answer === undefined) this.#forget(digest, offer)
      else offer.answer = answer
    })
    offer.expiry = setTimeout(() => this.#forget(digest, offer), offered.validMs).unref()
  }

  /**
   * The answer to the call, which counts once; `undefined` if there is none, or it was about another definition.
   *
   * @param shown With the call that a round belongs to; absent if the same is called again.
   * @param said What the client answered. A yes of the person does not overrule a no of the client.
   */
  async settle(
    digest: string,
    shown: Omit<ShownCall, 'call'> & { readonly call: string | undefined },
    said: ApprovalAnswer | undefined,
  ): Promise<{ readonly answer: ApprovalAnswer; readonly call: string } | undefined> {
    const offer = this.#offers.get(digest)
    if (!offer || !isSame(offer, shown) || (shown.call !== undefined && shown.call !== offer.call))
      return undefined
    if (said !== undefined && offer.answer === undefined) {
      offer.onClient(said)
      await Promise.race([offer.settled, pause(storeMs)])
    }
    const { answer = said, call } = offer
    if (answer === undefined) return undefined
    this.#forget(digest, offer)
    return { answer: said === 'no' ? 'no' : answer, call }
  }

  close(): void {
    for (const [digest, offer] of this.#offers) this.#forget(digest, offer)
  }

  #isFull(of: string | undefined): boolean {
    const all = [...this.#offers.values()]
    return all.length >= maxOfAll || all.filter((each) => each.of === of).length >= maxOfCaller
  }

  #forget(digest: string, offer: Offer): void {
    clearTimeout(offer.expiry)
    offer.over.abort()
    if (this.#offers.get(digest) === offer) this.#offers.delete(digest)
  }
}

/** `undefined` if it is withdrawn, if nothing can be kept here, or if too much waits: then the client alone answers. */
async function ask(
  person: GatewayPerson,
  { asked, request }: OfferedCall,
  ofClient: Promise<ApprovalAnswer>,
  over: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const { leaving } = request.client
  const signal = leaving ? AbortSignal.any([over, leaving]) : over
  const reason = `${asked.reason} Its client is asked too: the call goes on when that answers or calls again.`
  try {
    const grant = await person.approve({ ...asked, reason }, { signal, request, client: () => ofClient })
    if (signal.aborted) return undefined
    return grant === 'no' || typeof grant === 'object' ? 'no' : 'once'
  } catch {
    return undefined
  }
}

/** What the person is shown is in the question. The request has ended, and may be large: nothing else of it is kept. */
function withoutParams({ request, ...offered }: OfferedCall): OfferedCall {
  const { id, method, client, address, caller, from, signal } = request
  const shown = { ...client, capabilities: {} }
  const kept = { id, method, params: {}, client: shown, address, signal, notify: () => undefined }
  return { ...offered, request: { ...kept, ...(caller && { caller }), ...(from !== undefined && { from }) } }
}

function isSame(one: Omit<ShownCall, 'call'>, other: Omit<ShownCall, 'call'>): boolean {
  return one.boundTo === other.boundTo && one.args === other.args
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
