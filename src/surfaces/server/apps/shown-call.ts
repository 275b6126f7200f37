import { HostError } from '../../../index.ts'
import type { Host, Json, JsonObject, View } from '../../../index.ts'
import type { StoredCall } from '../../../store.ts'
import type { AppOutcome } from '../../api/app-routes.ts'
import { clean } from '../../facts/result-facts.ts'
import { storedCall } from '../offers/call-handlers.ts'
import { isRunning, unknownCall } from '../offers/live-call.ts'
import type { LiveCall } from '../offers/live-call.ts'
import { offersOf } from '../offers/offer-state.ts'
import type { ServeContext } from '../serve-context.ts'
import { talkOf } from '../talk/talk.ts'

/** A call that an app shows: it runs, or has ended, here or in another program. */
export interface ShownCall extends AppOutcome {
  readonly ref: string
  readonly args: Json
  readonly conversation?: string
}

export async function shownCall(context: ServeContext, id: string): Promise<ShownCall> {
  const live = offersOf(context).calls.get(id)
  if (live && (isRunning(live) || live.error || live.result?.raw !== undefined))
    return { ...pickOf(live), ...outcomeOf(live) }
  const stored = await storedCall(context, id)
  if (stored) return { ...pickOf(stored), ...storedOutcome(stored) }
  if (!live) throw unknownCall(id)
  return { ...pickOf(live), ...outcomeOf(live) }
}

function pickOf({ ref, args, conversation }: Pick<ShownCall, 'ref' | 'args' | 'conversation'>) {
  return { ref, args, ...(conversation !== undefined && { conversation }) }
}

function outcomeOf(call: LiveCall): AppOutcome {
  const { result, error, state } = call
  if (isRunning(call)) return {}
  if (result?.raw !== undefined) return { result: result.raw }
  if (error) return { cancelled: clean(error.message) }
  if (state === 'cancelled' || !result) return { cancelled: 'The call was stopped.' }
  return { result: { content: [...result.blocks], isError: result.failed } satisfies JsonObject }
}

function storedOutcome({ ref, raw, error, outcome }: StoredCall): AppOutcome {
  if (raw !== undefined) return { result: raw }
  if (error) return { cancelled: clean(error.message) }
  if (outcome !== 'done') return { cancelled: 'The call was stopped.' }
  throw new HostError('app.unusable', { server: '', uri: '' }, 'The whole result of this call is not kept.', {
    hint: `Call the tool again: plugboard call ${ref}`,
  })
}

/** A host whose servers the app belongs to, and the view that its calls are made in. */
export interface AppPlace {
  readonly host: Host
  readonly view: Pick<View, 'call' | 'forward'>
  release(this: void): void
}

/** An app in a conversation calls by the folder, the agent and the switches of the conversation. */
export async function placeOf(context: ServeContext, conversation: string | undefined): Promise<AppPlace> {
  const { host } = context
  if (conversation === undefined) return { host, view: host, release: () => undefined }
  const talk = talkOf(context)
  const { id, cwd, agent } = await talk.find(conversation)
  const taken = await talk.hosts.take(cwd)
  try {
    const view = await taken.host.scope({
      conversation: id,
      cwd,
      asks: 'writes',
      ...(agent !== undefined && { agent }),
    })
    const release = () => {
      view[Symbol.dispose]()
      taken.release()
    }
    return { host: taken.host, view, release }
  } catch (error) {
    taken.release()
    throw error
  }
}
