import type { ClientFacts, ConversationRow, ServerRow, ToolRow } from '../../../src/client.ts'
import { addresses, go } from '../state/addresses.ts'
import { announce } from '../state/announce.ts'
import { toFault } from '../state/answers.ts'
import { send } from '../state/client.ts'
import { overlay } from '../state/overlay.ts'
import { theme } from '../state/settings.ts'
import type { PaletteEntry } from './find-entries.ts'
import { places } from './place-table.ts'

export interface PaletteSources {
  readonly servers: readonly ServerRow[]
  readonly tools: readonly ToolRow[]
  readonly conversations: readonly ConversationRow[]
  readonly clients: readonly ClientFacts[]
}

export function paletteEntries({
  servers,
  tools,
  conversations,
  clients,
}: PaletteSources): readonly PaletteEntry[] {
  return [
    ...places.map(({ name, to, letter }) => entry('Places', name, `g ${letter}`, () => go(to))),
    ...servers.map(({ name, state, endpoint }) =>
      entry('Servers', name, `${state.word} · ${endpoint}`, () => go(addresses.server(name))),
    ),
    ...tools.map(({ name, tool, summary, ref }) => ({
      ...entry('Tools', name, summary, () => go(addresses.tool(ref))),
      alias: tool,
      isMono: true,
    })),
    ...conversations.map(({ title, word, id }) =>
      entry('Conversations', title, word, () => go(addresses.conversation(id))),
    ),
    ...clients.map(({ id, name, word, shownFolder }) =>
      entry('Clients', name, `${word} · ${shownFolder}`, () => go(addresses.client(id))),
    ),
    ...commands(servers),
  ]
}

function commands(servers: readonly ServerRow[]): readonly PaletteEntry[] {
  return [
    entry('Commands', 'New conversation', 'plugboard chat', () => go(addresses.conversation('new'))),
    ...servers.map(({ name }) =>
      entry('Commands', `Restart ${name}`, 'stops it and connects again', () =>
        report(send('POST /api/servers/:server/restart', { params: { server: name } }), `${name} restarted`),
      ),
    ),
    entry('Commands', 'Read the configuration again', 'all files', () =>
      report(send('POST /api/reload'), 'The configuration was read again'),
    ),
    entry('Commands', 'Light', 'colors', () => (theme.value = 'light')),
    entry('Commands', 'Dark', 'colors', () => (theme.value = 'dark')),
    entry('Commands', 'Colors of the system', 'light or dark', () => (theme.value = 'system')),
    entry('Commands', 'Keys', '?', () => (overlay.value = 'keys')),
  ]
}

function report(running: Promise<unknown>, done: string): void {
  running.then(
    () => announce(done),
    (error: unknown) => announce(toFault(error).message),
  )
}

function entry(group: string, name: string, about: string, run: () => void): PaletteEntry {
  return { group, name, about, run }
}
