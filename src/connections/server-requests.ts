import { pathToFileURL } from 'node:url'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { AnswerRequest } from '../wire/inbox.ts'
import { RpcError } from '../wire/wire-error.ts'

/** A question of a server to a person. */
export interface Elicitation {
  readonly server: string
  readonly mode: 'form' | 'url'
  readonly message: string
  /** The fields of a form. */
  readonly schema?: JsonObject
  /** The page to open, never without a person's consent. */
  readonly url?: string
}

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' }

export type Elicit = (
  elicitation: Elicitation,
  options: { readonly signal: AbortSignal },
) => Promise<ElicitationAnswer>

/**
 * Answers a request of a server to our model. Parameters and result are those of `sampling/createMessage`; undefined:
 * the person declined.
 */
export type Sample = (
  request: { readonly server: string; readonly params: JsonObject },
  options: { readonly signal: AbortSignal },
) => Promise<JsonObject | undefined>

/** Returns the folders that a server may know about, as paths; undefined: none. */
export type FindRoots = (asking: {
  readonly server: string
}) => readonly string[] | undefined | Promise<readonly string[] | undefined>

export interface RequestHandlers {
  readonly elicit?: Elicit | undefined
  readonly sample?: Sample | undefined
  readonly roots?: FindRoots | undefined
}

/** A capability is declared only if there is a handler for it. */
export function capabilitiesOf({ elicit, sample, roots }: RequestHandlers): JsonObject {
  return {
    ...(roots && { roots: {} }),
    ...(sample && { sampling: {} }),
    ...(elicit && { elicitation: { form: {}, url: {} } }),
  }
}

/** Answers requests from a server. */
export function createAnswer(server: string, { elicit, sample, roots }: RequestHandlers): AnswerRequest {
  return async ({ method, params = {} }, signal): Promise<Json> => {
    if (method === 'roots/list' && roots)
      return { roots: ((await roots({ server })) ?? []).map((path) => ({ uri: pathToFileURL(path).href })) }
    if (method === 'sampling/createMessage' && sample)
      return askModel(await sample({ server, params }, { signal }))
    if (method === 'elicitation/create' && elicit) return askPerson(server, params, elicit, signal)
    throw new RpcError(-32601, `Method not found: ${method}`)
  }
}

function askModel(answer: JsonObject | undefined): JsonObject {
  if (answer) return answer
  throw new RpcError(-1, 'User rejected sampling request')
}

async function askPerson(
  server: string,
  params: JsonObject,
  elicit: Elicit,
  signal: AbortSignal,
): Promise<Json> {
  const { mode = 'form', message, requestedSchema, url } = params
  if (typeof message !== 'string') throw new RpcError(-32602, 'A question needs a message.')
  if (mode === 'url') {
    if (typeof url !== 'string') throw new RpcError(-32602, 'A question of this kind needs a url.')
    return { ...(await elicit({ server, mode, message, url }, { signal })) }
  }
  if (mode !== 'form')
    throw new RpcError(-32602, `A question of the kind ${JSON.stringify(mode)} is not known.`)
  const schema = isObject(requestedSchema) ? requestedSchema : {}
  const answer = await elicit({ server, mode, message, schema }, { signal })
  if (answer.action !== 'accept') return { ...answer }
  return { action: 'accept', content: { ...defaultsOf(schema), ...answer.content } }
}

/** Fields that a person left out get the form's default values. */
function defaultsOf({ properties }: JsonObject): JsonObject {
  if (!isObject(properties)) return {}
  const entries = Object.entries(properties).flatMap(([name, field]): [string, Json][] => {
    const value = isObject(field) ? field['default'] : undefined
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}
