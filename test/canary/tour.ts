import { mkdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../src/client.ts'
import { keys, openProgram } from '../support/programs/terminal.ts'
import { everyVerb } from '../support/verbs.ts'
import { canaries } from './canaries.ts'
import type { LeakyWorld } from './leaky-world.ts'

/** What came out, by place: `stdout of …`, `API …`, `page …`, `file …`. */
export type Findings = Map<string, string>

const root = fileURLToPath(new URL('../..', import.meta.url))
const pin = `pin=${canaries.input}`

/** The commands that leak most, which are enough to see that a masker is missing in each kind of place. */
export const shortTour: readonly (readonly string[])[] = [
  ['call', 'leaky/leak'],
  ['call', 'leaky/refuse'],
  ['call', 'remote/leak', '--json'],
  ['call', 'asking/leak', '--input', pin],
  ['call', 'vault/leak'],
  ['logs', 'leaky'],
  ['review', 'shifty'],
  ['lock', '--trust'],
]

/** A server whose definitions changed is reviewed; the servers of the project are locked, and one of them is out of reach. */
function guardTour(): readonly (readonly string[])[] {
  return [
    ['review', 'shifty'],
    ['review', '--json'],
    ['lock', '--trust'],
    ['lock', '--trust', '--json'],
    ['lock', '--trust', '--check'],
    ['lock', '--trust', '--frozen'],
    ['lock', '--trust', '--frozen', '--json'],
  ]
}

/**
 * The argument of every call: the secrets of all servers that are known without running a command or asking a person, whichever
 * server gets them.
 */
const { command: _printed, input: _typed, ...atHand } = canaries
const everySecret = Object.values(atHand).join(' ')

/** Every command once, and those that show what servers say in both forms. */
export const longTour: readonly (readonly string[])[] = [
  ...['leaky', 'remote', 'vault'].flatMap((server) =>
    ['leak', 'fail', 'refuse'].flatMap((tool) => [
      ['call', `${server}/${tool}`, `text=${everySecret}`, ...(tool === 'leak' ? [] : ['--json'])],
    ]),
  ),
  ['call', 'asking/leak', '--input', pin],
  ['call', 'asking/refuse', '--input', pin, '--json'],
  ['call', 'broken/leak'],
  ...everyVerb('leaky', 'vscode').filter(
    ([command = '', , third]) => command !== '__complete' || third === 'call',
  ),
  ['list', '--resolved', '--json'],
  ['why', 'remote', '--json'],
  ['why', 'vault', '--json'],
  ['why', 'leaky/leak', '--json'],
  ['test', '--all'],
  ['test', '--all', '--json'],
  ['tools', '--json'],
  ['tool', 'leaky/leak', '--json'],
  ['search', 'leak', '--json'],
  ['resources', '--json'],
  ['read', 'note:///a', '--server', 'leaky'],
  ['read', 'note:///a', '--server', 'leaky', '--json'],
  ['prompts', '--json'],
  ['prompt', 'leaky/ask'],
  ['prompt', 'leaky/ask', '--json'],
  ['generate', 'leaky', '--out', 'leaky.ts'],
  ['generate', 'leaky', '--cli', '--out', 'leaky.mjs'],
  ['request', 'leaky', 'tools/call', '{"name":"leak"}'],
  ['request', 'leaky', 'tools/call', '{"name":"refuse"}', '--json'],
  ['request', 'remote', 'prompts/get', '{"name":"ask"}', '--json'],
  ['logs', 'leaky', '--json'],
  ['doctor'],
  ['doctor', '--json'],
  ...guardTour(),
  ['review', '--trust'],
  ['review', 'team', '--trust', '--json'],
  ['scan', '--json'],
  ['scan', '--sarif'],
  ['status', '--json'],
  ['export', 'cursor', '--dry-run', '--json'],
  ['add', 'more', '--dry-run', '--env', `API_TOKEN=${canaries.literal}`, '--', 'more-mcp'],
  ['find', 'anything', '--json'],
  ['models', 'test'],
  ['models', '--json'],
  ['whoami', '--json'],
  ['questions', '--json'],
  ['conversations', '--json'],
  ['store', '--json'],
  ['switch', 'leaky', 'off', '--json'],
  ['help'],
  ['version'],
]

/** What comes last: the issuer refuses to renew the login, and tells why. */
export const lastTour: readonly (readonly string[])[] = [
  ['call', 'vault/leak'],
  ['test', 'vault', '--json'],
  ['audit'],
  ['audit', '--json'],
  ['audit', '--verify'],
  ['store', 'export'],
  ['logout', 'vault', '--json'],
]

/** The login, which other commands need, and what is accepted of the server that changes with its next start. */
export const firstTour: readonly (readonly string[])[] = [
  ['login', 'vault'],
  ['call', 'shifty/leak'],
]

/** Runs commands, four at a time, because several of them wait for servers, and notes what they wrote. */
export async function runAll(
  { run }: LeakyWorld,
  commands: readonly (readonly string[])[],
  found: Findings,
): Promise<void> {
  const waiting = commands.map((args, at) => ({ args, at }))
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { stdout, stderr } = await run(next.args)
      // A command line may hold a secret itself.
      const title = `${next.at} ${next.args.slice(0, 2).join(' ')}`
      found.set(`stdout of ${title}`, stdout).set(`stderr of ${title}`, stderr)
    }
  }
  await Promise.all([work(), work(), work(), work()])
}

/** A task for the scripted model, the shell and the chat; each calls a tool that leaks. */
export async function talk(world: LeakyWorld, found: Findings): Promise<void> {
  const { model, run, machine, env, cli } = world
  const callLeak = { calls: [{ name: 'leaky__leak', args: { text: canaries.literal } }] }
  const say = { text: `Your key is ${canaries.modelKey}, and ${canaries.literal}.` }
  const note = (title: string, { stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
    found.set(`stdout of ${title}`, stdout).set(`stderr of ${title}`, stderr)
  model.play([callLeak, say])
  note('run', await run(['run', `Use ${canaries.literal}.`]))
  model.play([callLeak, say])
  note('run --json', await run(['run', '--json', 'Use it.']))
  model.play([{ status: 400, body: { error: { message: `Your key ${canaries.modelKey} broke it.` } } }])
  note('run with an error', await run(['run', 'Fail.', '--ephemeral']))
  const lines = ['tools', 'call leaky/leak', 'call remote/refuse', 'logs leaky', 'status', 'exit']
  note('shell', await run(['shell'], { stdin: `${lines.join('\n')}\n` }))
  model.play([callLeak, say])
  const chat = openProgram(machine, [process.execPath, cli, 'chat'], { env, columns: 400 })
  await chat.see('›')
  chat.type(`Use it.${keys.enter}`)
  await chat.see('Your key is')
  chat.type('/exit\r')
  await chat.ended
  found.set('terminal of chat', chat.shown())
}

/** A store that cannot be reached, which is tried for half a minute: beside the rest. */
export async function useLostStore({ run }: LeakyWorld, found: Findings): Promise<void> {
  const unreachable = `postgres://me:${encodeURIComponent(canaries.database)}@127.0.0.1:9/x`
  const { stdout, stderr } = await run(['store'], { env: { PLUGBOARD_DATABASE_URL: unreachable } })
  found.set('stdout of store out of reach', stdout).set('stderr of store out of reach', stderr)
}

/** A program that was generated, which runs on the same build. */
export async function runGenerated({ machine, env }: LeakyWorld, found: Findings): Promise<void> {
  mkdirSync(machine.path('node_modules'), { recursive: true })
  symlinkSync(root, machine.path('node_modules/plugboard'))
  const program = openProgram(machine, [process.execPath, machine.path('leaky.mjs'), 'leak', '--text', 'a'], {
    env,
    columns: 400,
  })
  await program.ended
  found.set('terminal of a generated program', program.shown())
}

export interface ServedAddress {
  readonly address: string
  readonly token: string
  readonly url: string
}

/** `plugboard serve` as a process of its own: every route that only reads, some calls, and the events meanwhile. */
export async function useServe(
  world: LeakyWorld,
  found: Findings,
  visit: (served: ServedAddress) => Promise<void>,
): Promise<void> {
  const serve = world.start(['serve', '--json', '--port', '0'])
  const served = await serve.document<ServedAddress>()
  try {
    await askRoutes(served, world, found)
    await visit(served)
  } finally {
    await serve.kill('SIGTERM')
  }
  found.set('stdout of serve', serve.stdout()).set('stderr of serve', serve.stderr())
}

/** Routes that only read, with what they need. */
const routes: readonly string[] = [
  'snapshot',
  'servers',
  'servers/leaky',
  'servers/remote',
  'servers/vault',
  'servers/broken',
  'servers/leaky/log',
  'tools',
  'tools/leaky%2Fleak',
  'search?words=leak',
  'calls',
  'resources',
  'resource?server=leaky&uri=note%3A%2F%2F%2Fa',
  'prompts',
  'conversations',
  'agents',
  'models',
  'config',
  'why?name=leaky',
  'doctor',
  'store',
  'questions',
  'audit',
  'lock',
]

async function askRoutes(served: ServedAddress, { model }: LeakyWorld, found: Findings): Promise<void> {
  const { address, token } = served
  const headers = { authorization: `Bearer ${token}`, 'x-plugboard-token': token }
  const ending = new AbortController()
  const client = createClient(served)
  let events = ''
  const reading = (async () => {
    for await (const event of client.follow({ signal: ending.signal })) events += `${JSON.stringify(event)}\n`
  })().catch(() => undefined)
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${address}/api/${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    found.set(`API POST ${path} ${JSON.stringify(body).slice(0, 40)}`, await answer.text())
  }
  for (const server of ['leaky', 'remote', 'vault'])
    for (const tool of ['leak', 'fail', 'refuse'])
      await post('calls', { ref: `${server}/${tool}`, args: { text: canaries.literal } })
  await post('prompts/leaky%2Fask', {})
  model.play([{ text: `It is ${canaries.modelKey}.` }])
  await post('models/test', { model: 'scripted/one' })
  for (const path of routes) {
    const answer = await fetch(`${address}/api/${path}`, { headers })
    found.set(`API GET ${path}`, await answer.text())
  }
  ending.abort()
  await reading
  found.set('events of serve', events)
}
