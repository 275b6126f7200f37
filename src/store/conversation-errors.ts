import { HostError } from '../model/error.ts'

export function noConversation(id: string): HostError {
  return new HostError('store.unknown', { conversation: id }, `There is no conversation ${id}.`, {
    hint: 'List them: plugboard conversations',
  })
}

/** Another program has added or removed messages; `length` is how many there are now. */
export function changedMeanwhile(id: string, length: number): HostError {
  return new HostError(
    'store.conflict',
    { conversation: id, length },
    'Another program has changed this conversation in the meantime.',
    { hint: `Continue from where it stands now: plugboard chat --continue ${id}` },
  )
}

/** Refuses to cut a conversation to a length that it does not have. */
export function checkCut(from: number, length: number): void {
  if (!Number.isInteger(length) || length < 0 || length > from)
    throw new RangeError(`A conversation of ${from} messages cannot be cut to ${length}.`)
}
