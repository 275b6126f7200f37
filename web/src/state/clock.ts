import { signal } from '@preact/signals'

/** The time, every few seconds: enough for `4 min ago`. */
export const now = signal(Date.now())
/** The time, every tenth of a second, while something shows a running time. */
export const stopwatch = signal(Date.now())

setInterval(() => (now.value = Date.now()), 5_000)
document.addEventListener('visibilitychange', () => (now.value = Date.now()))

let watchers = 0
let timer: ReturnType<typeof setInterval> | undefined

/** Lets the stopwatch run; returns what ends it. */
export function watchTime(): () => void {
  watchers++
  stopwatch.value = Date.now()
  timer ??= setInterval(() => (stopwatch.value = Date.now()), 100)
  return () => {
    watchers--
    if (watchers > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
