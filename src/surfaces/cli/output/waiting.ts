import type { HostEvent, Progress, Step } from '../../../index.ts'
import type { Output } from '../../terminal/terminal-output.ts'

/** The status line shown while a command waits for a server. */
export interface WaitLine {
  /** Host events: connection steps are shown, warnings printed. */
  onEvent(this: void, event: HostEvent): void
  /** Shows what the command waits for. */
  show(text: string): void
  showProgress(what: string, progress: Progress): void
  /** Hides the line while something else is on the screen. */
  mute(isMuted: boolean): void
  /** Clears the line; later calls show nothing. */
  stop(): void
}

const steps: Readonly<Record<Step, string>> = {
  queued: 'waiting for its turn',
  resolving: 'resolving its values',
  starting: 'starting',
  greeting: 'waiting for its greeting',
}

const secondMs = 1000

/** One terminal line with the elapsed seconds. Warnings are printed above and stay. */
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
  // A server that is listed twice, once to count its offers and once to keep them, warns twice.
  const warned = new Set<string>()
  const warnOnce = (warning: string): void => {
    if (!warned.has(warning)) output.warn(warning)
    warned.add(warning)
  }
  return {
    show,
    onEvent(event) {
      if (event.type === 'server.warned') warnOnce(`"${event.server}": ${event.message}`)
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
      // Clear the line, so that the next output does not follow it on the same line.
      if (text !== '') output.progress('')
    },
  }
}

const barWidth = 20

/** A progress bar. Clamped: a server may report more than the total, or negative numbers. */
function drawBar(progress: number, total: number): string {
  const part = total > 0 ? Math.min(1, Math.max(0, progress / total)) : 0
  const full = Math.round((Number.isFinite(part) ? part : 0) * barWidth)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`
}
