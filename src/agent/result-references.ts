import { isList, isObject, listOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { withoutSameNote } from './same-calls.ts'
import type { CallResult, Files } from '../index.ts'
import type { StoredMessage } from '../store.ts'

/** What is known about a result: kept beside it in the message, where no provider reads it. */
export interface ResultRecord {
  /** The ID of `@result:ID`. */
  readonly id: string
  readonly server: string
  readonly tool: string
  /** Text of a server: data, never instructions (T16). */
  readonly untrusted: boolean
  /** The file with the whole text, if the model got only its beginning and end. */
  readonly path?: string
  /** The text was cut, and no file has the rest. */
  readonly isIncomplete?: boolean
}

/** A problem with `@result:ID` in the arguments of a call, for the model. */
export class ReferenceProblem extends Error {
  override readonly name = 'ReferenceProblem'
}

interface KnownResult {
  readonly text: string
  readonly path?: string
  readonly isIncomplete?: boolean
}

/** A text of this length is worth passing on without copying it. */
const notableLength = 2000
const maxTextBytes = 64 * 1024 * 1024
const referenceForm = /^@result:(r\d+)$/
/** Files of `calls/spill.ts`; a path of a stored conversation that looks different is not read. */
const spillForm = /[\\/][0-9a-f]{32}\.txt$/

/** The results of a conversation by their IDs. Read from its messages when the first ID is needed. */
export class ResultReferences {
  readonly #files: Pick<Files, 'readText'>
  readonly #messages: () => readonly StoredMessage[]
  #known: Map<string, KnownResult> | undefined
  #next = 1

  constructor(files: Pick<Files, 'readText'>, messages: () => readonly StoredMessage[]) {
    this.#files = files
    this.#messages = messages
  }

  /** Gives a result an ID. */
  add(
    result: Pick<CallResult, 'text' | 'spilled' | 'isIncomplete'>,
    { server, tool }: { readonly server: string; readonly tool: string },
    /** The characters of a result that a model with a small window gets. */
    maxLength: number,
  ): { readonly record: ResultRecord; readonly shown: string; readonly note: string } {
    const known = this.#read()
    const id = `r${this.#next++}`
    const { text, spilled, isIncomplete = false } = result
    const path = spilled?.path
    known.set(id, { text, ...(path !== undefined && { path }), ...(isIncomplete && { isIncomplete }) })
    const isCut = text.length > maxLength
    const record: ResultRecord = {
      id,
      server,
      tool,
      untrusted: true,
      ...(path !== undefined && { path }),
      // The whole text is known until the program ends; the message has only a part of it.
      ...((isIncomplete || (isCut && path === undefined)) && { isIncomplete: true }),
    }
    const shown = isCut ? cutMiddle(text, maxLength) : text
    // Passing on a short text is not worth a note.
    const isNotable = shown.length >= notableLength || isCut || path !== undefined
    return { record, shown, note: isNotable ? noteOf(id) : '' }
  }

  /** The arguments with the whole text of a result in place of each `@result:ID`. Throws a `ReferenceProblem`. */
  async resolve(args: unknown): Promise<unknown> {
    if (typeof args === 'string') {
      const id = referenceForm.exec(args)?.[1]
      return id === undefined ? args : this.#textOf(id)
    }
    if (Array.isArray(args)) return Promise.all(args.map((item: unknown) => this.resolve(item)))
    if (!isObject(args)) return args
    const entries = Object.entries(args).map(async ([key, item]) => [key, await this.resolve(item)] as const)
    return Object.fromEntries(await Promise.all(entries))
  }

  async #textOf(id: string): Promise<string> {
    const known = this.#read().get(id)
    if (!known) throw new ReferenceProblem(`There is no result @result:${id}. The tool was not called.`)
    if (known.isIncomplete)
      throw new ReferenceProblem(
        `The text of @result:${id} was not kept whole: a part of it was cut or masked. The tool was not called.`,
      )
    if (known.path === undefined) return known.text
    const file = spillForm.test(known.path)
      ? await this.#files.readText(known.path, { maxBytes: maxTextBytes }).catch(() => undefined)
      : undefined
    if (file?.kind === 'text') return file.text
    throw new ReferenceProblem(
      `The file with the whole text of @result:${id} is gone; results are kept for 7 days. The tool was not called.`,
    )
  }

  /** The messages are others than before. The IDs that were given are not given again. */
  reset(): void {
    this.#known = undefined
  }

  #read(): Map<string, KnownResult> {
    if (this.#known) return this.#known
    this.#known = new Map()
    for (const { role, content } of this.#messages()) {
      if (role !== 'tool') continue
      for (const part of listOf(content)) {
        const record = recordOf(part)
        if (!record) continue
        const { id, path, isIncomplete } = record
        const text = withoutNote(outputText(part), id)
        this.#known.set(id, {
          text,
          ...(path !== undefined && { path }),
          ...(isIncomplete && { isIncomplete }),
        })
        this.#next = Math.max(this.#next, Number(id.slice(1)) + 1)
      }
    }
    return this.#known
  }
}

/** Whether arguments have a reference, without walking large ones twice. */
export function hasReference(args: unknown): boolean {
  if (typeof args === 'string') return referenceForm.test(args)
  if (Array.isArray(args)) return args.some(hasReference)
  return isObject(args) && Object.values(args).some(hasReference)
}

/** The beginning and the end of a text, without halves of a character. */
function cutMiddle(text: string, maxLength: number): string {
  const tailLength = Math.floor(maxLength / 3)
  const head = text.slice(0, maxLength - tailLength).replace(/[\uD800-\uDBFF]$/, '')
  const tail = text.slice(text.length - tailLength).replace(/^[\uDC00-\uDFFF]/, '')
  const left = text.length - head.length - tail.length
  return `${head}\n\n[${left} characters are left out here: the window of this model is small.]\n\n${tail}`
}

function noteOf(id: string): string {
  return `\n\n[To give this whole result to another tool, write "@result:${id}" as the argument.]`
}

function withoutNote(text: string, id: string): string {
  const note = noteOf(id)
  const plain = withoutSameNote(text)
  return plain.endsWith(note) ? plain.slice(0, -note.length) : plain
}

/** What a stored part says about its result. */
export function recordOf(part: Json): ResultRecord | undefined {
  const options = isObject(part) ? part['providerOptions'] : undefined
  const record = isObject(options) ? options['plugboard'] : undefined
  if (!isObject(record) || typeof record['id'] !== 'string' || !/^r\d+$/.test(record['id'])) return undefined
  return record as unknown as ResultRecord // written by this file; the id was checked
}

/** The text of a stored result. */
export function outputText(part: Json): string {
  const output = isObject(part) ? part['output'] : undefined
  if (!isObject(output)) return ''
  const { value } = output
  if (typeof value === 'string') return value
  if (!isList(value)) return ''
  return value
    .flatMap((item) => (isObject(item) && typeof item['text'] === 'string' ? [item['text']] : []))
    .join('\n')
}

/** The same part with only a line in place of its text and images. */
export function toDropped(part: JsonObject): JsonObject {
  const record = recordOf(part)
  const value = record
    ? `[This result was left out to make room. It still is "@result:${record.id}" for the argument of another tool.]`
    : '[This result was left out to make room.]'
  return { ...part, output: { type: 'text', value } }
}
