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
      scope: textsFlag('SCOPE', 'An additional OAuth scope to request; may be repeated'),
      account: textFlag('NAME', 'Account name, if you keep several logins'),
      paste: switchFlag('Paste the final address from a browser elsewhere, if this machine has none'),
      device: switchFlag('Enter a code on any device, if the issuer supports it'),
      port: {
        kind: 'parsed',
        parse: parsePort,
        optional: true,
        placeholder: 'N',
        brief: 'Local port the browser returns to (default: any free port)',
      },
      noBrowser: switchFlag('Do not open a browser; only print the address'),
    },
    positional: { kind: 'tuple', parameters: [serverArgument] },
  },
  docs: { brief: 'Log in to a remote server and stay logged in' },
})

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port > 0 && port < 65_536) return port
  throw new Error('expected a number from 1 to 65535')
}
