import { computed } from '@preact/signals'
import type { ConversationServers } from '../../../../src/client.ts'
import { servers } from '../../state/page-state.ts'
import { models } from './pickers.tsx'

/** The servers that a new conversation would have: all that are in use, switched on. */
export const serversOfNew = computed((): ConversationServers => {
  const rows = servers.value
    .filter(({ isEnabled }) => isEnabled)
    .map(({ name, state, tools }) => ({
      server: name,
      isOn: true,
      state,
      tools: tools?.count ?? 0,
      hidden: tools?.hidden ?? 0,
      tokens: tools?.tokens ?? 0,
    }))
  const current = models.value?.models.find(({ ref }) => ref === models.value?.current)
  return {
    servers: rows,
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    window: current?.window ?? 0,
    mode: 'all',
  }
})
