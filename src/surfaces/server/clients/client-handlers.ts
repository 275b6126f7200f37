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
    const gateway = await gatewayClientsOf(context).find(params.gateway)
    if (gateway?.url !== undefined)
      throw new HostError(
        'usage',
        {},
        `The gateway ${params.gateway} serves HTTP, and is not stopped from here.`,
        {
          hint: 'End it in its terminal with Ctrl-C, or stop the service that started it.',
        },
      )
    if (!gateway)
      throw new HostError('usage', {}, `No gateway ${params.gateway} runs.`, {
        hint: 'See: plugboard gateway status',
      })
    const { stopDesk } = await import('../../gateway/desk/desk-control.ts')
    await stopDesk(gateway.socket)
    return { isStopped: true }
  },
} satisfies Partial<Handlers>
