import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { login } from '../../src/auth.ts'
import type { Account, LoginOptions } from '../../src/auth.ts'
import { createHost, discover } from '../../src/index.ts'
import type { Host, HostEvent, HostOptions, JsonObject, Server } from '../../src/index.ts'
import { browse } from './authorization-server.ts'

/** A user with one server `vault`, a temporary home, and a browser. */
export interface Person {
  readonly home: string
  readonly options: { readonly cwd: string; readonly platform: NonNullable<HostOptions['platform']> }
  readonly logins: string
  server(): Promise<Server>
  /** Replaces the entry of `vault`. */
  rewrite(entry: JsonObject): void
  /** The files of the login store by name. */
  files(): Readonly<Record<string, string>>
  /** The stored access token. */
  token(): string
  secrets(): readonly string[]
  /** Overwrites the file with this ending. */
  damage(ending: '.secret' | '.json', text: string): void
  login(options?: LoginOptions): Promise<Account>
  host(options?: HostOptions): Promise<Host & { readonly events: readonly HostEvent[] }>
}

export function createPerson(entry: JsonObject, platform: NonNullable<HostOptions['platform']> = {}): Person {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-auth-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const rewrite = (next: JsonObject) => {
    writeFileSync(
      join(home, 'mcp.json'),
      JSON.stringify({ mcpServers: { vault: { type: 'http', ...next } } }),
    )
  }
  rewrite(entry)
  const logins = join(home, '.local/state/plugboard/logins')
  const env = { HOME: home, PATH: process.env['PATH'], PLUGBOARD_CREDENTIALS: 'file', ...platform.env }
  const options = { cwd: home, platform: { ...platform, home, env } }
  const files = () =>
    Object.fromEntries(readdirSync(logins).map((name) => [name, readFileSync(join(logins, name), 'utf8')]))
  const tokens = () => {
    const [, text = '{}'] = Object.entries(files()).find(([name]) => name.endsWith('.secret')) ?? []
    return (JSON.parse(text) as { readonly tokens?: Readonly<Record<string, string>> }).tokens ?? {} // as the login store writes it
  }
  const discoverOptions = { ...options, config: join(home, 'mcp.json'), sources: ['plugboard'] as const }
  const server = async () => {
    const { servers } = await discover(discoverOptions)
    const [first] = servers
    if (!first) throw new Error('The server is not declared.')
    return first
  }
  return {
    home,
    options,
    logins,
    server,
    rewrite,
    files,
    token: () => tokens()['access'] ?? '',
    damage(ending, text) {
      const name = Object.keys(files()).find((each) => each.endsWith(ending)) ?? ''
      writeFileSync(join(logins, name), text)
    },
    secrets: () => [tokens()['access'] ?? '', tokens()['refresh'] ?? ''],
    login: async (given = {}) =>
      login(await server(), { ...options, open: async (url) => void (await browse(url)), ...given }),
    async host(given = {}) {
      const events: HostEvent[] = []
      const host = await createHost({
        ...discoverOptions,
        lifecycle: 'on-demand',
        on: (event) => void events.push(event),
        ...given,
      })
      onTestFinished(() => host.close())
      return Object.assign(host, { events })
    },
  }
}

/** A clock whose sleeps end at once; timers run in real time. */
export function createImpatientClock(): NonNullable<NonNullable<HostOptions['platform']>['clock']> {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer(ms, onDue) {
      const timer = setTimeout(onDue, ms)
      timer.unref()
      return { [Symbol.dispose]: () => clearTimeout(timer) }
    },
    sleep: () => new Promise((resolve) => setTimeout(resolve, 1)),
  }
}
