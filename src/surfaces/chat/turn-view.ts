import type { AgentEvent } from '../../agent.ts'
import type { Block, HostEvent, Json } from '../../index.ts'
import type { MarkdownCanvas } from '../terminal/markdown.ts'
import { createMarkdownStream } from '../terminal/markdown-stream.ts'
import type { MarkdownStream } from '../terminal/markdown-stream.ts'
import { escapeLine } from '../terminal/escape.ts'
import { lineEndSign } from '../terminal/line-editor.ts'
import { wrapPlain } from '../terminal/painted-lines.ts'
import { truncate } from '../terminal/width.ts'
import { drawCount, drawDuration, drawShortUsage } from './draw-amounts.ts'
import { drawFinishedCall, drawRunningCall } from './draw-call.ts'
import type { FinishedCall, RunningCall } from './draw-call.ts'

export interface TurnCanvas extends MarkdownCanvas {
  readonly path: (file: string) => string
  /** Commands in a text as they are typed here. */
  readonly proposed: (text: string) => string
}

export interface TurnScreen {
  /** Prints painted lines that stay, above the live ones. */
  print(lines: readonly string[], live: () => readonly string[]): void
  /** Replaces the live lines. */
  show(live: readonly string[]): void
  canvas(): TurnCanvas
  /** Saves images and other binary blocks to a private folder; returns their files. */
  save(blocks: readonly Block[], name: string): readonly string[]
  now(): number
  /** Calls the work after the time; `dispose` cancels it. */
  after(ms: number, work: () => void): Disposable
}

/** Draws the events of one turn. */
export interface TurnView extends Disposable {
  onEvent(this: void, event: AgentEvent): void
  warn(this: void, sentence: string): void
  /** Host events: servers that start are named while the turn waits for them. */
  onHostEvent(this: void, event: HostEvent): void
  /** Shows what was typed so far for the next line. */
  setTyped(this: void, text: string): void
}

interface TurnViewOptions {
  /** The address of the page that shows views of calls, if it runs. */
  readonly page?: string | undefined
}

type Section = 'prompt' | 'text' | 'call' | 'note'

/** Live lines are redrawn at most this often while text arrives. */
const frameMs = 60
const tickMs = 1000

/**
 * Draws a turn: finished blocks of text and finished calls stay, and below them the block that is being written, the calls
 * that run and one line of status change in place.
 */
export function createTurnView(screen: TurnScreen, { page }: TurnViewOptions = {}): TurnView {
  const began = screen.now()
  const running = new Map<string, RunningCall>()
  let text: MarkdownStream | undefined
  let section: Section = 'prompt'
  let phase = 'waiting for the model'
  let typed = ''
  const connecting = new Set<string>()
  let frame: Disposable | undefined
  let isOver = false

  const live = (): readonly string[] => {
    if (isOver) return []
    const { style, width } = screen.canvas()
    const canvas = { style, width: width - 1 }
    const open = text?.open() ?? []
    const calls = [...running.values()].flatMap((call) => drawRunningCall(call, canvas, screen.now()))
    const seconds = Math.floor((screen.now() - began) / tickMs)
    const doing = connecting.size > 0 ? `starting ${[...connecting].join(', ')}` : phase
    const status = truncate(
      escapeLine(`${doing}${seconds > 0 ? ` · ${seconds} s` : ''} · Ctrl-C stops`),
      canvas.width,
    )
    const next = typed === '' ? [] : [`› ${typed.slice(-(canvas.width - 2))}`]
    const parts = [open, calls, [style.dim(status), ...next]]
    // The stream itself separates the open block from those before it.
    const isGapFirst = open.length > 0 ? section !== 'text' : section !== 'call' || calls.length === 0
    return parts
      .filter(({ length }) => length > 0)
      .flatMap((lines, at) => (at === 0 && !isGapFirst ? lines : ['', ...lines]))
  }
  const print = (next: Section, lines: readonly string[]): void => {
    if (lines.length === 0) return
    const isGap = section !== next
    section = next
    screen.print(isGap ? ['', ...lines] : lines, live)
  }
  const endText = (): void => {
    const stream = text
    text = undefined
    if (stream) print('text', stream.end())
  }
  const refresh = (): void => {
    frame?.[Symbol.dispose]()
    frame = undefined
    screen.show(live())
  }
  const refreshSoon = (): void => {
    frame ??= screen.after(frameMs, refresh)
  }
  const note = (message: string, paint?: (line: string) => string): void => {
    endText()
    const { style, width, proposed } = screen.canvas()
    print('note', wrapPlain(proposed(message), width).map(paint ?? style.dim))
  }
  const finishCall = (event: FinishedCall): void => {
    const args: Json = running.get(event.id)?.args ?? {}
    running.delete(event.id)
    const saved = screen.save(event.blocks ?? [], event.name)
    print('call', drawFinishedCall(event, args, { ...screen.canvas(), saved, page }))
  }
  let tick = screen.after(tickMs, function again() {
    refresh()
    tick = screen.after(tickMs, again)
  })

  const onEvent = (event: AgentEvent): void => {
    switch (event.type) {
      case 'step.started':
        phase = 'waiting for the model'
        return refreshSoon()
      case 'reasoning':
        phase = 'thinking'
        return refreshSoon()
      case 'text': {
        phase = 'answering'
        text ??= createMarkdownStream(() => screen.canvas())
        const lines = text.push(event.text)
        if (lines.length > 0) print('text', lines)
        return refreshSoon()
      }
      case 'call.started':
        endText()
        phase = 'running'
        running.set(event.id, { name: event.ref ?? event.name, args: event.args, began: screen.now() })
        return refresh()
      case 'call.progressed': {
        const call = running.get(event.id)
        if (call) running.set(event.id, { ...call, progress: event })
        return refreshSoon()
      }
      case 'call.finished':
        endText()
        return finishCall({ ...event, name: event.ref ?? event.name })
      case 'tools.offered':
        return note(drawOffer(event))
      case 'results.dropped':
        return note(drawDropped(event))
      case 'messages.dropped':
        return note(`The window is full: the ${event.count} oldest messages are left out from now on.`)
      case 'notice':
        return note(`${event.message}${event.hint === undefined ? '' : ` ${event.hint}`}`)
      case 'turn.finished': {
        endText()
        isOver = true
        running.clear()
        const { style } = screen.canvas()
        if (event.outcome !== 'done')
          note(drawEnd(event), event.outcome === 'failed' ? style.red : style.yellow)
        note(drawSummary(event, screen.now() - began, screen.canvas().width))
        return screen.print([''], () => [])
      }
      default:
        return
    }
  }
  const warn = (sentence: string) => note(sentence, screen.canvas().style.yellow)
  return {
    onEvent,
    warn,
    onHostEvent(event) {
      if (event.type === 'call.warned' || event.type === 'call.marked' || event.type === 'audit.failed')
        warn(event.message)
      if (event.type === 'server.warned') warn(`"${event.server}": ${event.message}`)
      if (event.type !== 'server.changed') return
      if (event.status.state === 'connecting') connecting.add(event.server)
      else connecting.delete(event.server)
      refreshSoon()
    },
    setTyped(text) {
      typed = toShownKeys(text)
      refreshSoon()
    },
    [Symbol.dispose]() {
      endText()
      isOver = true
      tick[Symbol.dispose]()
      refresh()
    },
  }
}

const ESC = '\u001B'
const sequence = new RegExp(`${ESC}(?:\\[[0-9;]*[A-Za-z~]|.)?`, 'g')

/** Keys as they will look in the line: editing keys are left out, except that Backspace removes a character. */
function toShownKeys(keys: string): string {
  let shown = ''
  for (const key of keys.replaceAll(sequence, '').replaceAll(/\r\n?|\n/g, lineEndSign)) {
    if (key === '\u007F' || key === '\b') shown = Array.from(shown).slice(0, -1).join('')
    else if (escapeLine(key) === key) shown += key
  }
  return shown
}

type Offer = Extract<AgentEvent, { readonly type: 'tools.offered' }>
type Dropped = Extract<AgentEvent, { readonly type: 'results.dropped' }>
type Finished = Extract<AgentEvent, { readonly type: 'turn.finished' }>

function drawOffer({ count, tokens, mode, added, removed, changed, reason }: Offer): string {
  const changes = [
    // At first all of them are new.
    ...(added.length > 0 && added.length < count ? [`${added.length} new`] : []),
    ...(removed.length > 0 ? [`${removed.length} gone`] : []),
    ...(changed.length > 0 ? [`${changed.length} changed`] : []),
  ]
  const weight = `${count} tool${count === 1 ? '' : 's'} offered, about ${drawCount(tokens)} tokens`
  const what = count === 0 ? 'no tools offered' : weight
  // The reason of a search says that the model searches.
  const how = mode === 'search' && reason === undefined ? '; the model searches for them' : ''
  const why = reason === undefined ? '' : `. ${reason}`
  return `${what}${changes.length > 0 ? ` · ${changes.join(', ')}` : ''}${how}${why}`
}

function drawDropped({ calls, tokens }: Dropped): string {
  const results = calls.length === 1 ? '1 old result was' : `${calls.length} old results were`
  return `The window is full: ${results} dropped (about ${drawCount(tokens)} tokens).`
}

function drawEnd({ outcome, reason, hint, code, limit }: Finished): string {
  if (outcome === 'cancelled') return 'Stopped. The conversation is kept.'
  // The hint of the library names an option, which a chat does not have.
  if (limit !== undefined) return `${reason ?? 'A limit was reached.'} Send a prompt to go on from here.`
  // The chat itself can go on with what the other program left.
  const next =
    code === 'store.conflict' ? 'Send your text again: the conversation is read again first.' : hint
  return [reason ?? `The turn ended: ${outcome}.`, next].filter(Boolean).join(' ')
}

function drawSummary({ steps, usage }: Finished, ms: number, width: number): string {
  const time = `${steps} step${steps === 1 ? '' : 's'} · ${drawDuration(ms)} · `
  return time + drawShortUsage(usage, width - time.length)
}
