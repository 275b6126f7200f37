import type { Host, Server } from '../../index.ts'
import { aliases } from './intent.ts'
import { changingCommands } from './session.ts'

/** What is known of the servers when a line starts. */
export type KnownServers = Pick<Host, 'ready' | 'servers' | 'tools'>

/** Which servers the line that runs may ask inputs for: those that the line itself uses. Between lines it is none. */
export class ServerUses {
  #line:
    | { readonly words: readonly string[]; readonly host: KnownServers; readonly signal: AbortSignal }
    | undefined
  /** Servers that failed because an input was not asked for. */
  readonly #declined = new Set<string>()

  /** Ends with the line that uses this server; `undefined` if no line uses it now, and a person must not be asked. */
  lineOf(server: string): AbortSignal | undefined {
    if (this.#line && isUsed(server, this.#line.words, this.#line.host)) return this.#line.signal
    this.#declined.add(server)
    return undefined
  }

  /** A server that the line uses is tried again if it failed without its inputs. */
  async begin(words: readonly string[], host: KnownServers): Promise<Disposable> {
    const end = new AbortController()
    this.#line = { words: usingWords(words), host, signal: end.signal }
    const { words: using } = this.#line
    const again = [...this.#declined].filter((server) => isUsed(server, using, host))
    for (const server of again) this.#declined.delete(server)
    if (again.length > 0) await host.ready({ servers: again, timeoutMs: longestMs }).catch(() => undefined)
    return {
      [Symbol.dispose]: () => {
        this.#line = undefined
        end.abort()
      },
    }
  }
}

/** The person answers in this time. */
const longestMs = 600_000

/** Lines that name a server without using it: they change or show its entry. */
const notUsing = [...changingCommands, 'reload', 'stop', 'status', 'why', 'logs', 'logout']

/** Lines that use all servers, unless they name one. */
const usingAll = ['tools', 'search', 'prompts', 'resources', 'skills', 'test']

/** The words of a line that can name the servers it uses. */
function usingWords(line: readonly string[]): readonly string[] {
  const words = line.slice(line.findIndex((word) => word !== 'plugboard' && word !== '/mcp'))
  const [first = ''] = words
  return notUsing.includes(aliases[first] ?? first) ? [] : words
}

/** Whether a word names the server, or a tool of it by its bare name, or the line lists what all servers offer. */
function isUsed(server: string, words: readonly string[], host: KnownServers): boolean {
  const isNamed = ({ name }: { readonly name: string }) => words.some((word) => isNamedBy(word, name))
  if (usingAll.includes(words[0] ?? '') && !host.servers().some(isNamed)) return true
  return words.some((word) => {
    const named = host.servers().filter(({ name }) => isNamedBy(word, name))
    // `a-b__tool` names the server `a-b` and not `a`.
    const longest = Math.max(...named.map(({ name }) => name.length))
    if (named.length > 0) return isNamedBy(word, server) && server.length === longest
    return host.tools().some((tool) => tool.server === server && (tool.tool === word || tool.name === word))
  })
}

/** `x`, `x/tool`, `x__tool`, `x.tool` and `/x:prompt` name the server `x`. */
function isNamedBy(word: string, server: string): boolean {
  const [text, name] = [word.replace(/^\//, ''), server].map((each) => each.replaceAll(/[^\p{L}\d]/gu, '_'))
  return text === name || text?.startsWith(`${name}_`) === true
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
