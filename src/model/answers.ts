import type { Input, Server } from './server.ts'

/** What a person answered for the inputs of a server, by id. */
export type Answers = Readonly<Record<string, string | readonly string[]>>

/** Asks a person for one input of a server; nothing where they do not say. */
export type AnswerInput = (server: Server, input: Input) => Promise<string | undefined>
