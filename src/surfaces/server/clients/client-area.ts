import type { Area } from '../area.ts'
import { clientHandlers } from './client-handlers.ts'
import { gatewayClientsOf } from './gateway-clients.ts'

export const clientArea: Area = {
  handlers: clientHandlers,
  snapshot: async (context) => ({ clients: gatewayClientsOf(context).known }),
  follow: gatewayClientsOf,
}
