import type { AgentEvent, LimitName, QuestionEvent, TurnFinished, Usage } from '../../../../agent.ts'
import { viewPlace } from '../../../facts/view-place.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import type { WaitLine } from '../../output/waiting.ts'

interface RunOutputOptions {
  readonly output: Output
  readonly waitLine: WaitLine
  /** `text`: the model's words as they come. `events`: each event as a line of JSON. `document`: the JSON of the answer. */
  readonly form: 'text' | 'events' | 'document'
  /** The address of the page that shows views of calls, if it runs. */
  readonly page?: string | undefined
}

export type RunOutput = ReturnType<typeof createRunOutput>

/** Shows the events of a turn: the text of the model on stdout, everything else on stderr. */
export function createRunOutput({ output, waitLine, form, page }: RunOutputOptions) {
  let isInLine = false
  let held = ''
  const endLine = () => {
    if (isInLine) output.stream(`${held}\n`)
    isInLine = false
    held = ''
    waitLine.mute(false)
  }
  const write = (piece: string) => {
    const text = held + piece
    held = unfinishedSign.exec(text)?.[0] ?? ''
    isInLine = held !== '' || !text.endsWith('\n')
    output.stream(text.slice(0, text.length - held.length))
  }
  const note = (text: string) => {
    endLine()
    // Events tell the same.
    if (form !== 'events') output.note(text)
  }
  const show = (event: AgentEvent): void => {
    switch (event.type) {
      case 'step.started':
        return waitLine.show('waiting for the model')
      case 'reasoning':
        return waitLine.show('the model is thinking')
      case 'text':
        if (form !== 'text' || event.text === '') return undefined
        // The line with what is awaited would be drawn over the text.
        waitLine.show('')
        waitLine.mute(true)
        return write(event.text)
      case 'step.finished':
        return endLine()
      case 'call.started':
        note(`${event.name} ${shorten(JSON.stringify(event.args))}`)
        return waitLine.show(event.name)
      case 'call.progressed':
        return waitLine.showProgress('progress', event)
      case 'call.finished':
        waitLine.show('')
        note(describeCall(event))
        return event.call === undefined || event.outcome !== 'done'
          ? undefined
          : note(`  view: ${viewPlace(event.call, page)}`)
      case 'tools.offered':
        return noteTools(event, note)
      case 'results.dropped':
        return note(`The window is full: ${event.calls.length} old results are left out from now on.`)
      case 'messages.dropped':
        return note(`The window is full: ${event.count} old messages are left out from now on.`)
      case 'notice':
        return note(event.hint === undefined ? event.message : `${event.message} ${event.hint}`)
      default:
        return undefined
    }
  }
  return {
    onEvent(event: AgentEvent): void {
      if (form === 'events') output.result({ ...event }, () => '')
      show(event)
    },
    onQuestion(event: QuestionEvent): void {
      if (form === 'events') output.result({ at: Date.now(), ...event }, () => '')
      else if (event.type === 'question.answered' && event.by === 'elsewhere')
        note('The question was answered in another terminal.')
    },
    onFinished(finished: TurnFinished): void {
      const { outcome, reason, output: document, usage, steps } = finished
      const hint = hintOf(finished)
      endLine()
      waitLine.show('')
      if (form === 'document' && outcome === 'done')
        output.text(() => JSON.stringify(document ?? null, undefined, 2))
      if (outcome !== 'done')
        output.fault(
          [reason ?? `The turn ended: ${outcome}.`, ...(hint === undefined ? [] : [hint])].join('\n'),
        )
      output.note(describeUsage(usage, steps))
    },
  }
}

/** Flags of `run` for limits of the library. */
const limitFlags: Partial<Record<LimitName, string>> = {
  steps: '--max-steps',
  cost: '--max-cost',
  timeMs: '--timeout',
}

function hintOf({ limit, hint }: TurnFinished): string | undefined {
  if (limit === undefined) return hint
  const flag = limitFlags[limit]
  return flag === undefined ? undefined : `Allow more: ${flag}`
}

/** Signs that the next piece may complete: escaped apart from it, half of an emoji would be shown as a code. */
const unfinishedSign =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Cs}\p{Cf}\p{Script=Arabic}\p{Script=Syriac}]{1,64}$/u

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>

const shownLength = 200

function shorten(text: string): string {
  const line = escapeLine(text)
  return line.length > shownLength ? `${line.slice(0, shownLength)}…` : line
}

function describeCall({ outcome, text, spilled, error }: EventOf<'call.finished'>): string {
  const lines = text.trim().split('\n')
  const more =
    lines.length > 1 ? ` (and ${lines.length - 1} more ${lines.length === 2 ? 'line' : 'lines'})` : ''
  if (outcome === 'done') {
    const file = spilled ? `, whole in ${spilled.path}` : ''
    return `  ${shorten(lines[0] ?? '')}${more}${file}`
  }
  const how = outcome === 'unknown-outcome' ? 'outcome unknown' : outcome
  if (!error) return `  ${how}: ${shorten(text)}`
  const hint = error.hint === undefined ? '' : `\n  ${error.hint}`
  return `  ${how}: ${error.message}${hint}`
}

function noteTools(event: EventOf<'tools.offered'>, note: (text: string) => void): void {
  const { count, tokens, mode, reread, reason } = event
  if (mode === 'search' || reason !== undefined)
    note(`${count} tools, about ${tokens} tokens. ${reason ?? 'The model searches for them.'}`)
  if (reread !== undefined) note(`The tools have changed: about ${reread} tokens are read again.`)
}

function describeUsage({ inputTokens, outputTokens, isEstimated, cost }: Usage, steps: number): string {
  const about = isEstimated ? 'about ' : ''
  const price = cost === undefined ? 'the price of this model is not known' : `$${cost.toFixed(4)}`
  return `${steps} ${steps === 1 ? 'step' : 'steps'}, ${about}${inputTokens} tokens in, ${outputTokens} out, ${price}`
}
