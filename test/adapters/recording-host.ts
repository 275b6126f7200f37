import { serveMcp } from '../support/remote.ts'
import { toDefinition, toolHost } from '../support/tool-host.ts'
import type { ToolHostOptions } from '../support/tool-host.ts'

const tools = [
  'one',
  'two',
  'three',
  { name: 'read', annotations: { readOnlyHint: true } },
  { name: 'look', annotations: { readOnlyHint: true } },
].map(toDefinition)

/** Two servers that record when their calls begin and end. A call takes long enough for others to begin beside it. */
export async function recordingServers() {
  const log: string[] = []
  const serve = (server: string) =>
    serveMcp(
      {
        'tools/call'({ message, answer }) {
          const call = `${server}/${(message.params as { readonly name: string }).name}` // of a call
          log.push(`${call} begins`)
          setTimeout(() => {
            log.push(`${call} ends`)
            answer()
          }, 50)
        },
      },
      { tools },
    )
  const [x, y] = [await serve('x'), await serve('y')]
  const entries = { x: { type: 'http', url: x.url.href }, y: { type: 'http', url: y.url.href } }
  return { log, entries }
}

export async function recordingHost(options: ToolHostOptions = {}) {
  const { log, entries } = await recordingServers()
  const x = await toolHost(entries, { sources: ['plugboard'], ...options })
  await x.host.ready()
  return { log, host: x.host, [Symbol.asyncDispose]: () => x[Symbol.asyncDispose]() }
}

/** Runs one call through an adapter. */
export type RunCall = (name: string, signal?: AbortSignal) => Promise<unknown>

/** The log of calls that ran one after another. */
export const inTurn = (...names: readonly string[]) =>
  names.flatMap((name) => [`${name} begins`, `${name} ends`])
