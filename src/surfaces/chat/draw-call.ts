import type { AgentEvent } from '../../agent.ts'
import type { Json, JsonObject, Progress } from '../../index.ts'
import { callStates } from '../facts/call-facts.ts'
import type { Tone } from '../facts/call-facts.ts'
import { viewPlace } from '../facts/view-place.ts'
import { escapeLine } from '../terminal/escape.ts'
import { wrapPlain } from '../terminal/painted-lines.ts'
import type { MarkdownCanvas } from '../terminal/markdown.ts'
import type { TurnCanvas } from './turn-view.ts'
import { displayWidth, truncate } from '../terminal/width.ts'
import { drawBytes, drawDuration } from './draw-amounts.ts'

export type FinishedCall = Extract<AgentEvent, { readonly type: 'call.finished' }>

/** A call that runs. */
export interface RunningCall {
  readonly name: string
  readonly args: Json
  readonly began: number
  readonly progress?: Progress
}

/** How many lines of a result are shown; the others are counted. */
const shownLines = 4
const longMs = 1000

/** The tool with its arguments on one line, cut at its end: `files/read path="a.txt"`. */
export function drawCallLine(
  { name, args }: { readonly name: string; readonly args: Json },
  { style, width }: MarkdownCanvas,
): string {
  const tool = truncate(escapeLine(name), width)
  const room = width - displayWidth(tool) - 1
  const pairs = room < 2 ? '' : truncate(escapeLine(drawArguments(args)), room)
  return `${style.bold(tool)}${pairs === '' ? '' : ` ${pairs}`}`
}

function drawArguments(args: Json): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args)
  return Object.entries(args as JsonObject) // checked on the line above
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(' ')
}

export function drawRunningCall(call: RunningCall, canvas: MarkdownCanvas, now: number): readonly string[] {
  const { style, width } = canvas
  const seconds = Math.floor((now - call.began) / 1000)
  const details = [
    ...(call.progress ? [drawProgress(call.progress)] : []),
    ...(seconds > 0 ? [`${seconds} s`] : []),
  ]
  const line = `${style.cyan('○')} ${drawCallLine(call, { style, width: width - 2 })}`
  return details.length === 0
    ? [line]
    : [line, `  ${style.dim(truncate(escapeLine(details.join(' · ')), width - 2))}`]
}

function drawProgress({ progress, total, message }: Progress): string {
  const part = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined ? part : `${part} ${message}`
}

/** The call with the first lines of its result, how much more there is, and where all of it is. */
export function drawFinishedCall(
  call: FinishedCall,
  args: Json,
  canvas: TurnCanvas & { readonly saved: readonly string[]; readonly page: string | undefined },
): readonly string[] {
  const { style, width, path, proposed, saved, page } = canvas
  const { tone } = callStates[call.outcome === 'unknown-outcome' ? 'unknown' : call.outcome]
  const mark = paintTone('●', tone, style)
  const head = `${mark} ${drawCallLine({ name: call.name, args }, { style, width: width - 2 })}`
  const inner = width - 4
  const texts = call.error
    ? proposed([call.error.message, call.error.hint ?? ''].filter(Boolean).join('\n'))
    : call.text
  const lines = texts.trim() === '' ? [] : texts.trimEnd().split('\n')
  const shown = call.error
    ? wrapPlain(texts, inner).slice(0, 2 * shownLines)
    : lines.slice(0, shownLines).map((line) => truncate(escapeLine(line.replaceAll('\t', '  ')), inner))
  const paint = (line: string) => (tone === 'ok' ? style.dim(line) : paintTone(line, tone, style))
  return [
    head,
    ...shown.map((line) => `  ${style.dim('│')} ${paint(line)}`),
    ...drawFold(call, lines, canvas),
    ...saved.flatMap((file) => drawNote(`saved: ${path(file)}`, canvas)),
    ...(call.spilled ? drawNote(`whole result: ${path(call.spilled.path)}`, canvas) : []),
    ...(call.call === undefined || call.outcome !== 'done'
      ? []
      : drawNote(`view: ${proposed(viewPlace(call.call, page))}`, canvas)),
  ]
}

function paintTone(text: string, tone: Tone, style: TurnCanvas['style']): string {
  const paints = { ok: style.green, dim: style.dim, warn: style.yellow, bad: style.red, ask: style.yellow }
  return paints[tone](text)
}

/** Says what is not shown: lines, size and how to pass the result on. */
function drawFold(call: FinishedCall, lines: readonly string[], canvas: MarkdownCanvas): readonly string[] {
  const hidden = call.error ? 0 : lines.length - shownLines
  const isCut = lines.some((line) => displayWidth(line) > canvas.width - 4)
  const bytes = call.spilled?.bytes ?? Buffer.byteLength(call.text)
  const isFolded = !call.error && (hidden > 0 || isCut || call.spilled !== undefined)
  const parts = [
    ...(hidden > 0 ? [`${hidden} more line${hidden === 1 ? '' : 's'}`] : []),
    ...(isFolded ? [drawBytes(bytes)] : []),
    ...(call.ms >= longMs ? [drawDuration(call.ms)] : []),
    ...(isFolded && call.result !== undefined ? [`@result:${call.result}`] : []),
  ]
  return parts.length === 0 ? [] : drawNote(`${isFolded ? '… ' : ''}${parts.join(' · ')}`, canvas)
}

/** A path is never cut: it is meant to be copied. */
function drawNote(text: string, { style, width }: MarkdownCanvas): readonly string[] {
  return wrapPlain(escapeLine(text), width - 2).map((line) => `  ${style.dim(line)}`)
}
