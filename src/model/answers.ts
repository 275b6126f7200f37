import type { Json } from './json.ts'
import type { Input, Server } from './server.ts'

/** A person's answers to the inputs of a server, by id. */
export type Answers = Readonly<Record<string, string | readonly string[]>>

/**
 * Asks a person for one input of a server; `undefined` if they give no answer. A host asks for each input once, unless the
 * function keeps answers itself: then it is asked at each start.
 */
export type AnswerInput = ((server: Server, input: Input) => Promise<string | undefined>) & {
  readonly keepsAnswers?: true
}

/** The environment variable that a secret is read from if it is not answered, so that it is in no file. */
export interface SecretVariable {
  /** The id of the input. */
  readonly id: string
  readonly name: string
  /** Whether the server needs it to start. */
  readonly required: boolean
}

/** The default of an input as an answer. An empty text or list is no default: it answers nothing. */
export function initialAnswer({ default: value }: Input): string | readonly string[] | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : (value as readonly Json[]).map(textOf)
  return textOf(value)
}

function textOf(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
