import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { JsonObject } from '../../src/index.ts'
import type { LeakyWorld } from './leaky-world.ts'
import type { Findings } from './tour.ts'

const greeting = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'tour', version: '1' },
}

/** What a client asks a gateway for: every list, and calls that leak in a result, in a failure and in an error. */
const requests: readonly (readonly [method: string, params: JsonObject])[] = [
  ['initialize', greeting],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ...['leaky', 'remote', 'vault', 'shifty'].flatMap((server) =>
    ['leak', 'fail', 'refuse'].map((tool) => ['tools/call', { name: `${server}__${tool}` }] as const),
  ),
  ['tools/call', { name: 'broken__leak' }],
  ['prompts/get', { name: 'leaky__ask' }],
  ['resources/read', { uri: 'note:///a' }],
]

const toMessage = ([method, params]: (typeof requests)[number], id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** `plugboard gateway` as a process of its own, over a pipe and over HTTP. */
export async function useGateway(world: LeakyWorld, found: Findings): Promise<void> {
  await Promise.all([overPipe(world, found), overHttp(world, found)])
}

/** One request after the other; the answers are told apart by their ids. */
async function overPipe(world: LeakyWorld, found: Findings): Promise<void> {
  const child = world.start(['gateway', '--alone'])
  const exited = once(child, 'exit')
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  let next = 0
  const send = () => child.stdin.write(`${toMessage(requests[next] ?? ['ping', {}], next)}\n`)
  send()
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line) as { readonly id?: number }
    found.set(`gateway over a pipe, ${id} ${requests[Number(id)]?.[0]}`, line)
    if (id !== next) continue
    if (++next < requests.length) send()
    else child.stdin.end()
  }
  await exited
  found.set('gateway over a pipe, stderr', stderr)
}

async function overHttp(world: LeakyWorld, found: Findings): Promise<void> {
  const child = world.start(['gateway', '--port', '0', '--json'])
  const exited = once(child, 'exit')
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const { url, token } = await new Promise<{ readonly url: string; readonly token: string }>(
    (resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        stdout += chunk
        if (stdout.endsWith('}\n')) resolve(JSON.parse(stdout) as { url: string; token: string }) // its documented form
      })
      void exited.then(() => reject(new Error(stderr)))
    },
  )
  for (const [id, request] of requests.entries()) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: toMessage(request, id),
    })
    const headers = JSON.stringify([...answer.headers])
    found.set(`gateway over HTTP, ${id} ${request[0]}`, `${headers}\n${await answer.text()}`)
  }
  child.kill('SIGTERM')
  await exited
  found.set('gateway over HTTP, stdout', stdout).set('gateway over HTTP, stderr', stderr)
}
