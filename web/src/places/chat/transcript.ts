import { addEvent, beginTurn } from './read-events.ts'
import { isPrompt, readMessages, readPrompt } from './read-messages.ts'
import type { AgentEvent, StoredMessage, Turn, TurnCall, TurnPart, TurnPrompt } from './turn.ts'

/** What is shown of a conversation: earlier turns, and the one that runs or ended last. */
export interface Transcript {
  readonly turns: readonly Turn[]
  /** The messages of the first turns; read again when earlier ones come before them. */
  readonly stored: readonly StoredMessage[]
  readonly current?: Turn
  /** The index of the next event of the current turn. */
  readonly next: number
  /** The number of the first message that is loaded. */
  readonly firstSeq?: number
  readonly hasEarlier: boolean
  /** The stream skipped an event: the conversation must be loaded again. */
  readonly isBroken?: true
}

export interface LoadedConversation {
  readonly messages: readonly StoredMessage[]
  readonly hasEarlier: boolean
  readonly running: readonly AgentEvent[]
  readonly isRunning: boolean
}

export const emptyTranscript: Transcript = { turns: [], stored: [], next: 0, hasEarlier: false }

/**
 * The transcript of a conversation as it was loaded. Messages of the turn that runs are in its events too, and are taken
 * from there. `known` is what was shown before: events tell more of a call than messages do.
 */
export function openTranscript(loaded: LoadedConversation, known: Transcript = emptyTranscript): Transcript {
  const { messages, running, hasEarlier, isRunning } = loaded
  const firstSeq = messages[0]?.seq
  const sentHere = known.current?.isRunning === true ? known.current : undefined
  const base = { hasEarlier, next: running.length, ...(firstSeq !== undefined && { firstSeq }) }
  const [first] = running
  if (!first) {
    // A turn that was just accepted has no events yet; its messages, if there are some already, are in its events too.
    const current = isRunning && known.next === 0 ? sentHere : undefined
    const stored = current ? beforePrompt(messages, current, known) : messages
    return { ...base, stored, turns: readAgain(stored, known), ...(current && { current }) }
  }
  const last = running.at(-1)
  const endAt = last?.type === 'turn.finished' ? last.at : Infinity
  const timeOf = ({ at }: StoredMessage) => Date.parse(at)
  const stored = messages.filter((message) => timeOf(message) < first.at)
  const sent = messages.find((message) => timeOf(message) >= first.at && isPrompt(message))
  const prompt = sent ? readPrompt(sent) : sentHere?.prompt
  const current = running.reduce(addEvent, beginTurn(prompt))
  const turns = readAgain(stored, known)
  const later = readMessages(messages.filter((message) => timeOf(message) > endAt))
  // Another program went on after the turn.
  if (later.length > 0) return { ...base, stored, turns: [...turns, { ...current, key: 'ended' }, ...later] }
  return { ...base, stored, turns, current }
}

/** The messages before the turn that was sent here, if they have its prompt. */
function beforePrompt(
  messages: readonly StoredMessage[],
  { prompt }: Turn,
  known: Transcript,
): readonly StoredMessage[] {
  const at = messages.findLastIndex(isPrompt)
  const last = messages[at]
  if (!last || readPrompt(last).text !== prompt?.text) return messages
  const isEarlier = known.turns.some((turn) => turn.prompt?.seq === last.seq)
  return isEarlier ? messages : messages.slice(0, at)
}

/** Puts messages before those that are shown. */
export function addEarlier(transcript: Transcript, loaded: LoadedConversation): Transcript {
  const { messages, hasEarlier } = loaded
  const stored = [...messages, ...transcript.stored]
  const live = transcript.turns.slice(readMessages(transcript.stored).length)
  const firstSeq = stored[0]?.seq
  return {
    ...transcript,
    stored,
    turns: [...readAgain(stored, transcript), ...live],
    hasEarlier,
    ...(firstSeq !== undefined && { firstSeq }),
  }
}

/** Shows a prompt before the server has it. */
export function sendPrompt(transcript: Transcript, prompt: TurnPrompt): Transcript {
  return { ...endCurrent(transcript), current: beginTurn(prompt), next: 0 }
}

/** Takes back a prompt that was not accepted. */
export function dropPrompt(transcript: Transcript): Transcript {
  const { current, ...rest } = transcript
  return current?.isRunning === true && transcript.next === 0 ? { ...rest, next: 0 } : transcript
}

/** The transcript after an event of the stream. */
export function takeEvent(transcript: Transcript, index: number, event: AgentEvent): Transcript {
  if (event.type === 'turn.started' && index === 0) {
    const { current } = transcript
    // Loaded with the conversation already.
    if (transcript.next > 0 && current?.startedAt === event.at) return transcript
    const isSent = current?.isRunning === true && transcript.next === 0
    // The answer was stored and loaded before its events came: none of them is shown once more.
    if (transcript.stored.some((message) => !isPrompt(message) && Date.parse(message.at) >= event.at))
      return { ...(isSent ? dropPrompt(transcript) : transcript), next: Infinity }
    const begun = isSent ? transcript : { ...endCurrent(transcript), current: beginTurn() }
    return { ...begun, current: addEvent(begun.current ?? beginTurn(), event), next: 1 }
  }
  if (index < transcript.next) return transcript
  if (index > transcript.next || !transcript.current) return { ...transcript, isBroken: true }
  return { ...transcript, current: addEvent(transcript.current, event), next: index + 1 }
}

function endCurrent(transcript: Transcript): Transcript {
  const { current, ...rest } = transcript
  if (!current) return rest
  return { ...rest, turns: [...rest.turns, { ...current, key: `ended${rest.turns.length}` }] }
}

/** Reads messages. What they do not have, as the time and the error of a call, may be known from the events. */
function readAgain(messages: readonly StoredMessage[], known: Transcript): readonly Turn[] {
  const calls = callsByText(known)
  const turns = readMessages(messages)
  return turns.map((turn, at) => {
    const parts = turn.parts.map((part): TurnPart => {
      const call = part.kind === 'call' ? calls.get(keyOf(part.call)) : undefined
      return call ? { kind: 'call', call } : part
    })
    return { ...turn, parts, ...knownEnd(turn, known, turns.length - at) }
  })
}

/** Model, time and use of a turn that ended well, if the turn at this place from the end was the same. */
function knownEnd({ prompt }: Turn, { turns, current }: Transcript, fromEnd: number): Partial<Turn> {
  const same = (current ? [...turns, current] : turns).at(-fromEnd)
  // What is sent along, as resources, follows the text in the stored message.
  const isSame = (prompt?.text ?? '').startsWith(same?.prompt?.text ?? '')
  if (!same?.end || same.end.outcome !== 'done' || !isSame) return {}
  const { end, model, startedAt } = same
  return { end, ...(model !== undefined && { model }), ...(startedAt !== undefined && { startedAt }) }
}

function callsByText({ turns, current }: Transcript): ReadonlyMap<string, TurnCall> {
  const all = current ? [...turns, current] : turns
  return new Map(
    all.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.kind === 'call' && part.call.ms !== undefined ? [[keyOf(part.call), part.call] as const] : [],
      ),
    ),
  )
}

function keyOf({ id, name, args }: TurnCall): string {
  return `${id} ${name} ${JSON.stringify(args)}`
}
