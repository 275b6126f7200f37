import { signal } from '@preact/signals'
import type { Fault } from '../../../../src/client.ts'
import { toFault } from '../../state/answers.ts'
import { send } from '../../state/client.ts'

/** Steps that are done at once, without a view of their own. */
export type DirectAction = 'start' | 'stop' | 'restart' | 'logout' | 'untrust'

interface ServerRequest {
  readonly action: DirectAction
  /** Set when it was refused; kept until the next request, because the cause stays true until then. */
  readonly error?: Fault
}

/** The last request to each server that runs or was refused. */
const requests = signal<Readonly<Record<string, ServerRequest>>>({})

export function refusalOf(server: string): Fault | undefined {
  return requests.value[server]?.error
}

export function isRunning(server: string, action: DirectAction): boolean {
  const request = requests.value[server]
  return request?.action === action && request.error === undefined
}

/** Resolves to whether it was done; why not is kept for the row. */
export async function request(server: string, action: DirectAction): Promise<boolean> {
  const mine: ServerRequest = { action }
  requests.value = { ...requests.value, [server]: mine }
  try {
    await sendAction(server, action)
    settle(server, mine)
    return true
  } catch (error) {
    settle(server, mine, { action, error: toFault(error) })
    return false
  }
}

/** A later request to the same server has taken the place of `mine`: its outcome counts. */
function settle(server: string, mine: ServerRequest, refused?: ServerRequest): void {
  if (requests.value[server] !== mine) return
  const { [server]: _mine, ...others } = requests.value
  requests.value = refused ? { ...others, [server]: refused } : others
}

function sendAction(server: string, action: DirectAction): Promise<unknown> {
  const input = { params: { server } }
  switch (action) {
    case 'start':
      return send('POST /api/servers/:server/start', input)
    case 'stop':
      return send('POST /api/servers/:server/stop', input)
    case 'restart':
      return send('POST /api/servers/:server/restart', input)
    case 'logout':
      return send('DELETE /api/servers/:server/login', input)
    case 'untrust':
      return send('DELETE /api/servers/:server/trust', input)
  }
}
