import { buildCommand, loadLazily } from '../arguments/define-command.ts'
import { commonFlags, switchFlag } from '../arguments/flags.ts'
import type { Cli } from '../command-context.ts'
import type { ServeFlags } from './serve.ts'

export const serveCommand = buildCommand<ServeFlags, [], Cli>({
  loader: loadLazily(async () => (await import('./serve.ts')).serve),
  parameters: {
    flags: {
      ...commonFlags,
      port: {
        kind: 'parsed',
        parse: parsePort,
        optional: true,
        placeholder: 'N',
        brief: 'Listen on this port; 0 for any (default: one of your own)',
      },
      open: switchFlag('Open the page in your browser'),
      address: switchFlag('Print the address of the one that runs, with its token'),
      demo: switchFlag('Use sample servers and a demo model, and nothing of yours'),
    },
  },
  docs: {
    brief: 'Serve the page and its HTTP API on this machine',
    customUsage: ['[--port N] [--open]', '--address', '--demo'],
  },
})

function parsePort(given: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) < 65_536) return Number(given)
  throw new Error('expected a number from 0 to 65535')
}
