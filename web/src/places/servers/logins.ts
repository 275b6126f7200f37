import { signal } from '@preact/signals'
import type { Fault, LoginProgress } from '../../../../src/client.ts'
import { toFault } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { logins } from '../../state/page-state.ts'

/** Logins that were asked for and have not begun: the refusal, or nothing yet. Those that began come with the events. */
const asked = signal<ReadonlyMap<string, Fault | undefined>>(new Map())

export function isStartingLogin(server: string): boolean {
  return asked.value.has(server) && asked.value.get(server) === undefined
}

export function loginRefusal(server: string): Fault | undefined {
  return asked.value.get(server)
}

/** The newest login to a server. */
export function loginOf(server: string): LoginProgress | undefined {
  return logins.value.findLast((each) => each.server === server)
}

export type LoginFlow = NonNullable<LoginProgress['flow']>

/** Begins a login, or another way to log in; resolves to whether there is one under way. */
export async function beginLogin(server: string, flow: LoginFlow = 'browser'): Promise<boolean> {
  const now = loginOf(server)
  if (isStartingLogin(server) || (now?.state === 'waiting' && now.flow === flow)) return true
  asked.value = new Map(asked.value).set(server, undefined)
  try {
    const begun = await send('POST /api/servers/:server/login', { params: { server }, query: { flow } })
    // An event may have told how it went on before the answer came.
    if (!logins.value.some(({ id }) => id === begun.id)) logins.value = [...logins.value, begun]
    const left = new Map(asked.value)
    left.delete(server)
    asked.value = left
    return true
  } catch (error) {
    asked.value = new Map(asked.value).set(server, toFault(error))
    return false
  }
}
