import type { LogsFlags } from './commands/logs.ts'
import type { TestFlags } from './commands/test.ts'
import type { Cli } from './context.ts'
import { commonFlags, serverArgument, switchFlag, textArgument, waitFlags } from './flags.ts'
import { buildCommand, buildRouteMap } from './help.ts'
import { lazily } from './lazily.ts'
import type { WaitFlags } from './with-host.ts'

const flags = { ...commonFlags, ...waitFlags } as const

/** The commands that talk to servers, or look at what those who do have left. */
export const connectingCommands = {
  test: buildCommand<TestFlags, string[], Cli>({
    loader: lazily(async () => (await import('./commands/test.ts')).test),
    parameters: {
      flags: { ...flags, all: switchFlag('Every server that is switched on here') },
      positional: { kind: 'array', parameter: serverArgument },
    },
    docs: { brief: 'Connect to a server, show what it offers and how long each step took' },
  }),
  request: buildCommand<WaitFlags, [string, string, string?], Cli>({
    loader: lazily(async () => (await import('./commands/request.ts')).request),
    parameters: {
      flags,
      positional: {
        kind: 'tuple',
        parameters: [
          serverArgument,
          textArgument('METHOD', 'the method, such as resources/list'),
          { ...textArgument('JSON', 'its parameters, a JSON object'), optional: true },
        ],
      },
    },
    docs: { brief: 'Send any request to a server, and print the result' },
  }),
  logs: buildCommand<LogsFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/logs.ts')).logs),
    parameters: {
      flags: {
        ...flags,
        follow: switchFlag('Go on with what it says from now on'),
        lines: {
          kind: 'parsed',
          parse: parseLines,
          optional: true,
          placeholder: 'N',
          brief: 'How many of the last lines; 100 unless given',
        },
      },
      positional: { kind: 'tuple', parameters: [serverArgument] },
    },
    docs: { brief: 'Show what a server said on stderr' },
  }),
  status: buildCommand<WaitFlags, [], Cli>({
    loader: lazily(async () => (await import('./commands/status.ts')).status),
    parameters: { flags },
    docs: { brief: 'Show which programs of yours have which servers running' },
  }),
  cache: buildRouteMap<'clear', Cli>({
    routes: {
      clear: buildCommand<WaitFlags, string[], Cli>({
        loader: lazily(async () => (await import('./commands/cache.ts')).clear),
        parameters: { flags, positional: { kind: 'array', parameter: serverArgument } },
        docs: { brief: 'Forget it, for the named servers or for all' },
      }),
    },
    docs: { brief: 'What earlier connections have learned about servers' },
  }),
}

function parseLines(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Error('it is a number of lines')
}
