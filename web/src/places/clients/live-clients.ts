import { signal } from '@preact/signals'
import type { ClientCall } from '../../../../src/client.ts'
import { useAnswer } from '../../state/answers.ts'
import { clients, gateways, onFeed } from '../../state/page-state.ts'
import { mergeCalls } from './merge-calls.ts'

const maxTold = 500
/** Calls that events told of since the last snapshot, by id. */
const told = signal<ReadonlyMap<string, ClientCall>>(new Map())
onFeed('client.called', ({ call }) => {
  const next = new Map(told.value)
  next.delete(call.id)
  next.set(call.id, call)
  const [oldest] = next.keys()
  if (next.size > maxTold && oldest !== undefined) next.delete(oldest)
  told.value = next
})
// What was missed is in the answer that is read after it.
onFeed('snapshot', () => (told.value = new Map()))

/** The gateways of this user, their clients and their calls, kept true by events. */
export function useClients() {
  const answer = useAnswer('GET /api/clients', {})
  const { value } = answer
  const isKnown = gateways.value !== undefined
  return {
    gateways: gateways.value ?? value?.gateways ?? [],
    clients: isKnown ? clients.value : (value?.clients ?? clients.value),
    calls: mergeCalls(value?.calls ?? [], [...told.value.values()]),
    connect: value?.connect,
    isLoading: answer.isLoading && !value,
    error: answer.error,
  }
}
