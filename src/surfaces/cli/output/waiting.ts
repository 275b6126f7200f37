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
  const connecting = new Map<string, Step>()
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
    if (next === '' && text !== '') output.progress('')
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
      const { server, status } = event
      const isShown = text !== '' && text === drawAwaited(connecting)
      if (status.state === 'connecting') connecting.set(server, status.step)
      else if (!connecting.delete(server)) return
      // A text of the command itself stays, unless another server begins to connect.
      if (isShown || status.state === 'connecting') show(drawAwaited(connecting))
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

const mostNamed = 3

/** The servers that are being connected; a single one with its step. */
function drawAwaited(connecting: ReadonlyMap<string, Step>): string {
  const [first, ...others] = connecting
  if (!first) return ''
  if (others.length === 0) return `${first[0]}: ${steps[first[1]]}`
  const named = [...connecting.keys()].slice(0, mostNamed).join(', ')
  return `waiting for ${named}${connecting.size > mostNamed ? ` and ${connecting.size - mostNamed} more` : ''}`
}

const barWidth = 20

/** A progress bar. Clamped: a server may report more than the total, or negative numbers. */
function drawBar(progress: number, total: number): string {
  const part = total > 0 ? Math.min(1, Math.max(0, progress / total)) : 0
  const full = Math.round((Number.isFinite(part) ? part : 0) * barWidth)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`
}
