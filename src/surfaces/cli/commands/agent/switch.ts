import { createHost, HostError } from '../../../../index.ts'
import type { Host } from '../../../../index.ts'
import { createMemoryConversations, findConversation } from '../../../../store.ts'
import type { Conversation, Store } from '../../../../store.ts'
import { quote } from '../../../terminal/argv.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { checkFolder, outputOf, folderOf, worldOf } from '../../command-context.ts'
import type { Cli, CommonFlags, CommandWorld } from '../../command-context.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { findInScope } from '../../find-server.ts'
import { amount } from '../../output/token-figures.ts'
import { withStore } from './with-store.ts'

export interface SwitchFlags extends CommonFlags {
  readonly conversation?: string
}

/** Switches a server in one conversation: in a shell its own, else the newest of this folder. Its file stays as it is. */
export async function switchServer(cli: Cli, flags: SwitchFlags, name: string, state: string): Promise<void> {
  const on = state === 'on'
  const { live } = cli
  if (live && flags.conversation === undefined) {
    const { host, conversation } = live
    const output = outputOf(cli, flags)
    const { name: server, enabled: isEnabled } = findInScope(host.discovery, flags.scope, name)
    await host.switchServer(conversation, server, on)
    report(output, {
      server,
      on,
      conversation,
      isEnabled,
      where: conversation.startsWith('shell-') ? 'this shell' : 'this conversation',
      ...(await weigh(host, server, worldOf(cli, flags))),
    })
    return output.flush()
  }
  await withStore(cli, flags, async (store, { output }) => {
    const { id, cwd } = await choose(cli, store, flags)
    checkFolder(cwd)
    // Servers are those of the conversation's folder, wherever the command runs. None is started.
    const host = await createHost({
      ...discoverOptions(cli, { ...flags, cwd }),
      lifecycle: 'on-demand',
      accept: 'person',
    })
    try {
      const { name: server, enabled: isEnabled } = findInScope(host.discovery, flags.scope, name)
      await host.ready({ from: 'disk', servers: [server] })
      await store?.memory.toggles.set(id, server, on)
      const where = `conversation ${id.slice(0, 8)}`
      report(output, {
        server,
        on,
        conversation: id,
        isEnabled,
        where,
        ...(await weigh(host, server, worldOf(cli, { cwd }))),
      })
    } finally {
      await host.close()
    }
  })
}

/** What the tools of the server take in every request; nothing if they are not known, or the model is not. */
async function weigh(host: Host, server: string, world: CommandWorld): Promise<{ readonly tokens?: number }> {
  const tools = host.tools().filter((tool) => tool.server === server)
  if (tools.length === 0) return {}
  try {
    const { createWeigher } = await import('../offers/tool-costs.ts')
    return { tokens: (await createWeigher(undefined, world))(tools).fields.tokens }
  } catch {
    return {}
  }
}

async function choose(cli: Cli, store: Store | undefined, flags: SwitchFlags): Promise<Conversation> {
  const conversations = store?.conversations ?? createMemoryConversations()
  if (flags.conversation !== undefined) return findConversation(conversations, flags.conversation)
  const cwd = folderOf(cli, flags)
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
  readonly tokens?: number
}

function report(output: Output, { isEnabled, where, ...switched }: Switched): void {
  const { server, on, tokens } = switched
  const weight =
    tokens === undefined ? '' : `, about ${amount(tokens)} tokens ${on ? 'more' : 'less'} in every request`
  output.result(switched, () => `"${escapeLine(server)}" is ${on ? 'on' : 'off'} in ${where}${weight}.`)
  if (on && !isEnabled)
    output.note(
      `"${server}" is switched off in its file. Switch it on there: plugboard enable ${quote(server)}`,
    )
}
