import type { Area } from '../area.ts'
import { toolTokens } from '../../facts/tool-tokens.ts'
import { followOffers } from './follow-offers.ts'
import { offerHandlers } from './offer-handlers.ts'

export const offerArea: Area = {
  handlers: offerHandlers,
  follow: followOffers,
  async counts({ host }) {
    await host.ready({ from: 'disk' })
    const tools = host.tools()
    return {
      tools: tools.length,
      tokens: tools.reduce((sum, tool) => sum + toolTokens(tool), 0),
      resources: host.resources().length,
      prompts: host.prompts().length,
    }
  },
}
