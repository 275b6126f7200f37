import { resolve } from 'node:path'
import { HostError } from '../../../../index.ts'
import { createMemoryConversations, findConversation } from '../../../../store.ts'
import type { Conversation, Store } from '../../../../store.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { checkFolder, outputOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { discoverFor } from '../../discover-servers.ts'
import { findInScope } from '../../find-server.ts'
import { withStore } from './with-store.ts'

export interface SwitchFlags extends CommonFlags {
  readonly conversation?: string
}

/** Switches a server in one conversation: in a shell its own, else the newest of this folder. Its file stays as it is. */
export async function switchServer(cli: Cli, flags: SwitchFlags, name: string, state: string): Promise<void> {
  const on = state === 'on'
  const { live } = cli
  if (live && flags.conversation === undefined) {
    const output = outputOf(cli, flags)
    const server = findInScope(live.host.discovery, flags.scope, name)
    await live.host.switchServer(live.conversation, server.name, on)
    report(output, {
      server: server.name,
      on,
      conversation: live.conversation,
      isEnabled: server.enabled,
      where: 'this shell',
    })
    return output.flush()
  }
  await withStore(cli, flags, async (store, { output }) => {
    const conversation = await choose(store, flags)
    checkFolder(conversation.cwd)
    // Servers are those of the conversation's folder, wherever the command runs.
    const discovery = await discoverFor({ ...flags, cwd: conversation.cwd })
    const server = findInScope(discovery, flags.scope, name)
    await store?.memory.toggles.set(conversation.id, server.name, on)
    report(output, {
      server: server.name,
      on,
      conversation: conversation.id,
      isEnabled: server.enabled,
      where: `conversation ${conversation.id.slice(0, 8)}`,
    })
  })
}

async function choose(store: Store | undefined, flags: SwitchFlags): Promise<Conversation> {
  const conversations = store?.conversations ?? createMemoryConversations()
  if (flags.conversation !== undefined) return findConversation(conversations, flags.conversation)
  const cwd = resolve(flags.cwd ?? '.')
  const [newest] = await conversations.list({ cwd, limit: 1 })
  if (newest) return newest
  throw new HostError('store.unknown', { conversation: '' }, `There is no conversation in ${cwd}.`, {
    hint: 'Name one: --conversation ID. To switch a server everywhere: plugboard disable NAME',
  })
}

interface Switched {
  readonly server: string
  readonly on: boolean
  readonly conversation: string
  readonly isEnabled: boolean
  /** For a person. */
  readonly where: string
}

function report(output: Output, { server, on, conversation, isEnabled, where }: Switched): void {
  output.result({ server, on, conversation }, () => `"${server}" is ${on ? 'on' : 'off'} in ${where}.`)
  if (on && !isEnabled)
    output.note(`"${server}" is switched off in its file. Switch it on there: plugboard enable ${server}`)
}
