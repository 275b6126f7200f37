import { resolve } from 'node:path'
import { createMemoryConversations, findConversation } from '../../../../store.ts'
import type { Conversation, Store } from '../../../../store.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { folderOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import { count } from '../../output/draw.ts'
import { askForYes } from '../servers/consent.ts'
import { toMarkdown } from '../../../facts/conversation-text.ts'
import { withStore } from './with-store.ts'

export interface ListFlags extends CommonFlags {
  readonly limit?: number
  readonly here?: boolean
}

export interface ExportFlags extends CommonFlags {
  readonly format?: 'md' | 'json'
}

export interface DeleteFlags extends CommonFlags {
  readonly yes?: boolean
}

const usualLimit = 20

export function listConversations(cli: Cli, flags: ListFlags): Promise<void> {
  const { limit = usualLimit, here } = flags
  return withStore(cli, flags, async (store, { output }) => {
    const chosen = { limit: limit + 1, ...(here && { cwd: folderOf(cli, flags) }) }
    const found = (await store?.conversations.list(chosen)) ?? []
    const shown = found.slice(0, limit)
    const hasMore = found.length > limit
    if (flags.json || shown.length > 0)
      output.result({ conversations: shown, hasMore }, (canvas) => drawList(shown, canvas))
    else output.note('There are no conversations. Begin one: plugboard chat')
    if (hasMore && !flags.json) output.note('There are more: --limit N')
  })
}

export function showConversation(cli: Cli, flags: CommonFlags, id: string): Promise<void> {
  return withStore(cli, flags, async (store, { output }) => {
    const { conversation, messages } = await read(store, id)
    output.result({ ...conversation, messages: messages }, () => toMarkdown(conversation, messages))
  })
}

export async function exportConversation(
  cli: Cli,
  flags: ExportFlags,
  id: string,
  name: string | undefined,
): Promise<void> {
  if (flags.json && flags.format === 'md') throw usage('--json and --format md exclude each other.')
  const isJson = flags.json ?? flags.format === 'json'
  const { checkNotTaken, writeTo } = await import('../../output/save-file.ts')
  const file = name === undefined ? undefined : resolve(folderOf(cli, flags), name)
  if (file !== undefined) checkNotTaken(file)
  return withStore(cli, flags, async (store, { output }) => {
    const { conversation, messages } = await read(store, id)
    const document = { version: 1, ...conversation, messages }
    const text = isJson ? JSON.stringify(document, null, 2) : toMarkdown(conversation, messages)
    const bytes = Buffer.from(`${text}\n`)
    if (file === undefined) return output.bytes(bytes, () => text)
    writeTo(file, bytes)
    output.result({ id: conversation.id, file }, ({ path }) => `Wrote ${path(file)}.`)
  })
}

export function deleteConversation(cli: Cli, flags: DeleteFlags, id: string): Promise<void> {
  return withStore(cli, flags, async (store, { output }) => {
    const { conversation } = await read(store, id, false)
    const { title, length } = conversation
    const shown = `${shortId(conversation)}${title === '' ? '' : ` “${escapeLine(title)}”`}`
    if (!flags.yes) {
      const error = await askForYes(
        cli,
        {
          message: `Delete ${shown} with ${count(length, 'message')}?`,
          initial: false,
          refused: 'Nothing was deleted.',
          noTerminal: {
            message: 'Nothing was deleted: there is no terminal to ask in.',
            hint: 'Add --yes to delete it.',
          },
        },
        output,
      )
      if (error) return flags.json ? output.result({ deleted: [], error }, () => '') : undefined
    }
    await store?.conversations.remove(conversation.id)
    output.result({ deleted: [conversation.id] }, () => `Deleted ${shown}.`)
  })
}

/** Where nothing is kept yet, the error is that of an unknown id. */
async function read(store: Store | undefined, id: string, withMessages = true) {
  const conversations = store?.conversations ?? createMemoryConversations()
  const conversation = await findConversation(conversations, id)
  return { conversation, messages: withMessages ? await conversations.messages(conversation.id) : [] }
}

function shortId({ id }: Conversation): string {
  return id.slice(0, 8)
}

function drawList(conversations: readonly Conversation[], { style, width, path }: Canvas): string {
  return renderTable(
    [
      { title: 'id', value: shortId, fit: 'essential' },
      { title: 'last used', value: ({ updatedAt }) => updatedAt.slice(0, 16).replace('T', ' ') },
      { title: 'messages', value: ({ length }) => String(length), align: 'right' },
      { title: 'folder', value: ({ cwd }) => path(cwd), fit: { shrinkTo: 12 } },
      { title: 'title', value: ({ title }) => title, fit: { shrinkTo: 16 } },
    ],
    conversations,
    { width, paintTitle: style.dim },
  )
}
