// Part of the shim: it imports nothing.

/** A request that is not answered yet. */
interface OpenRequest {
  readonly method: string
  /** Kept if it may be sent again: it only reads. */
  readonly line?: Buffer
  readonly isRepeated?: boolean
}

/** Methods whose requests change nothing, so that a second one is the same as one. */
const repeatable: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'skills/list',
  'skills/get',
  'resources/directory/read',
  'completion/complete',
  'subscriptions/listen',
  'tasks/get',
])

/** An id is enough to see which request an answer belongs to; the gateway writes it first. */
const headBytes = 300
const head = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*),"(result|error|method)":/

/** How the gateway says that it has begun to listen; the id of the request is at the end, after what may be long. */
const acknowledged = '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"'
const subscriptionId = 'io.modelcontextprotocol/subscriptionId'

const replayed = '"plugboard-again-'

/**
 * What a client and its gateway have said to each other, as far as another gateway has to know it: which requests are open,
 * how the client greeted, and what it asked to be told. Messages are passed on as they came.
 */
export class ClientSession {
  readonly #open = new Map<string, OpenRequest>()
  /** Requests of the gateway that the client has not answered. */
  readonly #questions = new Set<string>()
  /** The same of a gateway that is gone: nothing waits for their answers. */
  readonly #stale = new Set<string>()
  readonly #subscribed = new Map<string, unknown>()
  #greeting: unknown
  #isInitialized = false
  #level: unknown
  #replays = 0

  /** Takes a line of the client. `false` if it is not to be passed on. */
  fromClient(line: Buffer): boolean {
    const message = parse(line)
    const { id, method, params } = message
    const key = JSON.stringify(id)
    if (typeof method !== 'string') {
      this.#questions.delete(key)
      return !this.#stale.delete(key)
    }
    if (id !== undefined) this.#open.set(key, repeatable.has(method) ? { method, line } : { method })
    this.#remember(method, isRecord(params) ? params : {})
    return true
  }

  /** Takes the beginning of a line of the gateway. `false` if it is not to be passed on: the answer to what was said again. */
  fromGateway(line: Buffer): boolean {
    const beginning = line.toString('utf8', 0, headBytes)
    const [, id = '', kind] = head.exec(beginning) ?? []
    if (kind === undefined && beginning.startsWith(acknowledged)) this.#acknowledged(parse(line))
    if (kind === undefined) return true
    if (kind === 'method') this.#questions.add(id)
    else if (id.startsWith(replayed)) return false
    else this.#open.delete(id)
    return true
  }

  /** A gateway listens for the client: if it ends too, that is not the end that the request was sent again for. */
  #acknowledged({ params }: Readonly<Record<string, unknown>>): void {
    const meta = isRecord(params) ? params['_meta'] : undefined
    const key = JSON.stringify(isRecord(meta) ? meta[subscriptionId] : undefined)
    const request = this.#open.get(key)
    if (request?.method === 'subscriptions/listen') this.#open.set(key, { ...request, isRepeated: false })
  }

  /** Whether a request waits that can be sent to another gateway. */
  get hasRepeatable(): boolean {
    return [...this.#open.values()].some(({ line }) => line !== undefined)
  }

  /**
   * The gateway is gone. Returns the answers to requests that may have run; the others stay open, to be sent again once; one that
   * listens, once after each acknowledgment.
   */
  lose(): readonly string[] {
    for (const question of this.#questions) this.#stale.add(question)
    this.#questions.clear()
    const lost = [...this.#open].filter(([, { line, isRepeated }]) => line === undefined || isRepeated)
    return lost.map(([id, { method, line }]) => {
      this.#open.delete(id)
      return failure(id, lossOf(method, line === undefined), line === undefined)
    })
  }

  /** No gateway can be reached: the answers to everything that is open. */
  giveUp(why: string): readonly string[] {
    const all = [...this.#open.keys()]
    this.#open.clear()
    return all.map((id) =>
      failure(id, `The gateway ended, and another one cannot be reached: ${why}.`, false),
    )
  }

  /** What another gateway has to hear first: the greeting and what follows from it, then the requests that are open. */
  resume(): readonly (string | Buffer)[] {
    const ask = (method: string, params: unknown) =>
      line({ id: `plugboard-again-${++this.#replays}`, method, params })
    const isOpen = [...this.#open.values()].some(({ method }) => method === 'initialize')
    const greeting =
      this.#greeting === undefined || isOpen
        ? []
        : [
            ask('initialize', this.#greeting),
            ...(this.#isInitialized ? [line({ method: 'notifications/initialized' })] : []),
            ...(this.#level === undefined ? [] : [ask('logging/setLevel', this.#level)]),
            ...[...this.#subscribed.values()].map((params) => ask('resources/subscribe', params)),
          ]
    const again = [...this.#open].map(([id, request]) => {
      this.#open.set(id, { ...request, isRepeated: true })
      return request.line ?? ''
    })
    return [...greeting, ...again]
  }

  /** What a legacy client is told then: the lists of another gateway may be others. */
  changes(): readonly string[] {
    if (!this.#isInitialized) return []
    return ['tools', 'resources', 'prompts'].map((list) =>
      line({ method: `notifications/${list}/list_changed` }),
    )
  }

  #remember(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'initialize') {
      this.#greeting = params
      this.#isInitialized = false
      this.#level = undefined
      this.#subscribed.clear()
    } else if (method === 'notifications/initialized') this.#isInitialized = true
    else if (method === 'notifications/cancelled') this.#open.delete(JSON.stringify(params['requestId']))
    else if (method === 'logging/setLevel') this.#level = params
    else if (method === 'resources/subscribe') this.#subscribed.set(String(params['uri']), params)
    else if (method === 'resources/unsubscribe') this.#subscribed.delete(String(params['uri']))
  }
}

function lossOf(method: string, mayHaveRun: boolean): string {
  if (!mayHaveRun) return `The gateway ended twice during ${method}, which was sent again once.`
  return `The gateway ended during ${method}. It may have run: look at what it did before you send it again.`
}

function failure(id: string, message: string, mayHaveRun: boolean): string {
  const error = JSON.stringify({ code: -32603, message, data: { mayHaveRun } })
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}\n`
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

function parse(text: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'))
    return isRecord(value) ? value : {}
  } catch {
    // The gateway says what is wrong with it.
    return { method: '' }
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Splits bytes into lines, each with its end. The rest of one that is not whole waits for what follows. */
export function splitLines(onLine: (line: Buffer) => void): (chunk: Buffer) => void {
  let held: Buffer[] = []
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end + 1)
      start = end + 1
      if (held.length === 0) onLine(part)
      else {
        const whole = Buffer.concat([...held, part])
        held = []
        onLine(whole)
      }
    }
    if (start < chunk.length) held.push(chunk.subarray(start))
  }
}
