import type { AddFlags } from './commands/servers/add.ts'
import type { CopyFlags } from './commands/servers/import-export.ts'
import type { EditFlags } from './commands/servers/edit-report.ts'
import type { ListFlags } from './commands/servers/list.ts'
import type { SourcesFlags } from './commands/servers/sources.ts'
import type { TrustFlags } from './commands/servers/trust.ts'
import type { WhyFlags } from './commands/servers/why.ts'
import { connectingCommands } from './connecting-commands.ts'
import type { PresetName } from '../../index.ts'
import type { Cli, CommonFlags } from './command-context.ts'
import {
  agentFlag,
  commonFlags,
  dryRunFlag,
  presetArgument,
  serverArgument,
  serverOrToolArgument,
  shellArgument,
  sourceArgument,
  switchFlag,
  textFlag,
  textsFlag,
  waitFlags,
} from './arguments/flags.ts'
import { buildCommand, buildRouteMap } from './arguments/define-command.ts'
import { lazily } from './lazily.ts'
import { toolCommands } from './tool-commands.ts'

const serverParameters = {
  flags: commonFlags,
  positional: { kind: 'tuple', parameters: [serverArgument] },
} as const

const editParameters = { ...serverParameters, flags: { ...commonFlags, ...dryRunFlag } } as const

const sourceParameters = {
  flags: commonFlags,
  positional: { kind: 'tuple', parameters: [sourceArgument('ID', 'the source')] },
} as const

const copyParameters = {
  flags: {
    ...commonFlags,
    only: textsFlag('NAME', 'Only this server; may be repeated'),
    force: switchFlag('Replace entries of the same name'),
    yes: switchFlag('Do it without asking'),
    ...dryRunFlag,
  },
  positional: { kind: 'tuple', parameters: [sourceArgument('CLIENT', 'the client')] },
} as const

/** Every command: what it is called, takes and does. */
export const commands = {
  list: buildCommand<ListFlags, [], Cli>({
    loader: lazily(async () => (await import('./commands/servers/list.ts')).list),
    parameters: {
      flags: { ...commonFlags, resolved: switchFlag('Also show how values come out, secrets hidden') },
    },
    docs: { brief: 'Show the servers in force here, and what is wrong with the others' },
  }),
  why: buildCommand<WhyFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/why.ts')).why),
    parameters: {
      flags: {
        ...commonFlags,
        ...waitFlags,
        ...agentFlag,
        server: switchFlag('The name is a server’s'),
        tool: switchFlag('The name is a tool’s; servers that are not known yet are asked'),
      },
      positional: { kind: 'tuple', parameters: [serverOrToolArgument] },
    },
    docs: {
      brief:
        'Explain one server: every declaration of it, the one that counts, and why; or one tool: who sees it',
    },
  }),
  sources: buildRouteMap<'list' | 'enable' | 'disable', Cli>({
    defaultCommand: 'list',
    routes: {
      list: buildCommand<SourcesFlags, [], Cli>({
        loader: lazily(async () => (await import('./commands/servers/sources.ts')).sources),
        parameters: { flags: { ...commonFlags, all: switchFlag('Also show clients without a file here') } },
        docs: { brief: 'Show every client whose servers were found, used or not' },
      }),
      enable: buildCommand<CommonFlags, [string], Cli>({
        loader: lazily(async () => (await import('./commands/servers/sources.ts')).enableSource),
        parameters: sourceParameters,
        docs: { brief: 'Use the servers of this client' },
      }),
      disable: buildCommand<CommonFlags, [string], Cli>({
        loader: lazily(async () => (await import('./commands/servers/sources.ts')).disableSource),
        parameters: sourceParameters,
        docs: { brief: 'No longer use the servers of this client' },
      }),
    },
    docs: { brief: 'Show where servers come from, and turn other clients’ servers on or off' },
  }),
  add: buildCommand<AddFlags, string[], Cli>({
    loader: lazily(async () => (await import('./commands/servers/add.ts')).add),
    parameters: {
      flags: {
        ...commonFlags,
        json: switchFlag("Print the result as JSON; --json '{…}' gives the entry itself"),
        url: textFlag('URL', 'The address of a remote server'),
        token: textFlag('T', 'A bearer token for it; ${VAR} names a variable'),
        header: textsFlag('K=V', 'A header for it; may be repeated'),
        type: textFlag('TYPE', 'http (default) or sse'),
        env: textsFlag('K=V', 'An environment variable for a command; may be repeated'),
        entry: textFlag('JSON', "The entry itself; --json '{…}' is the same"),
        from: textFlag('FILE', 'A server.json, a .mcpb, or a snippet of any client; - reads stdin'),
        input: textsFlag('ID=VALUE', 'An answer to what the file asks for; may be repeated'),
        choice: textFlag('N', 'Which one, where the file offers several'),
        force: switchFlag('Replace an entry of the same name'),
        yes: switchFlag('Add what a file of the project offers without asking'),
        ...dryRunFlag,
      },
      positional: {
        kind: 'array',
        parameter: {
          brief: 'NAME, then after -- the command and its arguments',
          parse: String,
          placeholder: 'NAME',
        },
      },
    },
    docs: {
      brief: 'Add a server: a wizard in a terminal, or in one line',
      customUsage: [
        'NAME --url URL [--token T] [--header K=V] [--type sse]',
        'NAME [--env K=V] -- command args…',
        "NAME --json '{…}'",
        '--from FILE [NAME]',
      ],
    },
  }),
  remove: buildCommand<EditFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/edit-report.ts')).remove),
    parameters: editParameters,
    docs: { brief: 'Remove a server from the file where it is declared' },
  }),
  enable: buildCommand<EditFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/edit-report.ts')).enable),
    parameters: editParameters,
    docs: { brief: 'Switch a server on' },
  }),
  disable: buildCommand<EditFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/edit-report.ts')).disable),
    parameters: editParameters,
    docs: { brief: 'Switch a server off without removing it' },
  }),
  import: buildCommand<CopyFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/import-export.ts')).importClient),
    parameters: copyParameters,
    docs: { brief: 'Copy another client’s servers into your own file' },
  }),
  export: buildCommand<CopyFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/import-export.ts')).exportClient),
    parameters: copyParameters,
    docs: { brief: 'Write the servers in force into another client’s file, after a preview' },
  }),
  trust: buildCommand<TrustFlags, string[], Cli>({
    loader: lazily(async () => (await import('./commands/servers/trust.ts')).trust),
    parameters: {
      flags: {
        ...commonFlags,
        hash: textFlag('HASH', 'Trust exactly this form, without being asked'),
        all: switchFlag('Everything that waits here, one after the other'),
      },
      positional: { kind: 'array', parameter: serverArgument },
    },
    docs: { brief: 'Look at what a project’s server would do, and say yes to it' },
  }),
  untrust: buildCommand<CommonFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/servers/trust.ts')).untrust),
    parameters: serverParameters,
    docs: { brief: 'Take a yes back' },
  }),
  ...toolCommands,
  presets: buildCommand<CommonFlags, [PresetName?], Cli>({
    loader: lazily(async () => (await import('./commands/presets.ts')).presets),
    parameters: {
      flags: commonFlags,
      positional: { kind: 'tuple', parameters: [{ ...presetArgument, optional: true }] },
    },
    docs: { brief: 'Show the rules of each system that --preset can choose' },
  }),
  ...connectingCommands,
  completion: buildCommand<CommonFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/completion.ts')).completion),
    parameters: {
      flags: commonFlags,
      positional: {
        kind: 'tuple',
        parameters: [shellArgument],
      },
    },
    docs: { brief: 'Print a completion script for your shell' },
  }),
}
