import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ClientError } from '../../../src/client.ts'
import type { Fault, FeedEvent, RouteAnswer, RouteInput, RouteKey } from '../../../src/client.ts'
import { send } from './client.ts'
import { about, onFeed } from './page-state.ts'

/** The last answer of a route; it stays while it is read again, and after a failure. */
export interface Answer<T> {
  readonly value?: T
  readonly error?: Fault
  readonly isLoading: boolean
}

export interface AnswerOptions {
  /** Events after which it is read again; after a snapshot always. */
  readonly on?: readonly FeedEvent['type'][]
  /** Whether an event of `on` concerns it. */
  readonly when?: (event: FeedEvent) => boolean
  /** Nothing is read while this is true. */
  readonly isOff?: boolean
}

/** Answers by route and input, so that a place that is opened again shows what it had. */
const cache = new Map<string, Signal<Answer<unknown>>>()
const maxCached = 100

/**
 * Reads a route and keeps it true: again after events, and after the page missed some.
 *
 * @example
 * const tools = useAnswer('GET /api/tools', {}, { on: ['tools.changed'] })
 */
export function useAnswer<Key extends RouteKey>(
  key: Key,
  input: RouteInput<Key>,
  { on = [], when = () => true, isOff = false }: AnswerOptions = {},
): Answer<RouteAnswer<Key>> & { readonly reload: () => Promise<void> } {
  const id = `${key} ${JSON.stringify(input)}`
  const answer = cached<RouteAnswer<Key>>(id)
  const concerns = useRef(when)
  concerns.current = when
  const reload = useCallback(() => read(answer, key, input), [id])
  useEffect(() => {
    if (isOff) return
    // The first snapshot reads it: what is read before it may miss a change, and would be read twice.
    if (about.peek()) void reload()
    const again = (event: FeedEvent): void => {
      if (event.type === 'snapshot' || concerns.current(event)) void reload()
    }
    const offs = (['snapshot', ...on] as const).map((type) => onFeed(type, again))
    return () => offs.forEach((off) => off())
  }, [id, isOff])
  return { ...answer.value, reload }
}

/** Requests under way: of several changes at once only the last is read again. */
const reading = new WeakMap<object, { isAgain: boolean }>()

async function read<Key extends RouteKey>(
  answer: Signal<Answer<RouteAnswer<Key>>>,
  key: Key,
  input: RouteInput<Key>,
): Promise<void> {
  const running = reading.get(answer)
  if (running) {
    running.isAgain = true
    return
  }
  const state = { isAgain: false }
  reading.set(answer, state)
  answer.value = { ...answer.value, isLoading: true }
  try {
    answer.value = { value: await send(key, input), isLoading: false }
  } catch (error) {
    const { value } = answer.value
    answer.value = { ...(value !== undefined && { value }), error: toFault(error), isLoading: false }
  }
  reading.delete(answer)
  if (state.isAgain) await read(answer, key, input)
}

function cached<T>(id: string): Signal<Answer<T>> {
  const found = cache.get(id) ?? signal<Answer<unknown>>({ isLoading: true })
  cache.delete(id)
  cache.set(id, found)
  if (cache.size > maxCached) cache.delete(cache.keys().next().value!)
  return found as Signal<Answer<T>> // the id has the route
}

/** Something that a person does: what runs, whether it runs, and why it failed. */
export interface Action<Args extends readonly unknown[]> {
  readonly run: (...args: Args) => Promise<boolean>
  readonly isBusy: boolean
  readonly error?: Fault
  readonly clear: () => void
}

/**
 * Runs one at a time; `run` resolves to whether it worked. An error stays until the next run.
 *
 * @example
 * const restart = useAction(() => send('POST /api/servers/:server/restart', { params: { server } }))
 * <Button action={restart} command={`plugboard restart ${server}`}>Restart</Button> <ErrorLine error={restart.error} />
 */
export function useAction<Args extends readonly unknown[]>(act: (...args: Args) => unknown): Action<Args> {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: Fault }>({ isBusy: false })
  const current = useRef(act)
  current.current = act
  const isBusy = useRef(false)
  const run = useCallback(async (...args: Args): Promise<boolean> => {
    if (isBusy.current) return false
    isBusy.current = true
    setState({ isBusy: true })
    try {
      await current.current(...args)
      setState({ isBusy: false })
      return true
    } catch (error) {
      setState({ isBusy: false, error: toFault(error) })
      return false
    } finally {
      isBusy.current = false
    }
  }, [])
  const clear = useCallback(() => setState({ isBusy: false }), [])
  return { run, clear, ...state }
}

/** An error in the words of the API; without an answer there was no connection. */
export function toFault(error: unknown): Fault {
  if (error instanceof ClientError) return error.fault
  if (error instanceof TypeError)
    return { code: 'unreachable', message: 'Plugboard does not answer.', hint: 'Start it: plugboard serve' }
  return { code: 'page', message: error instanceof Error ? error.message : String(error) }
}
