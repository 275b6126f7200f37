import type { HostEvent, Progress, Step } from '../../index.ts'
import type { Output } from '../terminal/output.ts'

/** What a person sees while a server takes its time. */
export interface Waiting {
  /** Listens to the host. */
  heard(this: void, event: HostEvent): void
  /** Says what is waited for now. */
  say(text: string): void
  progressed(what: string, progress: Progress): void
  /** Nothing is waited for any more. */
  stop(): void
}

const steps: Readonly<Record<Step, string>> = {
  queued: 'waiting for its turn',
  resolving: 'looking up its values',
  starting: 'starting',
  greeting: 'waiting for its greeting',
}

const secondMs = 1000

/** One line of a terminal, with the time that it takes; warnings stay. */
export function createWaiting(output: Output): Waiting {
  let text = ''
  let isOver = false
  let began = performance.now()
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - began) / secondMs)
    if (text !== '' && !isOver) output.progress(`${text}…${seconds > 0 ? ` ${seconds} s` : ''}`)
  }
  const say = (next: string): void => {
    if (next !== text) began = performance.now()
    text = next
    draw()
  }
  const timer = setInterval(draw, secondMs)
  timer.unref()
  return {
    say,
    heard(event) {
      if (event.type === 'server.warned') output.warn(`"${event.server}": ${event.message}`)
      if (event.type !== 'server.changed') return
      if (event.status.state === 'connecting') say(`${event.server}: ${steps[event.status.step]}`)
    },
    progressed(what, { progress, total, message }) {
      const part = total === undefined ? String(progress) : `${progress} of ${total}`
      say(`${what}: ${part}${message === undefined ? '' : ` (${message})`}`)
    },
    stop() {
      isOver = true
      clearInterval(timer)
    },
  }
}
