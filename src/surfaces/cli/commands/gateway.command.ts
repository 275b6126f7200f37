import { buildCommand, buildRouteMap, loadLazily } from '../arguments/define-command.ts'
import { commonFlags, switchFlag, textFlag } from '../arguments/flags.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import type { DeskLogsFlags, DeskStatusFlags } from './gateway-desk.ts'
import type { PublishFlags, VersionsFlags } from './gateway-versions.ts'
import type { GatewayFlags } from './gateway.ts'

const serve = buildCommand<GatewayFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./gateway.ts')).gateway),
  parameters: {
    flags: {
      ...commonFlags,
      json: switchFlag('With --port: print the address and the token as JSON'),
      // Refused with a reason: it serves the servers of all files.
      scope: { ...commonFlags.scope, hidden: true },
      stdio: switchFlag(
        'Serve the client that started this, over stdin and stdout, with the gateway that all your clients share (default)',
      ),
      alone: switchFlag('With stdio: serve this client in this process, with servers of its own'),
      port: {
        kind: 'parsed',
        parse: parsePort,
        optional: true,
        placeholder: 'N',
        brief: 'Serve Streamable HTTP on 127.0.0.1 at this port; 0 for any',
      },
      view: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'NAME',
        brief: 'With stdio: offer this view of your settings (HTTP: /mcp/NAME)',
      },
      search: switchFlag('With stdio: list three tools that find and call the others (HTTP: ?mode=search)'),
      host: textFlag('ADDR', 'With --port: listen on this address; 127.0.0.1 by default'),
      tlsCert: textFlag('FILE', 'With --port: serve HTTPS with this certificate (PEM)'),
      tlsKey: textFlag('FILE', 'The private key of --tls-cert (PEM)'),
      from: textFlag(
        'store|FILE',
        'With --port: serve the published configuration, or that of a file, and no other',
      ),
      sessions: switchFlag(
        'With --port: give clients of earlier revisions sessions, so that servers can ask them',
      ),
    },
  },
  docs: {
    brief: 'Serve all your servers to MCP clients as one',
    customUsage: ['[--view NAME] [--search] [--alone]', '--port N [--from store] [--sessions]'],
  },
})

export const gatewayCommand = buildRouteMap<
  'serve' | 'status' | 'stop' | 'logs' | 'publish' | 'rollback' | 'versions',
  Cli
>({
  defaultCommand: 'serve',
  routes: {
    serve,
    status: buildCommand<DeskStatusFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./gateway-desk.ts')).deskStatus),
      parameters: {
        flags: {
          ...commonFlags,
          watch: switchFlag('Keep printing who connects and what they call, until Ctrl-C'),
        },
      },
      docs: { brief: 'Show the gateway that your clients share: who is connected to what' },
    }),
    stop: buildCommand<CommonFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./gateway-desk.ts')).stopDesk),
      parameters: { flags: commonFlags },
      docs: { brief: 'Stop the gateway that your clients share; the next client starts it again' },
    }),
    logs: buildCommand<DeskLogsFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./gateway-desk.ts')).deskLogs),
      parameters: {
        flags: {
          ...commonFlags,
          lines: {
            kind: 'parsed',
            parse: parseLines,
            optional: true,
            placeholder: 'N',
            brief: 'Number of last lines to show (default 100)',
          },
        },
      },
      docs: { brief: 'Show what the gateway that your clients share did' },
    }),
    publish: buildCommand<PublishFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./gateway-versions.ts')).publish),
      parameters: {
        flags: { ...commonFlags, message: textFlag('TEXT', 'What has changed, for the list of versions') },
        positional: {
          kind: 'tuple',
          parameters: [{ brief: 'the configuration', parse: String, placeholder: 'FILE' }],
        },
      },
      docs: { brief: 'Check a configuration and make it the one that gateways serve (--from store)' },
    }),
    rollback: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./gateway-versions.ts')).rollback),
      parameters: {
        flags: commonFlags,
        positional: {
          kind: 'tuple',
          parameters: [{ brief: 'the version', parse: checkVersion, placeholder: 'N' }],
        },
      },
      docs: { brief: 'Serve an earlier configuration again, as a new version' },
    }),
    versions: buildCommand<VersionsFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./gateway-versions.ts')).listVersions),
      parameters: {
        flags: {
          ...commonFlags,
          limit: {
            kind: 'parsed',
            parse: parseLines,
            optional: true,
            placeholder: 'N',
            brief: 'Number of versions to show (default 20)',
          },
        },
      },
      docs: { brief: 'List the published configurations, the newest first' },
    }),
  },
  docs: { brief: 'Serve all your servers to MCP clients as one' },
})

function parseLines(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Error('expected a number of lines')
}

function checkVersion(text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text
  throw new Error('expected the number of a version')
}

function parsePort(given: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) < 65_536) return Number(given)
  throw new Error('expected a number from 0 to 65535')
}
