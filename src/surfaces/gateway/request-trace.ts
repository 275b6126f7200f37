import { isObject } from '../../internal.ts'
import type { Progress } from '../../index.ts'
import type { GatewayView } from './gateway-view.ts'
import type { Answer, ServedRequest } from './served-request.ts'

/** What a request is for, in the client's words. */
export interface TracedSubject {
  readonly kind: 'tool' | 'resource' | 'prompt'
  /** The tool, the prompt or the uri. */
  readonly name: string
}

/** Learns how one request goes on. */
export interface RequestTrace {
  /** The server that it goes to, and the name there. */
  found(server: string, name?: string): void
  progress(progress: Progress): void
  /** Someone is asked in its course; dispose the result when there is an answer. */
  waits(asked: { readonly of: 'client' | 'person'; readonly question?: string }): Disposable
  /** Why it does not run, also where the client gets that as a result. */
  failed(error: unknown): void
  end(outcome: 'done' | 'failed' | 'cancelled' | 'asked'): void
}

/** Learns of the requests that clients send to servers. */
export interface RequestWatch {
  begin(client: string, subject: TracedSubject): RequestTrace
}

/** Answers a request, and tells the watch how it goes. Requests of the gateway itself are not told. */
export async function traceRequest(
  watch: RequestWatch,
  request: ServedRequest,
  view: GatewayView,
  answer: (request: ServedRequest, view: GatewayView) => Answer | Promise<Answer>,
): Promise<Answer> {
  const subject = request.from === undefined ? undefined : subjectOf(request)
  if (request.from === undefined || !subject) return answer(request, view)
  const trace = watch.begin(request.from, subject)
  try {
    const answered = await answer({ ...request, trace }, view)
    trace.end(outcomeOf(answered, request))
    return answered
  } catch (error) {
    trace.failed(error)
    trace.end(request.signal.aborted ? 'cancelled' : 'failed')
    throw error
  }
}

function outcomeOf(answer: Answer, { signal }: ServedRequest): 'done' | 'failed' | 'cancelled' | 'asked' {
  if (signal.aborted) return 'cancelled'
  if (!isObject(answer)) return 'done'
  if (answer['resultType'] === 'input_required') return 'asked'
  return answer['isError'] === true ? 'failed' : 'done'
}

function subjectOf({ method, params }: ServedRequest): TracedSubject | undefined {
  const kind = kinds[method]
  const name = method === 'resources/read' ? params['uri'] : params['name']
  return kind && typeof name === 'string' ? { kind, name: name.slice(0, maxName) } : undefined
}

const kinds: Readonly<Record<string, TracedSubject['kind']>> = {
  'tools/call': 'tool',
  'resources/read': 'resource',
  'prompts/get': 'prompt',
}
const maxName = 300
