import { HostError } from '../../../index.ts'
import { connectFacts } from '../../facts/desk/client-facts.ts'
import type { Handlers } from '../handler.ts'
import { gatewayClientsOf } from './gateway-clients.ts'

export const clientHandlers = {
  'GET /api/clients': async (context) => ({
    ...(await gatewayClientsOf(context).read()),
    connect: connectFacts,
  }),

  'POST /api/gateways/:gateway/stop': async (context, { params }) => {
    const socket = await gatewayClientsOf(context).socketOf(params.gateway)
    if (socket === undefined)
      throw new HostError('usage', {}, `No gateway ${params.gateway} runs.`, {
        hint: 'See: plugboard gateway status',
      })
    const { stopDesk } = await import('../../gateway/desk/desk-control.ts')
    await stopDesk(socket)
    return { isStopped: true }
  },
} satisfies Partial<Handlers>
