import type { HostEvent, Progress, Step } from '../../../index.ts'
import type { Output } from '../../terminal/terminal-output.ts'

/** What a person sees while a server takes its time. */
export interface WaitLine {
  /** Listens to the host. */
  onEvent(this: void, event: HostEvent): void
  /** Says what is waited for now. */
  show(text: string): void
  showProgress(what: string, progress: Progress): void
  /** Shows nothing for as long as something else is on the screen. */
  mute(isMuted: boolean): void
  /** Nothing is waited for any more. */
  stop(): void
}

const steps: Readonly<Record<Step, string>> = {
  queued: 'waiting for its turn',
  resolving: 'resolving its values',
  starting: 'starting',
  greeting: 'waiting for its greeting',
}

const secondMs = 1000

/** One line of a terminal, with the time that it takes; warnings stay. */
export function createWaitLine(output: Output): WaitLine {
  let text = ''
  let isOver = false
  let isMuted = false
  let began = 0
  let timer: NodeJS.Timeout | undefined
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - began) / secondMs)
    if (text !== '' && !isOver && !isMuted) output.progress(`${text}…${seconds > 0 ? ` ${seconds} s` : ''}`)
  }
  const show = (next: string): void => {
    if (next !== text) began = performance.now()
    timer ??= setInterval(draw, secondMs).unref()
    text = next
    draw()
  }
  return {
    show,
    onEvent(event) {
      if (event.type === 'server.warned') output.warn(`"${event.server}": ${event.message}`)
      if (event.type !== 'server.changed') return
      if (event.status.state === 'connecting') show(`${event.server}: ${steps[event.status.step]}`)
    },
    showProgress(what, { progress, total, message }) {
      const part =
        total === undefined ? String(progress) : `${drawBar(progress, total)} ${progress} of ${total}`
      show(`${what}: ${part}${message === undefined ? '' : ` (${message})`}`)
    },
    mute(next) {
      isMuted = next
      draw()
    },
    stop() {
      isOver = true
      clearInterval(timer)
      // What is said next, such as why it failed, does not stand behind it.
      if (text !== '') output.progress('')
    },
  }
}

const barWidth = 20

/** How far something is. A server may say anything: more than all of it, or less than nothing. */
function drawBar(progress: number, total: number): string {
  const part = total > 0 ? Math.min(1, Math.max(0, progress / total)) : 0
  const full = Math.round((Number.isFinite(part) ? part : 0) * barWidth)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`
}
