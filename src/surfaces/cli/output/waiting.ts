import type { HostEvent, Progress, ServerStatus, Status, Step } from '../../../index.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Output } from '../../terminal/terminal-output.ts'
import { displayWidth, truncate } from '../../terminal/width.ts'

/** The status line shown while a command waits for a server. */
export interface WaitLine {
  /** Host events: connection steps are shown, warnings printed. */
  onEvent(this: void, event: HostEvent): void
  /**
   * Limits the line to servers that the command waits for, and shows those that are connecting already: the host of a
   * shell connects to servers before and during any command.
   */
  awaitServers(servers: readonly ServerStatus[]): void
  /** Shows what the command waits for, except while servers are connecting. */
  show(text: string): void
  showProgress(what: string, progress: Progress): void
  /** Hides the line while something else is on the screen. */
  mute(isMuted: boolean): void
  /** Clears the line; later calls show nothing. */
  stop(): void
}

type Connecting = Status & { readonly state: 'connecting' }

const steps: Readonly<Record<Step, string>> = {
  queued: 'waiting for its turn',
  resolving: 'resolving its values',
  starting: 'starting',
  greeting: 'waiting for its greeting',
}

const secondMs = 1000
const mostNamed = 3

/** One terminal line with the elapsed seconds. Warnings are printed above and stay. */
export function createWaitLine(output: Output): WaitLine {
  const connecting = new Map<string, Connecting>()
  let awaited: ReadonlySet<string> | undefined
  /** What the command itself shows. `about` stays the same while its text follows the progress. */
  let own = { about: '', text: '', began: 0 }
  let shown = ''
  let isOver = false
  let isMuted = false
  let timer: NodeJS.Timeout | undefined

  const currentLine = (width: number): string => {
    const names = [...connecting.keys()].filter((name) => awaited?.has(name) ?? true)
    const [first] = names
    const status = first === undefined ? undefined : connecting.get(first)
    if (first === undefined || !status)
      return own.text === '' ? '' : fit([own.text], secondsSince(own.began), width)
    const texts = names.length === 1 ? [`${first}: ${steps[status.step]}`] : awaitedTexts(names)
    const began = Math.min(...names.map((name) => connecting.get(name)?.since ?? status.since))
    return fit(texts, secondsSince(began), width)
  }
  const draw = (): void => {
    const { width } = output.notes
    if (width === undefined || isOver || isMuted) return
    const line = currentLine(width)
    if (line === shown) return
    timer ??= setInterval(draw, secondMs).unref()
    shown = line
    output.progress(line)
  }
  const showOwn = (about: string, text: string): void => {
    own = { about, text, began: about === own.about ? own.began : Date.now() }
    draw()
  }
  // A server that is listed twice, once to count its offers and once to keep them, warns twice.
  const warned = new Set<string>()
  const warnOnce = (warning: string): void => {
    if (!warned.has(warning)) output.warn(warning)
    warned.add(warning)
    // The warning has replaced the line.
    shown = ''
  }
  return {
    onEvent(event) {
      if (event.type === 'server.warned') warnOnce(`"${event.server}": ${event.message}`)
      if (event.type === 'audit.failed') warnOnce(event.message)
      if (event.type !== 'server.changed') return
      const { server, status } = event
      if (status.state === 'connecting') connecting.set(server, status)
      else connecting.delete(server)
      draw()
    },
    awaitServers(servers) {
      awaited = new Set(servers.map(({ name }) => name))
      for (const { name, status } of servers) if (status.state === 'connecting') connecting.set(name, status)
      draw()
    },
    show: (text) => showOwn(text, text),
    showProgress(what, { progress, total, message }) {
      const part =
        total === undefined ? String(progress) : `${drawBar(progress, total)} ${progress} of ${total}`
      showOwn(what, `${what}: ${part}${message === undefined ? '' : ` (${message})`}`)
    },
    mute(next) {
      isMuted = next
      shown = ''
      draw()
    },
    stop() {
      // Clear the line, so that the next output does not follow it on the same line.
      if (!isOver && shown !== '') output.progress('')
      isOver = true
      clearInterval(timer)
    },
  }
}

function secondsSince(began: number): number {
  return Math.max(0, Math.floor((Date.now() - began) / secondMs))
}

/** The first of these texts that fits into the width, else the last one cut; the seconds are never cut. */
function fit(texts: readonly string[], seconds: number, width: number): string {
  const end = `…${seconds > 0 ? ` ${seconds} s` : ''}`
  // The last column stays free: some terminals wrap a full line.
  const room = width - 1 - end.length
  const safe = texts.map(escapeLine)
  const fitting = safe.find((each) => displayWidth(each) <= room)
  return fitting === undefined ? truncate(safe.at(-1) ?? '', room + 1).replace(/…$/, end) : fitting + end
}

/** The names of several servers, as many as possible first. */
function awaitedTexts(names: readonly string[]): readonly string[] {
  return Array.from({ length: Math.min(mostNamed, names.length) }, (_, left) => {
    const named = names.slice(0, Math.min(mostNamed, names.length) - left)
    const others = names.length - named.length
    return `waiting for ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
  })
}

const barWidth = 20

/** A progress bar. Clamped: a server may report more than the total, or negative numbers. */
function drawBar(progress: number, total: number): string {
  const part = total > 0 ? Math.min(1, Math.max(0, progress / total)) : 0
  const full = Math.round((Number.isFinite(part) ? part : 0) * barWidth)
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}]`
}
