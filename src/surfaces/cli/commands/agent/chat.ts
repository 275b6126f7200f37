import type { Cli, CommonFlags } from '../../command-context.ts'
import { isInteractive, folderOf } from '../../command-context.ts'
import { discoverOptions } from '../../discover-servers.ts'
import { exitOf, usage } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { imageExtension, saveBlobs } from '../../output/save-file.ts'
import { createRunner } from '../shell.ts'
import { toMarkdown } from '../../../facts/conversation-text.ts'

export interface ChatFlags extends CommonFlags {
  readonly agent?: string
  readonly model?: string
  /** An id of a conversation or its beginning; empty for the last one of the folder. */
  readonly continue?: string
  readonly demo?: boolean
}

/** Opens a chat in a terminal. */
export async function chat(cli: Cli, flags: ChatFlags): Promise<void> {
  const { process, signals, live } = cli
  if (live) throw usage('A chat cannot be opened in a shell.', 'Leave the shell, then run: plugboard chat')
  if (flags.json || !isInteractive(cli) || !process.stdout.isTTY)
    throw usage('A chat needs a terminal.', 'Without one, send a single prompt: plugboard run "…"')
  if (flags.scope !== undefined) throw usage('A chat uses all servers in force here; leave out --scope.')
  if (flags.demo && (flags.model !== undefined || flags.continue !== undefined))
    throw usage('--demo has a server and a model of its own; leave out --model and --continue.')
  const { openChat } = await import('../../../chat/open-chat.ts')
  await signals.guard(async ({ signal, closeOnEnd }) => {
    const code = await openChat({
      streams: process,
      discover: { ...discoverOptions(cli, flags), cwd: folderOf(cli, flags) },
      isQuiet: flags.quiet ?? false,
      signal,
      closeOnEnd,
      isDemo: flags.demo ?? false,
      ...(flags.agent !== undefined && { agent: flags.agent }),
      ...(flags.model !== undefined && { model: flags.model }),
      ...(flags.continue !== undefined && { resume: flags.continue }),
      openDemo: async () => (await import('../../../demo/demo.ts')).openDemo(),
      saveBlobs: (blocks, folder, name) => [
        ...saveBlobs(blocks, folder, name, { extensionOf: imageExtension }).values(),
      ],
      findPage: async () =>
        (await import('../../../server/call-link.ts')).addressOfPage(discoverOptions(cli, flags)),
      toMarkdown,
      codeOf: (error) => exitCodes[exitOf(error)].code,
      createRunner: (session) => createRunner(cli, flags, session),
    })
    if (!signal.aborted) process.exitCode = code
  })
}
