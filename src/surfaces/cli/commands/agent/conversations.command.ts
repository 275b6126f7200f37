import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, limitFlag, switchFlag } from '../../arguments/flags.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import type { DeleteFlags, ExportFlags, ListFlags } from './conversations.ts'

const text = (value: string): string => value
const idArgument = { brief: 'its id, or the beginning of it', parse: text, placeholder: 'ID' } as const

export const conversationsCommand = buildRouteMap<'list' | 'show' | 'export' | 'delete', Cli>({
  defaultCommand: 'list',
  routes: {
    list: buildCommand<ListFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./conversations.ts')).listConversations),
      parameters: { flags: { ...commonFlags, ...limitFlag, here: switchFlag('Only those of this folder') } },
      docs: { brief: 'List conversations, the newest first' },
    }),
    show: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./conversations.ts')).showConversation),
      parameters: { flags: commonFlags, positional: { kind: 'tuple', parameters: [idArgument] } },
      docs: { brief: 'Show a conversation with its messages' },
    }),
    export: buildCommand<ExportFlags, [string, string | undefined], Cli>({
      loader: loadLazily(async () => (await import('./conversations.ts')).exportConversation),
      parameters: {
        flags: {
          ...commonFlags,
          format: {
            kind: 'enum',
            values: ['md', 'json'],
            optional: true,
            brief: 'Markdown (default) or JSON',
          },
        },
        positional: {
          kind: 'tuple',
          parameters: [
            idArgument,
            { brief: 'the new file; stdout without it', parse: text, placeholder: 'FILE', optional: true },
          ],
        },
      },
      docs: { brief: 'Write a conversation to stdout or into a new file' },
    }),
    delete: buildCommand<DeleteFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./conversations.ts')).deleteConversation),
      parameters: {
        flags: { ...commonFlags, yes: switchFlag('Do not ask') },
        positional: { kind: 'tuple', parameters: [idArgument] },
      },
      docs: { brief: 'Delete a conversation with its messages, switches and approvals' },
    }),
  },
  docs: { brief: 'List, show, export and delete conversations' },
})
