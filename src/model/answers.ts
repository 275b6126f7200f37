import type { Input, Server } from './server.ts'

/** A person's answers to the inputs of a server, by id. */
export type Answers = Readonly<Record<string, string | readonly string[]>>

/** Asks a person for one input of a server; `undefined` if they give no answer. */
export type AnswerInput = (server: Server, input: Input) => Promise<string | undefined>
