import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import { HttpError } from '../platform/platform.ts'
import type { EndpointContext } from './endpoint-key.ts'
import type { Endpoint } from './endpoints.ts'
import { chatOnly, toRefusal, toUnreachable } from './model-errors.ts'

/** An error of the AI SDK about an answer, by its shape: a bundle may contain the class twice. */
interface ApiCallError extends Error {
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
}

/**
 * Words what a request of the AI SDK failed with. The AI SDK wraps errors: those of repeated requests (`lastError`), and of
 * the connection (`cause`). `undefined` if neither the endpoint nor the connection to it is the reason.
 *
 * @param listIds Asks the endpoint for the names of its models, for an error about an unknown one.
 */
export async function describeFailure(
  error: unknown,
  choice: { readonly endpoint: Endpoint; readonly id: string },
  context: EndpointContext,
  listIds: () => Promise<readonly string[]>,
): Promise<HostError | undefined> {
  const { endpoint, id } = choice
  for (const each of chainOf(error)) {
    if (each instanceof HostError) return each
    if (each instanceof HttpError) return toUnreachable(each, endpoint)
    if (isChatAnswer(each, endpoint)) return chatOnly(endpoint)
    const status = statusOf(each)
    if (status === undefined || status < 300) continue
    const { responseHeaders, responseBody } = each as ApiCallError // it has a status
    const models = status === 404 ? await listIds().catch(() => undefined) : undefined
    // It has the model, so it is the address of the API that it does not know.
    if (models?.includes(id) && usesResponses(endpoint)) return chatOnly(endpoint)
    return toRefusal(
      endpoint,
      {
        status,
        ...(status === 404 && !models ? {} : { model: id }),
        ...(responseHeaders && { headers: responseHeaders }),
        ...(responseBody !== undefined && { body: responseBody }),
      },
      { ...context, ...(models && { models }) },
    )
  }
  return undefined
}

function usesResponses({ kind, api }: Endpoint): boolean {
  return kind === 'openai' && api === 'responses'
}

/** Whether an endpoint of OpenAI's kind answered with the older of its two APIs; the AI SDK reports that with the answer. */
function isChatAnswer(error: unknown, endpoint: Endpoint): boolean {
  const { data } = error as { readonly data?: unknown } // a part of the chain, which has only errors
  return usesResponses(endpoint) && isObject(data) && Array.isArray(data['choices'])
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined
  return typeof error.statusCode === 'number' ? error.statusCode : undefined
}

const deepest = 10

/** The error, what it wraps, and so on. */
function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let current = error
  while (current instanceof Error && chain.length < deepest && !chain.includes(current)) {
    chain.push(current)
    current = 'lastError' in current ? current.lastError : current.cause
  }
  return chain
}
