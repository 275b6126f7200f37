import { addresses } from '../../state/addresses.ts'
import type { CallFilter } from './call-list.ts'

export function timelineAddress(filter: CallFilter): string {
  return withFilter(addresses.timeline, filter)
}

/** A call keeps the filter of the list it was opened from. */
export function callAddress(id: string, filter: CallFilter): string {
  return withFilter(addresses.call(id), filter)
}

function withFilter(path: string, filter: CallFilter): string {
  const query = new URLSearchParams(Object.entries(filter)).toString()
  return query === '' ? path : `${path}?${query}`
}
