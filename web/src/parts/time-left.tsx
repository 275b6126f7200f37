import { useEffect } from 'preact/hooks'
import { stopwatch, watchTime } from '../state/clock.ts'
import { leftText } from './left-text.ts'

/** `in 4:12`, running; `now` when the moment has come. */
export function TimeLeft({ until }: { readonly until: number }) {
  useEffect(watchTime, [])
  return <span class="number">{leftText(until - stopwatch.value)}</span>
}
