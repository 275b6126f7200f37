import { onAbort } from '../../model/abort.ts'
import { HostError } from '../../model/error.ts'
import { parseObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { isLoopbackHost } from '../../platform/ip-address.ts'
import { HttpError } from '../../platform/platform.ts'
import type { Clock, HttpClient, Platform } from '../../platform/platform.ts'
import { readSettings } from '../settings.ts'

/** The official registry. */
const officialRegistry = 'https://registry.modelcontextprotocol.io'

/** For each request, and for all requests of one command together: a registry may page slowly and without end. */
const limits = { ms: 15_000, bytes: 8 * 1024 * 1024, allMs: 30_000, allBytes: 32 * 1024 * 1024 } as const

export interface RegistryLimits {
  /** For all requests together. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface RegistryAnswer {
  readonly status: number
  readonly body: JsonObject
}

/** The registry that a person uses. Requests carry no credential, and redirects are not followed. */
export interface Registry {
  /** Without a slash at its end. */
  readonly address: string
  /** Returns the answer for 200 and 404; throws `registry.failed` for everything else. */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<RegistryAnswer>
  close(): Promise<void>
}

/** Opens the registry of the person's settings, else the official one. Settings of a project are not read (T61). */
export async function openRegistry(platform: Platform, options: RegistryLimits = {}): Promise<Registry> {
  const address = await registryAddress(platform)
  const url = new URL(address)
  const client = await platform
    .http({ url, env: platform.env, maxConnections: 4 })
    .catch((error: unknown) => {
      throw toFailure(error, address)
    })
  const budget = new Budget(platform.clock, options)
  return {
    address,
    async get(path, query = {}) {
      const target = new URL(`${address}${path}`)
      for (const [key, value] of Object.entries(query)) target.searchParams.set(key, value)
      return toAnswer(
        await send(client, target, { address, platform, budget, signal: options.signal }),
        address,
      )
    },
    close: () => client.close(),
  }
}

/** Settings that cannot be read, or a wrong address, are an error: the words typed must not reach another registry. */
async function registryAddress(platform: Platform): Promise<string> {
  const { settings, diagnostics } = await readSettings(platform)
  const problem = diagnostics.find(
    ({ origin }) => origin?.pointer === undefined || origin.pointer === '/registry',
  )
  if (problem) throw new HostError('config.invalid', { key: 'registry' }, problem.message)
  const { registry = officialRegistry } = settings
  if (isRegistryAddress(registry)) return registry.replace(/\/+$/, '')
  throw new HostError(
    'config.invalid',
    { key: 'registry' },
    'Settings: "registry" must be an https address without a password or query; http only on this machine.',
  )
}

function isRegistryAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(address)
  if (`${username}${password}${search}${hash}` !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

interface Received {
  readonly status: number
  readonly text: string
}

/** The time and the bytes that the requests of one command share. */
class Budget {
  readonly #clock: Clock
  readonly #deadline: number
  readonly #requestMs: number
  #bytes = 0

  constructor(clock: Clock, { timeoutMs }: RegistryLimits) {
    this.#clock = clock
    this.#deadline = clock.monotonic() + (timeoutMs ?? limits.allMs)
    this.#requestMs = timeoutMs ?? limits.ms
  }

  /** The time that a request may take which begins now. */
  requestMs(): number {
    return Math.max(0, Math.min(this.#requestMs, this.#deadline - this.#clock.monotonic()))
  }

  /** Counts received bytes; returns whether they are within the limit. */
  take(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= limits.allBytes
  }
}

interface SendOptions {
  readonly address: string
  readonly budget: Budget
  readonly signal: AbortSignal | undefined
  readonly platform: Pick<Platform, 'clock'>
}

async function send(client: HttpClient, url: URL, options: SendOptions): Promise<Received> {
  const { address, platform, signal, budget } = options
  const chunks: Uint8Array[] = []
  let [size, status] = [0, 0]
  let cleanUp: readonly Disposable[] = []
  try {
    return await new Promise<Received>((resolve, reject) => {
      const stop = (error: unknown): void => {
        exchange.abort()
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      const exchange = client.send(
        {
          method: 'GET',
          url,
          headers: { accept: 'application/json' },
          headersTimeoutMs: 0,
          idleTimeoutMs: 0,
        },
        {
          onHeaders: (code) => void (status = code),
          onData(chunk) {
            size += chunk.length
            if (size > limits.bytes) stop(failure(address, 'too-large', 'sent more than 8 MiB'))
            else if (!budget.take(chunk.length))
              stop(failure(address, 'too-large', 'sent more than 32 MiB in several answers'))
            else chunks.push(Uint8Array.from(chunk)) // The chunk is valid only now.
          },
          onEnd: () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }),
          onError: (error) => reject(toFailure(error, address)),
        },
      )
      const timer = platform.clock.timer(budget.requestMs(), () =>
        stop(failure(address, 'timeout', 'did not answer in time')),
      )
      cleanUp = [timer, onAbort(signal, () => stop(signal?.reason))]
    })
  } finally {
    for (const each of cleanUp) each[Symbol.dispose]()
  }
}

/** What the registry sends is untrusted: only the status is repeated. */
function toAnswer({ status, text }: Received, address: string): RegistryAnswer {
  if (status >= 300 && status < 400)
    throw failure(address, 'redirect', 'redirects elsewhere, which is not followed')
  if (status !== 200 && status !== 404)
    throw failure(address, `http-${status}`, `answered with the status ${status}`)
  const body = parseObject(text)
  if (status === 404) return { status, body: body ?? {} }
  if (!body) throw failure(address, 'malformed', 'did not answer with a JSON object')
  return { status, body }
}

function toFailure(error: unknown, address: string): unknown {
  if (!(error instanceof HttpError)) return error
  return failure(address, error.reason, `cannot be reached: ${error.message}`)
}

function failure(registry: string, reason: string, what: string): HostError {
  const message = `The registry ${registry} ${/[.!?]$/.test(what) ? what : `${what}.`}`
  return new HostError('registry.failed', { registry, reason }, message, {
    hint: 'Check your network, or set "registry" in your settings.json to another address.',
  })
}
