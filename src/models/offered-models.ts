import { HostError } from '../model/error.ts'
import { isObject, listOf, parseObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Fetch } from './endpoint-fetch.ts'
import type { EndpointContext } from './endpoint-key.ts'
import type { Endpoint } from './endpoints.ts'
import { toRefusal } from './model-errors.ts'

/** A model as its endpoint lists it. */
export interface OfferedModel {
  readonly id: string
  readonly title?: string
  readonly window?: number
  readonly maxOutput?: number
}

/** What an endpoint may send for one list. */
const limits = { pages: 20, bytes: 8 * 1024 * 1024, models: 5000, idLength: 200 } as const

/** Asks an endpoint for its models, page by page. Throws a `HostError` if it does not answer with a list. */
export async function fetchModels(
  endpoint: Endpoint,
  fetch: Fetch,
  context: EndpointContext,
  signal?: AbortSignal,
): Promise<readonly OfferedModel[]> {
  const found = new Map<string, OfferedModel>()
  let query: string | undefined = firstPage[endpoint.kind] ?? ''
  for (let page = 0; page < limits.pages && query !== undefined && found.size < limits.models; page++) {
    const body = await getJson(endpoint, `/models${query}`, fetch, context, signal)
    for (const each of readModels(body)) found.set(each.id, each)
    query = nextPage(body)
  }
  return [...found.values()].slice(0, limits.models)
}

const firstPage: Readonly<Partial<Record<Endpoint['kind'], string>>> = {
  anthropic: '?limit=1000',
  google: '?pageSize=1000',
}

/** Anthropic and Google have pages; both name the next one in the answer. */
function nextPage({
  has_more: hasMore,
  last_id: last,
  nextPageToken: token,
}: JsonObject): string | undefined {
  if (hasMore === true && typeof last === 'string') return `?limit=1000&after_id=${encodeURIComponent(last)}`
  if (typeof token === 'string' && token !== '')
    return `?pageSize=1000&pageToken=${encodeURIComponent(token)}`
  return undefined
}

async function getJson(
  endpoint: Endpoint,
  path: string,
  fetch: Fetch,
  context: EndpointContext,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  const version = endpoint.kind === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}
  const response = await fetch(`${endpoint.url}${path}`, {
    headers: { accept: 'application/json', ...version },
    ...(signal && { signal }),
  })
  const text = await readText(response, endpoint)
  if (!response.ok) throw toRefusal(endpoint, { status: response.status, body: text }, context)
  const body = parseObject(text)
  if (!body) throw noList(endpoint, 'malformed', 'did not answer with a list of models')
  return body
}

async function readText(response: Response, endpoint: Endpoint): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array // our own fetch makes the stream of bytes
    size += bytes.length
    if (size > limits.bytes) throw noList(endpoint, 'too-large', 'sent more than 8 MiB as its list of models')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function noList({ name, title, url }: Endpoint, reason: string, what: string): HostError {
  return new HostError('model.unavailable', { endpoint: name, reason }, `${title} ${what}.`, {
    hint: `Is its url right? It is ${url}; most end with /v1.`,
  })
}

/** Every wire: a list under `data` (OpenAI, Anthropic) or `models` (Google). What is no model is left out. */
function readModels({ data, models }: JsonObject): readonly OfferedModel[] {
  return [...listOf(data), ...listOf(models)].flatMap((each) => readModel(each) ?? [])
}

function readModel(value: Json): OfferedModel | undefined {
  if (!isObject(value)) return undefined
  const methods = value['supportedGenerationMethods']
  if (methods !== undefined && !listOf(methods).includes('generateContent')) return undefined
  const given = [value['id'], value['name']].find((each) => typeof each === 'string')
  if (typeof given !== 'string') return undefined
  const id = given.replace(/^models\//, '')
  if (id === '' || id.length > limits.idLength || /\p{Cc}/u.test(id)) return undefined
  const title = value['display_name'] ?? value['displayName']
  const meta = isObject(value['meta']) ? value['meta'] : {}
  const window = firstCount(
    // Google, vLLM, OpenRouter, Anthropic, llama.cpp: each under its own name.
    value['inputTokenLimit'],
    value['max_model_len'],
    value['context_length'],
    value['max_input_tokens'],
    meta['n_ctx'],
    meta['n_ctx_train'],
  )
  const maxOutput = firstCount(value['outputTokenLimit'], value['max_tokens'])
  return {
    id,
    ...(typeof title === 'string' && title !== id && { title: title.slice(0, limits.idLength) }),
    ...(window !== undefined && { window }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

function firstCount(...values: readonly (Json | undefined)[]): number | undefined {
  return values.find((each): each is number => typeof each === 'number' && Number.isInteger(each) && each > 0)
}
