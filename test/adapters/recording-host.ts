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

export interface Recording {
  /** So many calls begin before the first of them ends; more than one where calls must run beside each other. */
  readonly together?: number
}

/** Two servers that record when their calls begin and end. A call takes a moment, in which others could begin. */
export async function recordingServers({ together = 1 }: Recording = {}) {
  const log: string[] = []
  let begun = 0
  let onBegun = (): void => undefined
  const haveBegun = new Promise<void>((resolve) => (onBegun = resolve))
  const serve = (server: string) =>
    serveMcp(
      {
        'tools/call'({ message, answer }) {
          const call = `${server}/${(message.params as { readonly name: string }).name}` // of a call
          log.push(`${call} begins`)
          begun++
          if (begun === together) onBegun()
          const end = () => {
            log.push(`${call} ends`)
            answer()
          }
          void haveBegun.then(() => setTimeout(end, 50))
        },
      },
      { tools },
    )
  const [x, y] = [await serve('x'), await serve('y')]
  const entries = { x: { type: 'http', url: x.url.href }, y: { type: 'http', url: y.url.href } }
  return { log, entries }
}

export async function recordingHost(options: ToolHostOptions = {}, recording: Recording = {}) {
  const { log, entries } = await recordingServers(recording)
  const x = await toolHost(entries, { sources: ['plugboard'], ...options })
  // The first test of a file also loads all libraries, which may take longer than a server is waited for.
  await x.host.ready({ timeoutMs: 60_000 })
  return { log, host: x.host, [Symbol.asyncDispose]: () => x[Symbol.asyncDispose]() }
}

/** Runs one call through an adapter. */
export type RunCall = (name: string, signal?: AbortSignal) => Promise<unknown>

/** The log of calls that ran one after another. */
export const inTurn = (...names: readonly string[]) =>
  names.flatMap((name) => [`${name} begins`, `${name} ends`])
