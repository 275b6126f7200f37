// Compiled by test/types.slow.test.ts as an embedder would: against dist/, with several settings and compilers.
import { createHost, discover, HostError, isBlock, isHostError } from 'plugboard'
import type {
  Approvals,
  Block,
  CallOptions,
  Clock,
  Effect,
  Host,
  InProcessServer,
  Keychain,
  OpenChannel,
  Predicate,
  RequestOptions,
  ServerEntry,
  Toggles,
  View,
} from 'plugboard'
import { login, logout } from 'plugboard/auth'
import { resolveServer } from 'plugboard/config'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const proof = <T extends true>(value?: T) => value

export async function errors(host: Host): Promise<void> {
  try {
    await host.call('a__b')
  } catch (error) {
    // @ts-expect-error nothing is known of what was thrown
    console.error(error.code)
    if (isHostError(error, 'call.denied')) {
      proof<Equal<typeof error.data, { readonly ref: string; readonly reason: string }>>()
      // @ts-expect-error a denied call has no `sent`
      console.error(error.data.sent)
    } else if (isHostError(error)) {
      // Comparing the code narrows the data.
      if (error.code === 'call.timeout') console.error(error.data.sent)
      // @ts-expect-error of another code, `sent` is not certain
      console.error(error.data.sent)
      // @ts-expect-error there is no such code
      if (error.code === 'call.forbidden') return
    }
    if (error instanceof HostError) {
      // @ts-expect-error `instanceof` does not end in `any`
      console.error(error.data.anything)
      if (error.code === 'tool.unknown') console.error(error.data.near.join(', '))
    }
  }
}

interface SearchArguments {
  readonly q: string
  readonly labels?: readonly string[]
}

export async function calls(host: Host, view: View, channel: OpenChannel): Promise<void> {
  const args: SearchArguments = { q: 'is:open' }
  const options: CallOptions = { timeoutMs: 1000, isWhole: true }
  const { blocks } = await view.call('github__search', args, options)
  const raw: RequestOptions = { isRepeatable: true }
  await host.request('github', 'tools/call', { name: 'search', arguments: args }, raw)
  // @ts-expect-error a call decides by the tool's annotations whether it may be repeated
  await host.call('github__search', args, { isRepeatable: true })
  for (const block of blocks) console.error(describe(block))
  await createHost({ channels: { github: channel }, wrapChannel: (_server, open) => open })
  // @ts-expect-error sources are named by their ids
  await createHost({ sources: ['unknown'] })
}

export async function serversInCode(server: InProcessServer, channel: OpenChannel): Promise<void> {
  const late: ServerEntry = { url: new URL('https://docs.example.com/mcp'), headers: { A: 'b' } }
  const host = await createHost({
    expand: true,
    settings: false,
    servers: {
      github: { command: 'run', args: ['a'], env: { A: 'b', N: 1, GONE: null }, cwd: 'x' },
      shell: { type: 'local', command: ['run', 'a'], environment: { A: 'b' } },
      goose: { client: 'goose', entry: { cmd: 'run', envs: { A: 'b' }, enabled: true } },
      mine: { server, allowedTools: ['a'] },
      other: { channel, lifecycle: 'eager' },
    },
  })
  await host.add('late', late)
  await host.remove('late')
  // @ts-expect-error there is no such option
  await createHost({ server: {} })
  // @ts-expect-error there is no such key
  await createHost({ servers: { x: { command: 'run', argz: [] } } })
  // @ts-expect-error a variable that may be unset is no value
  await createHost({ servers: { x: { command: 'run', env: { A: process.env['A'] } } } })
  // @ts-expect-error an object without `connect` is no server
  await host.add('x', { server: {} })
}

function describe(block: Block): string {
  if (isBlock(block, 'text')) return block.text
  if (isBlock(block, 'image')) return `${block.mimeType} ${block.data.length}`
  if (isBlock(block, 'resource')) return block.resource.uri
  // @ts-expect-error the protocol has no such block
  if (isBlock(block, 'video')) return ''
  return block.type
}

/** Whatever names a server takes its name. */
export async function names(host: Host): Promise<void> {
  await host.stop('github')
  await login('github')
  await logout('github')
  await resolveServer('github')
  // @ts-expect-error the redactor is not an option for embedders
  await resolveServer('github', { redactor: undefined })
}

export interface Reachable {
  readonly approvals: Approvals
  readonly clock: Clock
  readonly effect: Effect
  readonly keychain: Keychain
  readonly predicate: Predicate
  readonly toggles: Toggles
}

export const found = discover({ cwd: '.' })
