import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost } from '../../src/index.ts'
import type {
  RequestOptions,
  Host,
  HostEvent,
  HostOptions,
  Json,
  JsonObject,
  ServerList,
} from '../../src/index.ts'

/** A host whose only configuration is a file with these servers, in a home of its own. */
export interface HostWithServer extends AsyncDisposable {
  readonly host: Host
  readonly home: string
  readonly events: readonly HostEvent[]
  /** Settles when `x` has sent the notification this many times. */
  untilNotified(method: string, times?: number): Promise<void>
  /** Settles when `x` has printed the line to stderr this many times. */
  untilSaid(line: string, times?: number): Promise<void>
  /** Connects `x` and returns the negotiated era and version. */
  connect(): Promise<{ readonly era: string; readonly version: string }>
  /** The names of its tools. */
  tools(options?: { readonly fresh?: boolean }): Promise<readonly string[]>
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Json>
  /** Calls a tool of `x` and returns the text of its result. */
  call(tool: string, args?: JsonObject, options?: RequestOptions): Promise<string>
}

interface HostWithOptions extends Omit<HostOptions, 'settings'> {
  /** The settings of the person. */
  readonly settings?: JsonObject
}

export async function hostWith(
  entry: JsonObject,
  { settings, ...options }: HostWithOptions = {},
): Promise<HostWithServer> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-host-'))
  if (settings) {
    mkdirSync(join(home, '.config/plugboard'), { recursive: true })
    writeFileSync(join(home, '.config/plugboard/settings.json'), JSON.stringify(settings))
  }
  const config = join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { x: entry } }))
  const { platform, ...others } = options
  const host = await createHost({
    cwd: home,
    config,
    sources: ['plugboard'],
    platform: { home, env: { HOME: home, PATH: process.env['PATH'] }, ...platform },
    ...others,
  })
  const events: HostEvent[] = []
  const waiters = new Set<() => void>()
  host.on((event) => {
    events.push(event)
    for (const check of waiters) check()
  })
  const untilMany = (times: number, match: (event: HostEvent) => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (events.filter(match).length < times) return
        waiters.delete(check)
        resolve()
      }
      waiters.add(check)
      check()
    })
  const hosted: HostWithServer = {
    host,
    home,
    events,
    untilNotified: (method, times = 1) =>
      untilMany(times, (event) => event.type === 'server.notified' && event.method === method),
    untilSaid: (line, times = 1) =>
      untilMany(times, (event) => event.type === 'server.said' && event.line === line),
    async connect() {
      const { era, version } = await host.connect('x')
      return { era, version }
    },
    tools: async (listOptions) => namesOf(await host.list('x', 'tools', listOptions)),
    request: (method, params, callOptions) => host.request('x', method, params, callOptions),
    async call(tool, args = {}, callOptions) {
      const result = await host.request('x', 'tools/call', { name: tool, arguments: args }, callOptions)
      return textOf(result)
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return hosted
}

function namesOf({ items }: ServerList): readonly string[] {
  return items.map((item) => (item as { readonly name: string }).name) // a definition without a name is not listed
}

function textOf(result: Json): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] } // peers answer with text
  return content.map(({ text }) => text).join('')
}
