/** A host in a separate process, for tests in which it is killed, measured, or runs out of file descriptors. */
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createHost, HostError } from '../../../../src/index.ts'
import type { Host, HostEvent, HostLimits } from '../../../../src/index.ts'

const [task = '', home = '', config = '', detail = '{}'] = process.argv.slice(2)
const events: HostEvent[] = []
const listeners = new Set<() => void>()

const tasks: Readonly<Record<string, (host: Host) => Promise<void>>> = { serve, measure, flood, starve }
const { limits, calls = [] } = JSON.parse(detail) as {
  readonly limits?: Partial<HostLimits>
  readonly calls?: readonly string[]
}
const host = await createHost({
  cwd: home,
  config,
  sources: ['plugboard'],
  platform: { home, env: { HOME: home, PATH: process.env['PATH'] } },
  ...(limits && { limits }),
  on(event) {
    events.push(event)
    for (const listener of listeners) listener()
  },
})
await tasks[task]?.(host)

function say(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

/** Connects to all servers, and closes the host on a signal. */
async function serve(): Promise<void> {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
  for (const [signal, code] of Object.entries(codes)) {
    process.once(signal, () => void host.close().then(() => process.exit(code)))
  }
  process.once('uncaughtException', () => process.exit(70))
  process.stdin
    .once('end', () => {
      throw new Error('on purpose')
    })
    .resume()
  const names = host.servers().map(({ name }) => name)
  const pids = await Promise.all(
    names.map(async (name) => {
      const { pid } = JSON.parse(await call(name, 'environment')) as { readonly pid: number } // the result of the faulty server
      return pid
    }),
  )
  say({ pids })
}

/** Measures how much these calls of `x` raise the memory peak, while `good` answers. */
async function measure(): Promise<void> {
  await call('x', 'warm-up')
  await call('good', 'warm-up')
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void // V8 exposes it under this name
  gc()
  // Resets the memory peak.
  writeFileSync('/proc/self/clear_refs', '5')
  const before = peak()
  const ends: unknown[] = []
  for (const tool of calls) {
    const ended = call('x', tool).then(
      (text) => ({ answered: text.length }),
      (error: unknown) => (error instanceof HostError ? { code: error.code } : { error: String(error) }),
    )
    const good = call('good', 'still-here').then(() => 'answered')
    ends.push({ ...(await ended), good: await good })
  }
  const grown = peak() - before
  await host.close()
  say({
    ends,
    grown,
    said: events.flatMap((event) => (event.type === 'server.warned' ? [event.message] : [])),
    crashes: events.filter((event) => statusOf(event)?.reason === 'crashed').length,
  })
}

/** Runs all calls of `x` at once and measures how much they raise the memory peak. */
async function flood(): Promise<void> {
  await call('x', 'warm-up')
  writeFileSync('/proc/self/clear_refs', '5')
  const before = peak()
  const ends = await Promise.all(
    calls.map((tool) =>
      call('x', tool).then(
        (text) => text.length,
        (error: unknown) => (error instanceof HostError ? error.code : String(error)),
      ),
    ),
  )
  const grown = peak() - before
  ends.push(await call('x', 'still-here'))
  await host.close()
  say({ ends, grown })
}

function peak(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}

/** Exhausts the file descriptors while `x` is restarted. */
async function starve(): Promise<void> {
  await call('x', 'warm-up')
  // A server that waits for its next attempt does not keep the process alive.
  const alive = setInterval(() => undefined, 60_000)
  const hoard: number[] = []
  try {
    for (;;) hoard.push(openSync('/dev/null', 'r'))
  } catch {
    // No file descriptor is left.
  }
  await call('x', 'crash').catch((error: unknown) => say(error instanceof HostError && { code: error.code }))
  // The three pipes of the old server are free again; take them, too.
  try {
    for (;;) hoard.push(openSync('/dev/null', 'r'))
  } catch {
    // No file descriptor is left.
  }
  const refused = await until((event) => statusOf(event)?.failure?.code === 'spawn')
  for (const file of hoard) closeSync(file)
  const { state, reason, failure } = statusOf(refused) ?? {}
  say({ state, reason, message: failure?.message })
  await until(
    (event) => events.indexOf(event) > events.indexOf(refused) && statusOf(event)?.state === 'ready',
  )
  clearInterval(alive)
  say({ answered: await call('x', 'tool-0') })
  await host.close()
}

interface ServerStatus {
  readonly state: string
  readonly reason: string
  readonly failure?: { readonly code: string; readonly message: string }
}

function statusOf(event: HostEvent): ServerStatus | undefined {
  return event.type === 'server.changed' && event.server === 'x' ? event.status : undefined
}

function until(fits: (event: HostEvent) => boolean): Promise<HostEvent> {
  return new Promise((resolve) => {
    const check = () => {
      const found = events.find(fits)
      if (!found) return
      listeners.delete(check)
      resolve(found)
    }
    listeners.add(check)
    check()
  })
}

async function call(server: string, tool: string): Promise<string> {
  const result = await host.request(server, 'tools/call', { name: tool, arguments: {} })
  const { content } = result as { readonly content: readonly { readonly text: string }[] } // the faulty server answers with text
  return content.map(({ text }) => text).join('')
}
