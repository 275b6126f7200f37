import { HostError, isHostError } from '../model/error.ts'
import { isList, isObject, listOf } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Clock } from '../index.ts'
import type { Conversations, Message, StoredMessage } from '../store.ts'

interface LogOptions {
  readonly id: string
  readonly clock: Clock
  /** Absent: the messages are in memory only. */
  readonly conversations?: Conversations | undefined
  readonly messages?: readonly StoredMessage[]
  /** Masks secrets in what the store gets. */
  readonly mask?: Mask
}

/** How long a turn waits for the store before it goes on in memory. */
const patienceMs = 2000

/** The messages of a conversation, in memory and behind that in the store. Appending never waits for the store. */
export class ConversationLog {
  #options: LogOptions
  #messages: StoredMessage[]
  /** How many messages the store has. */
  #kept: number
  #writing: Promise<void> | undefined
  #problem: unknown

  constructor(options: LogOptions) {
    this.#options = options
    this.#messages = [...(options.messages ?? [])]
    this.#kept = this.#messages.length
  }

  get messages(): readonly StoredMessage[] {
    return this.#messages
  }

  get length(): number {
    return this.#messages.length
  }

  append(...messages: readonly Message[]): void {
    const at = new Date(this.#options.clock.now()).toISOString()
    for (const message of messages) this.#messages.push({ ...message, seq: this.length + 1, at })
    this.#write()
  }

  /** Writes what the store does not have yet, in order; again from where the last attempt failed. */
  #write(): void {
    const { conversations, id } = this.#options
    if (!conversations || this.#writing || this.#kept === this.length) return
    const write = async () => {
      while (this.#kept < this.length)
        this.#kept = await conversations.append(id, this.#kept, this.#masked(this.#kept))
      this.#problem = undefined
    }
    this.#writing = write()
      .catch((error: unknown) => void (this.#problem = error))
      .finally(() => (this.#writing = undefined))
  }

  #masked(from: number): readonly Message[] {
    const { mask } = this.#options
    const messages = this.#messages.slice(from)
    return messages.map((message) => ({ ...message, content: toStorable(message.content, mask) }))
  }

  /** What keeps the store from having all messages; waits a little for it to write them. `late` if it still writes. */
  async settle(waitMs = patienceMs): Promise<HostError | 'late' | undefined> {
    if (this.#writing && !(await this.#isWrittenWithin(waitMs))) return 'late'
    return this.#problem === undefined ? undefined : toHostError(this.#problem)
  }

  async #isWrittenWithin(ms: number): Promise<boolean> {
    const done = new AbortController()
    const written = this.#writing?.then(() => true)
    const late = this.#options.clock.sleep(ms, done.signal).then(
      () => false,
      () => true,
    )
    const isWritten = await Promise.race([written, late])
    done.abort()
    return isWritten ?? true
  }

  /** Another program has added to the conversation. */
  get conflict(): HostError | undefined {
    return isHostError(this.#problem, 'store.conflict') || isHostError(this.#problem, 'store.unknown')
      ? this.#problem
      : undefined
  }

  /** Reads the conversation as it stands in the store now, instead of what this program could not add. */
  async reload(): Promise<void> {
    const { conversations, id } = this.#options
    if (!conversations) return
    this.#messages = [...(await conversations.messages(id))]
    this.#kept = this.length
    this.#problem = undefined
  }

  /** The store has no such conversation any more: from now on the messages are in memory only. */
  detach(): void {
    const { conversations: _gone, ...rest } = this.#options
    this.#options = rest
    this.#problem = undefined
  }

  /** Removes the messages after the first `length` ones, in the store too. */
  async truncate(length: number): Promise<void> {
    await this.flush()
    const { conversations, id } = this.#options
    if (conversations && this.#kept > length) {
      await conversations.truncate(id, this.#kept, length)
      this.#kept = length
    }
    this.#messages.length = length
  }

  /** Waits until the store has all messages, as long as the store itself tries. */
  async flush(): Promise<HostError | undefined> {
    await this.#writing
    if (this.#problem !== undefined && !this.conflict) {
      this.#write()
      await this.#writing
    }
    return this.#problem === undefined ? undefined : toHostError(this.#problem)
  }
}

const maxDepth = 256

/** Masked, and without levels that cannot be written: such a message would keep all later ones from being kept. */
function toStorable(content: Json, mask: Mask = (text) => text): Json {
  try {
    return maskContent(content, mask)
  } catch (error) {
    // A stack overflow.
    if (!(error instanceof RangeError)) throw error
    return maskContent(withoutDepth(content, maxDepth), mask)
  }
}

function withoutDepth(value: Json, levels: number): Json {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '[nested too deep]'
  if (isList(value)) return value.map((item) => withoutDepth(item, levels - 1))
  const entries = Object.entries(value).map(([key, item]) => [key, withoutDepth(item, levels - 1)] as const)
  return Object.fromEntries(entries)
}

/** A result whose text is masked is not whole any more: `@result:ID` would write the mask elsewhere. */
function maskContent(content: Json, mask: Mask): Json {
  const masked = maskTexts(content, mask, true)
  if (masked === content || !isList(masked)) return masked
  const before = listOf(content)
  return masked.map((part, at) => {
    const [old] = before.slice(at, at + 1)
    if (part === old || !isObject(part) || part['type'] !== 'tool-result') return part
    const options = isObject(part['providerOptions']) ? part['providerOptions'] : {}
    const record = options['plugboard']
    if (!isObject(record)) return part
    return { ...part, providerOptions: { ...options, plugboard: { ...record, isIncomplete: true } } }
  })
}

/** The ids and names of the calls in a message of the model that has calls; providers reject a call without a result. */
export function callsOf(
  message: Message | undefined,
): readonly { readonly id: string; readonly name: string }[] {
  if (message?.role !== 'assistant') return []
  return listOf(message.content).flatMap((part) => {
    if (!isObject(part) || part['type'] !== 'tool-call') return []
    return [{ id: textOf(part['toolCallId']), name: textOf(part['toolName']) }]
  })
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function toHostError(error: unknown): HostError {
  if (isHostError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new HostError('store.unavailable', { place: 'store' }, message, { cause: error })
}
