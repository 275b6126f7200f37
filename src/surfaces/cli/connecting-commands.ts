import type { DoctorFlags } from './commands/connections/doctor.ts'
import type { LoginFlags } from './commands/connections/login.ts'
import type { LogoutFlags } from './commands/connections/logout.ts'
import type { LogsFlags } from './commands/connections/logs.ts'
import type { TestFlags } from './commands/connections/test.ts'
import type { Cli, CommonFlags } from './command-context.ts'
import {
  commonFlags,
  noStartFlag,
  serverArgument,
  switchFlag,
  textArgument,
  textFlag,
  textsFlag,
  waitFlags,
} from './arguments/flags.ts'
import { buildCommand, buildRouteMap } from './arguments/define-command.ts'
import { lazily } from './lazily.ts'
import type { WaitFlags } from './with-host.ts'

const flags = { ...commonFlags, ...waitFlags } as const

/** The commands that talk to servers, or look at what those who do have left. */
export const connectingCommands = {
  test: buildCommand<TestFlags, string[], Cli>({
    loader: lazily(async () => (await import('./commands/connections/test.ts')).test),
    parameters: {
      flags: { ...flags, all: switchFlag('Every server that is switched on here') },
      positional: { kind: 'array', parameter: serverArgument },
    },
    docs: { brief: 'Connect to a server, show what it offers and how long each step took' },
  }),
  doctor: buildCommand<DoctorFlags, [string?], Cli>({
    loader: lazily(async () => (await import('./commands/connections/doctor.ts')).doctor),
    parameters: {
      flags: {
        ...flags,
        ...noStartFlag,
        bundle: textFlag('FILE', 'Put everything into this file, for a report: no secrets in it'),
      },
      positional: { kind: 'tuple', parameters: [{ ...serverArgument, optional: true }] },
    },
    docs: {
      brief: 'Explain every server: declared, trusted, started and working or not, and what to do next',
    },
  }),
  request: buildCommand<WaitFlags, [string, string, string?], Cli>({
    loader: lazily(async () => (await import('./commands/connections/request.ts')).request),
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
  login: buildCommand<LoginFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/connections/login.ts')).login),
    parameters: {
      flags: {
        ...flags,
        scope: textsFlag('SCOPE', 'A right to ask for, besides those asked for before; may be repeated'),
        account: textFlag('NAME', 'Which of several logins; default unless given'),
        paste: switchFlag('Paste the address a browser ended at, as on a machine without one'),
        device: switchFlag('Type a code into a page on any device, where the issuer has that'),
        port: {
          kind: 'parsed',
          parse: parsePort,
          optional: true,
          placeholder: 'N',
          brief: 'Where the browser comes back to; any free one unless given',
        },
        noBrowser: switchFlag('Open no browser; only show the page'),
      },
      positional: { kind: 'tuple', parameters: [serverArgument] },
    },
    docs: { brief: 'Log in to a remote server; it stays logged in' },
  }),
  logout: buildCommand<LogoutFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/connections/logout.ts')).logout),
    parameters: {
      flags: {
        ...flags,
        account: textFlag('NAME', 'Which of several logins'),
        all: switchFlag('Every login to this server'),
      },
      positional: { kind: 'tuple', parameters: [serverArgument] },
    },
    docs: { brief: 'Forget a login, here and at its issuer; also by the address that whoami shows' },
  }),
  whoami: buildCommand<WaitFlags, [string?], Cli>({
    loader: lazily(async () => (await import('./commands/connections/whoami.ts')).whoami),
    parameters: {
      flags,
      positional: { kind: 'tuple', parameters: [{ ...serverArgument, optional: true }] },
    },
    docs: { brief: 'Show who is logged in where' },
  }),
  logs: buildCommand<LogsFlags, [string], Cli>({
    loader: lazily(async () => (await import('./commands/connections/logs.ts')).logs),
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
    loader: lazily(async () => (await import('./commands/connections/status.ts')).status),
    parameters: { flags },
    docs: { brief: 'Show which programs of yours have which servers running' },
  }),
  shell: buildCommand<CommonFlags, [], Cli>({
    loader: lazily(async () => (await import('./commands/shell.ts')).shell),
    parameters: { flags: commonFlags },
    docs: {
      brief: 'Open a shell in which servers are added, tried and used; without a word, plugboard does that',
    },
  }),
  cache: buildRouteMap<'clear', Cli>({
    routes: {
      clear: buildCommand<WaitFlags, string[], Cli>({
        loader: lazily(async () => (await import('./commands/connections/cache.ts')).clear),
        parameters: { flags, positional: { kind: 'array', parameter: serverArgument } },
        docs: { brief: 'Forget it, for the named servers or for all' },
      }),
    },
    docs: { brief: 'What earlier connections have learned about servers' },
  }),
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65_536) return port
  throw new Error('it is a number from 1 to 65535')
}

function parseLines(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Error('it is a number of lines')
}
