import { HostError } from '../../../index.ts'
import type { StoredCall } from '../../../store.ts'
import type { CallDetail } from '../../api/tool-routes.ts'
import { partsOfRef } from '../../facts/call-facts.ts'
import { clean, textOfBlock } from '../../facts/result-facts.ts'
import type { Handlers } from '../handler.ts'
import { checkCount, readCount } from '../read-count.ts'
import type { ServeContext } from '../serve-context.ts'
import { unknownCall } from './live-call.ts'
import type { LiveCall } from './live-call.ts'
import { offersOf } from './offer-state.ts'
import { readTimeline, storedDetail, withTitles } from './timeline.ts'

const maxPiece = 1_000_000
const dayMs = 86_400_000

export const callHandlers = {
  async 'POST /api/calls'(context, { body: { ref, args, timeoutMs } }) {
    const { calls } = offersOf(context)
    if (timeoutMs !== undefined) checkCount(timeoutMs, { name: 'timeoutMs', least: 1, most: dayMs })
    return { call: calls.start({ ref, args, ...(timeoutMs !== undefined && { timeoutMs }) }) }
  },

  async 'GET /api/calls'(context, { query = {} }) {
    return readTimeline(offersOf(context).calls, await storeOf(context), query)
  },

  async 'GET /api/calls/:call'(context, { params }) {
    const live = offersOf(context).calls.get(params.call)
    if (live) return liveDetail(context, live)
    const store = await storeOf(context)
    const stored = await storedCall(context, params.call)
    if (!stored) throw unknownCall(params.call)
    // A result that is kept whole is that of a tool with an app.
    const app = context.frames && stored.raw !== undefined && { app: appAddress(context, stored.ref) }
    return titled({ ...storedDetail(stored), ...app }, store)
  },

  async 'POST /api/calls/:call/link'(context, { params: { call: id } }) {
    const live = offersOf(context).calls.get(id)
    const { ref, app } = live
      ? { ...live, ...offersOf(context).calls.detailOf(live) }
      : await storedApp(context, id)
    if (app === undefined)
      throw new HostError(
        'app.unusable',
        { server: partsOfRef(ref).server, uri: '' },
        `The call ${id} of ${ref} has no view.`,
        {
          hint: 'Its text is the whole result, or it was too large to keep.',
        },
      )
    const path = `/calls/${encodeURIComponent(id)}`
    return { address: context.linkTo(path), path }
  },

  async 'GET /api/calls/:call/text'(context, { params, query }) {
    const read = (name: 'block' | 'from' | 'to', usual: number) =>
      readCount(query?.[name], usual, { name, most: Number.MAX_SAFE_INTEGER })
    const whole = await textOf(context, params.call, read('block', 0))
    const from = Math.min(read('from', 0), whole.length)
    const to = Math.min(read('to', whole.length), from + maxPiece)
    return { text: clean(whole.slice(from, to)), from, length: whole.length }
  },

  async 'DELETE /api/calls/:call'(context, { params }) {
    return { call: offersOf(context).calls.stop(params.call) }
  },
} satisfies Partial<Handlers>

/** A call of a store; one of a short command may still be in the journal. */
export async function storedCall(context: ServeContext, id: string): Promise<StoredCall | undefined> {
  const opened = await context.store().catch(() => undefined)
  const found = await opened?.store?.calls.get(id)
  if (found || !opened?.takeCalls) return found
  await opened.takeCalls().catch(() => 0)
  return opened.store?.calls.get(id)
}

async function storedApp(
  context: ServeContext,
  id: string,
): Promise<{ readonly ref: string; readonly app?: string }> {
  const stored = await storedCall(context, id)
  if (!stored) throw unknownCall(id)
  const { ref, raw } = stored
  return { ref, ...(context.frames && raw !== undefined && { app: appAddress(context, ref) }) }
}

/** Empty while the tools of its server are not known here. */
function appAddress({ host }: ServeContext, ref: string): string {
  return host.tools().find((each) => each.ref === ref)?.app ?? ''
}

/** Without a store that can be used, the calls of this process are all there is. */
export async function storeOf(context: ServeContext) {
  return (await context.store().catch(() => undefined))?.store
}

async function liveDetail(context: ServeContext, live: LiveCall): Promise<CallDetail> {
  const { host, wire } = context
  const { calls } = offersOf(context)
  const { server, tool } = partsOfRef(live.ref)
  const { startedAt: from, args, ms } = live
  const to = ms === undefined ? Infinity : from + ms + 50
  const messages = wire.messagesOf({ server, tool, args, from, to }, (text) => host.redact(text))
  const detail = {
    ...calls.detailOf(live),
    wire: messages.map((each) => ({ ...each, text: clean(each.text) })),
  }
  return titled(detail, await storeOf(context))
}

async function titled(detail: CallDetail, store: Awaited<ReturnType<typeof storeOf>>): Promise<CallDetail> {
  const [call = detail.call] = await withTitles([detail.call], store)
  return { ...detail, call }
}

async function textOf(context: ServeContext, id: string, block: number): Promise<string> {
  const live = offersOf(context).calls.get(id)
  const whole = live?.result && textOfBlock(live.result, block)
  if (whole !== undefined) return whole
  const stored = await (await storeOf(context))?.calls.get(id)
  if (!stored || block !== 0) throw unknownCall(id)
  return stored.result
}
