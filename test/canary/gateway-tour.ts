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
  const gateway = world.start(['gateway', '--alone'])
  let next = 0
  const send = () => gateway.write(`${toMessage(requests[next] ?? ['ping', {}], next)}\n`)
  send()
  for (let line = await gateway.nextLine(); line !== undefined; line = await gateway.nextLine()) {
    const { id } = JSON.parse(line) as { readonly id?: number }
    found.set(`gateway over a pipe, ${id} ${requests[Number(id)]?.[0]}`, line)
    if (id !== next) continue
    if (++next < requests.length) send()
    else gateway.closeInput()
  }
  found.set('gateway over a pipe, stderr', (await gateway.result).stderr)
}

async function overHttp(world: LeakyWorld, found: Findings): Promise<void> {
  const gateway = world.start(['gateway', '--port', '0', '--json'])
  const { url, token } = await gateway.document<{ readonly url: string; readonly token: string }>()
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
  await gateway.kill('SIGTERM')
  found.set('gateway over HTTP, stdout', gateway.stdout()).set('gateway over HTTP, stderr', gateway.stderr())
}
