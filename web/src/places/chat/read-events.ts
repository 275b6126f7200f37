import { drawCount } from '../../../../src/surfaces/chat/draw-amounts.ts'
import type { AgentEvent, Turn, TurnCall, TurnPart, TurnPrompt } from './turn.ts'

export function beginTurn(prompt?: TurnPrompt): Turn {
  return { key: 'now', ...(prompt && { prompt }), parts: [], isRunning: true }
}

/** The turn after one more event; the parts that did not change stay the same objects. */
export function addEvent(turn: Turn, event: AgentEvent): Turn {
  switch (event.type) {
    case 'turn.started':
      return { ...turn, model: event.model, startedAt: event.at }
    case 'step.started':
      return { ...turn, step: event.step }
    case 'text':
    case 'reasoning':
      return { ...turn, parts: addPiece(turn.parts, event.type, event.text) }
    case 'call.drafted': {
      const { name, ref, call, app, text, at } = event
      const draft = (draftOf(turn, call)?.draft ?? '') + text
      return placeCall(turn, {
        id: call,
        name,
        ref,
        call,
        app,
        args: {},
        state: 'drafted',
        draft,
        startedAt: at,
      })
    }
    case 'step.finished':
      return { ...turn, parts: turn.parts.map((part) => endCall(part, 'drafted')) }
    case 'call.started': {
      const { id, name, ref, args, at, call: kept, app } = event
      const call: TurnCall = {
        id,
        name,
        ...(ref !== undefined && { ref }),
        ...(app !== undefined && { call: kept, app }),
        args,
        state: 'running',
        startedAt: at,
      }
      return placeCall(turn, call)
    }
    case 'call.progressed': {
      const { progress, total, message } = event
      return changeCall(turn, event.id, {
        progress: {
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        },
      })
    }
    case 'call.finished': {
      const { id, outcome, text, blocks, ms, waitedMs, spilled, error } = event
      return changeCall(turn, id, {
        state: outcome,
        text,
        ms,
        ...(waitedMs !== undefined && { waitedMs }),
        bytes: spilled?.bytes ?? new TextEncoder().encode(text).length,
        ...(blocks && { blocks }),
        ...(spilled && { spilled }),
        ...(error && { error }),
      })
    }
    case 'turn.finished':
      return {
        ...turn,
        parts: turn.parts.map((part) => endCall(endCall(part, 'running'), 'drafted')),
        isRunning: false,
        end: event,
      }
    default: {
      const text = noteOf(event)
      return text === undefined ? turn : addPart(turn, { kind: 'note', text })
    }
  }
}

function addPart(turn: Turn, part: TurnPart): Turn {
  return { ...turn, parts: [...turn.parts, part] }
}

function draftOf({ parts }: Turn, id: string | undefined): TurnCall | undefined {
  const part = parts.find((each) => each.kind === 'call' && id !== undefined && each.call.call === id)
  return part?.kind === 'call' ? part.call : undefined
}

/** Puts a call in the place of what was shown of it while it was written. */
function placeCall(turn: Turn, call: TurnCall): Turn {
  const before = draftOf(turn, call.call)
  if (!before) return addPart(turn, { kind: 'call', call })
  return {
    ...turn,
    parts: turn.parts.map((part) =>
      part.kind === 'call' && part.call === before ? { kind: 'call', call } : part,
    ),
  }
}

function addPiece(parts: readonly TurnPart[], kind: 'text' | 'reasoning', text: string): readonly TurnPart[] {
  const last = parts.at(-1)
  return last?.kind === kind
    ? [...parts.slice(0, -1), { kind, text: last.text + text }]
    : [...parts, { kind, text }]
}

function changeCall(turn: Turn, id: string, change: Partial<TurnCall>): Turn {
  const at = turn.parts.findLastIndex((part) => part.kind === 'call' && part.call.id === id)
  const part = turn.parts[at]
  if (part?.kind !== 'call') return turn
  return { ...turn, parts: turn.parts.with(at, { kind: 'call', call: { ...part.call, ...change } }) }
}

/** A call without a result when the turn is over did not end by itself. */
function endCall(part: TurnPart, state: TurnCall['state']): TurnPart {
  if (part.kind !== 'call' || part.call.state !== state) return part
  return { kind: 'call', call: { ...part.call, state: 'cancelled' } }
}

/** What a person should know beside the answer; the words of the terminal. */
function noteOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tools.offered':
      return offerNote(event)
    case 'results.dropped': {
      const { calls, tokens } = event
      const results = calls.length === 1 ? '1 old result was' : `${calls.length} old results were`
      return `The window is full: ${results} dropped (about ${drawCount(tokens)} tokens).`
    }
    case 'messages.dropped':
      return `The window is full: the ${event.count} oldest messages are left out from now on.`
    case 'notice':
      return [event.message, event.hint].filter(Boolean).join(' ')
    default:
      return undefined
  }
}

/** The first offer stands beside the conversation; later ones and limits are said where they begin to count. */
function offerNote(event: Extract<AgentEvent, { readonly type: 'tools.offered' }>): string | undefined {
  const { count, tokens, added, removed, changed, reread, reason } = event
  if (reread === undefined && reason === undefined) return undefined
  const changes = [
    ...(added.length > 0 && added.length < count ? [`${added.length} new`] : []),
    ...(removed.length > 0 ? [`${removed.length} gone`] : []),
    ...(changed.length > 0 ? [`${changed.length} changed`] : []),
  ]
  const what =
    count === 0
      ? 'No tools offered'
      : `${count} tool${count === 1 ? '' : 's'} offered, about ${drawCount(tokens)} tokens`
  return [`${[what, changes.join(', ')].filter(Boolean).join(' · ')}.`, reason].filter(Boolean).join(' ')
}
