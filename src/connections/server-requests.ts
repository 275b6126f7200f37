import { pathToFileURL } from 'node:url'
import type { Finding } from '../model/finding.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
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
  /** The call that asks can be sent again, with the answer to this question. */
  readonly canWait?: boolean
  /** What the scanner found in its texts, at medium or above; set with `scanResults` (T20). */
  readonly findings?: readonly Finding[]
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
  request: {
    readonly server: string
    readonly params: JsonObject
    readonly canWait?: boolean
    /** What the scanner found in its texts, at medium or above; set with `scanResults` (T21). */
    readonly findings?: readonly Finding[]
  },
  options: { readonly signal: AbortSignal },
) => Promise<JsonObject | undefined>

/** Returns the folders that a server may know about, as paths; undefined: none. */
export type FindRoots = (asking: {
  readonly server: string
}) => readonly string[] | undefined | Promise<readonly string[] | undefined>

/** Passes requests of servers on to a client that is not a part of this program. */
export interface RelayRequests {
  /** Declared to legacy servers when they are greeted. */
  readonly capabilities: () => JsonObject
  /** The parameters are as the server sent them, with known secrets masked. The answer is sent as it is. */
  readonly answer: (request: RelayedRequest, options: { readonly signal: AbortSignal }) => Promise<JsonObject>
  /** Of a gateway: the ids of the gateways that requests pass, itself included. Servers over HTTP get them as a header. */
  readonly gateways?: () => string
}

export interface RelayedRequest {
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  /** From a connection that is not shared: its key. */
  readonly own?: string
}

export interface RequestHandlers {
  readonly relay?: RelayRequests | undefined
  readonly elicit?: Elicit | undefined
  readonly sample?: Sample | undefined
  readonly roots?: FindRoots | undefined
}

/** A capability is declared only if there is a handler for it. */
export function capabilitiesOf({ relay, elicit, sample, roots }: RequestHandlers): JsonObject {
  if (relay) return relay.capabilities()
  return {
    ...(roots && { roots: {} }),
    ...(sample && { sampling: {} }),
    ...(elicit && { elicitation: { form: {}, url: {} } }),
  }
}

/** Answers requests from a server. */
export function createAnswer(
  server: string,
  { relay, elicit, sample, roots }: RequestHandlers,
  mask: Mask = (text) => text,
  own?: string,
): AnswerRequest {
  return async ({ method, params = {}, canWait }, signal): Promise<Json> => {
    const waiting = canWait ? { canWait } : {}
    if (relay) {
      const { url } = params
      const clean = { ...maskObject(params, mask, true), ...(url !== undefined && { url }) }
      return relay.answer({ server, method, params: clean, ...(own !== undefined && { own }) }, { signal })
    }
    if (method === 'roots/list' && roots)
      return { roots: ((await roots({ server })) ?? []).map((path) => ({ uri: pathToFileURL(path).href })) }
    if (method === 'sampling/createMessage' && sample)
      return askModel(
        await sample({ server, params: maskObject(params, mask, true), ...waiting }, { signal }),
      )
    if (method === 'elicitation/create' && elicit) {
      const shown = {
        ...maskObject(params, mask),
        ...(params['url'] !== undefined && { url: params['url'] }),
      }
      return askPerson({ server, params, shown, waiting }, elicit, signal)
    }
    throw new RpcError(-32601, `Method not found: ${method}`)
  }
}

function askModel(answer: JsonObject | undefined): JsonObject {
  if (answer) return answer
  throw new RpcError(-1, 'User rejected sampling request')
}

/** The parameters with known secrets masked. An address stays as it is: it would not open otherwise. */
function maskObject(params: JsonObject, mask: Mask, hasBytes = false): JsonObject {
  return maskTexts(params, mask, hasBytes) as JsonObject // masking changes only strings
}

interface Question {
  readonly server: string
  readonly params: JsonObject
  /** The parameters that a person sees. */
  readonly shown: JsonObject
  readonly waiting: Pick<Elicitation, 'canWait'>
}

async function askPerson(
  { server, params, shown, waiting }: Question,
  elicit: Elicit,
  signal: AbortSignal,
): Promise<Json> {
  const { mode = 'form', message, requestedSchema, url } = shown
  if (typeof message !== 'string') throw new RpcError(-32602, 'A question needs a message.')
  if (mode === 'url') {
    if (typeof url !== 'string') throw new RpcError(-32602, 'A question of this kind needs a url.')
    return { ...(await elicit({ server, mode, message, url, ...waiting }, { signal })) }
  }
  if (mode !== 'form')
    throw new RpcError(-32602, `A question of the kind ${JSON.stringify(mode)} is not known.`)
  const schema = isObject(requestedSchema) ? requestedSchema : {}
  const answer = await elicit({ server, mode, message, schema, ...waiting }, { signal })
  if (answer.action !== 'accept') return { ...answer }
  const declared = params['requestedSchema']
  return {
    action: 'accept',
    content: { ...defaultsOf(isObject(declared) ? declared : {}), ...answer.content },
  }
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
