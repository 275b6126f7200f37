import { buildCommand, loadLazily } from '../../arguments/define-command.ts'
import { connectFlags, switchFlag, textFlag, textsFlag } from '../../arguments/flags.ts'
import { serverArgument } from '../../arguments/positionals.ts'
import type { Cli } from '../../command-context.ts'
import type { LoginFlags } from './login.ts'

export const loginCommand = buildCommand<LoginFlags, [string], Cli>({
  loader: loadLazily(async () => (await import('./login.ts')).login),
  parameters: {
    flags: {
      ...connectFlags,
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
})

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65_536) return port
  throw new Error('it is a number from 1 to 65535')
}
