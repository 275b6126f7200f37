import { useEffect } from 'preact/hooks'
import { drawDuration } from '../../../src/surfaces/chat/draw-amounts.ts'
import { now, stopwatch, watchTime } from '../state/clock.ts'

const [minute, hour] = [60_000, 3_600_000]

/** `4 min ago`; after an hour the time of day, after a day the date. The exact time on hover and focus. */
export function Ago({ at }: { readonly at: number | string }) {
  const moment = new Date(at)
  return (
    <time class="number" dateTime={moment.toISOString()} title={moment.toLocaleString()}>
      {agoText(moment, now.value)}
    </time>
  )
}

export function agoText(moment: Date, current: number): string {
  const age = current - moment.getTime()
  if (age < 10_000) return 'just now'
  if (age < minute) return `${Math.floor(age / 1000)} s ago`
  if (age < hour) return `${Math.floor(age / minute)} min ago`
  const isToday = moment.toDateString() === new Date(current).toDateString()
  if (isToday) return moment.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  return moment.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
}

/** `12:04:31`, the date on hover. */
export function Clock({ at }: { readonly at: number }) {
  const moment = new Date(at)
  return (
    <time class="number" dateTime={moment.toISOString()} title={moment.toLocaleString()}>
      {clockText(moment)}
    </time>
  )
}

export function clockText(moment: Date): string {
  return [moment.getHours(), moment.getMinutes(), moment.getSeconds()]
    .map((each) => String(each).padStart(2, '0'))
    .join(':')
}

/** `412 ms`. Absent is a dash. */
export function Duration({ ms }: { readonly ms: number | undefined }) {
  return <span class="number">{ms === undefined ? '—' : drawDuration(ms)}</span>
}

/** `waited 49 s ·`, before the duration of a call that waited for a person. */
export function Waited({ ms }: { readonly ms: number | undefined }) {
  return ms === undefined ? null : <span class="number dim">waited {drawDuration(ms)} ·</span>
}

/** The time since a moment, running. */
export function Elapsed({ since }: { readonly since: number }) {
  useEffect(watchTime, [])
  return <span class="number">{drawDuration(Math.max(0, stopwatch.value - since))}</span>
}

/** `2.1 kB`. Absent is a dash. */
export function Size({ bytes }: { readonly bytes: number | undefined }) {
  return <span class="number">{bytes === undefined ? '—' : sizeText(bytes)}</span>
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes < 999_500 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB']
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** Tokens: `71.8k`. Absent is a dash. */
export function Tokens({ count }: { readonly count: number | undefined }) {
  return <span class="number">{count === undefined ? '—' : countText(count)}</span>
}

export function countText(count: number): string {
  if (count < 1000) return String(count)
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)}${unit}`
}

/** `1 tool`, `14 tools`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
