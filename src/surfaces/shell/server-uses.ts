import type { Host, Server } from '../../index.ts'

/** Which servers the line that runs may ask inputs for. Between lines it is none. */
export class ServerUses {
  #isRunning = false
  /** Servers that were started between lines, and failed because an input was not asked for. */
  readonly #declined = new Set<string>()

  /** Whether a person may be asked for an input of this server now. */
  mayAsk(server: string): boolean {
    if (!this.#isRunning) this.#declined.add(server)
    return this.#isRunning
  }

  /** A server that the line names is tried again if it failed without its inputs. */
  async begin(words: readonly string[], host: Pick<Host, 'ready'>): Promise<Disposable> {
    this.#isRunning = true
    const named = [...this.#declined].filter((server) => words.some((word) => isNamedBy(word, server)))
    for (const server of named) this.#declined.delete(server)
    if (named.length > 0) await host.ready({ servers: named, timeoutMs: longestMs }).catch(() => undefined)
    return { [Symbol.dispose]: () => void (this.#isRunning = false) }
  }
}

/** The person answers in this time. */
const longestMs = 600_000

/** `x`, `x/tool`, `x__tool`, `x.tool` and `/x:prompt` name the server `x`. */
function isNamedBy(word: string, server: string): boolean {
  const text = word.replace(/^\//, '')
  return text === server || (text.startsWith(server) && /^[^a-z\d]/i.test(text.slice(server.length)))
}

/** Learns what servers offer while the person reads the first lines, except of those that would ask for an input. */
export async function connectInBackground(host: Pick<Host, 'ready' | 'discovery'>): Promise<void> {
  const { servers } = host.discovery
  const silent = servers.filter((server) => !needsInput(server))
  if (silent.length === servers.length) return host.ready()
  await host.ready({ from: 'disk' })
  await host.ready({ servers: silent.map(({ name }) => name) })
}

function needsInput({ transport, inputs = [] }: Server): boolean {
  return inputs.length > 0 || JSON.stringify(transport).includes('${input:')
}
