import type { Agent } from '../../../agent.ts'
import { fromRef } from '../../../index.ts'

/**
 * The calls that turns of conversations make now. A server asks without saying for which call; while one conversation alone
 * uses it, the question belongs there.
 */
export class RunningCalls {
  readonly #calls = new Map<string, { readonly agent: Agent; readonly server: string }>()

  start(agent: Agent, call: string, ref: string | undefined): void {
    const server = ref === undefined ? undefined : fromRef(ref)?.server
    if (server !== undefined) this.#calls.set(keyOf(agent, call), { agent, server })
  }

  finish(agent: Agent, call: string): void {
    this.#calls.delete(keyOf(agent, call))
  }

  /** The agent of the only conversation that calls the server now. */
  agentOn(server: string): Agent | undefined {
    const agents = [...this.#calls.values()]
      .filter((call) => call.server === server)
      .map(({ agent }) => agent)
    const [first, ...more] = new Set(agents)
    return more.length === 0 ? first : undefined
  }
}

function keyOf(agent: Agent, call: string): string {
  return JSON.stringify([agent.conversation.id, call])
}
