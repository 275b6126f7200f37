import { parseAge } from '../../facts/parse-age.ts'
import { buildCommand, buildRouteMap, loadLazily } from '../arguments/define-command.ts'
import { commonFlags, textsFlag } from '../arguments/flags.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import type { AddKeyFlags, RotateKeyFlags } from './keys.ts'

const keyArgument = { brief: 'the key', parse: String, placeholder: 'NAME' } as const

const expiresFlag = {
  expires: {
    kind: 'parsed',
    parse: parseExpiry,
    optional: true,
    placeholder: 'AGE',
    brief: 'When it ends to be valid: an age such as 90d, or a date',
  },
} as const

export const keysCommand = buildRouteMap<'list' | 'add' | 'rotate' | 'remove', Cli>({
  defaultCommand: 'list',
  routes: {
    list: buildCommand<CommonFlags, [], Cli>({
      loader: loadLazily(async () => (await import('./keys.ts')).listKeys),
      parameters: { flags: commonFlags },
      docs: { brief: 'List the keys of the gateway' },
    }),
    add: buildCommand<AddKeyFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./keys.ts')).addKey),
      parameters: {
        flags: {
          ...commonFlags,
          view: textsFlag('NAME', 'Open this view of your settings only; may be repeated'),
          ...expiresFlag,
        },
        positional: { kind: 'tuple', parameters: [keyArgument] },
      },
      docs: { brief: 'Make a key for a caller, and show it once' },
    }),
    rotate: buildCommand<RotateKeyFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./keys.ts')).rotateKey),
      parameters: {
        flags: {
          ...commonFlags,
          overlap: {
            kind: 'parsed',
            parse: parseAge,
            optional: true,
            placeholder: 'AGE',
            brief: 'Keep the old one valid for this long, such as 24h',
          },
          ...expiresFlag,
        },
        positional: { kind: 'tuple', parameters: [keyArgument] },
      },
      docs: { brief: 'Replace a key by a new one, and show it once' },
    }),
    remove: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./keys.ts')).removeKey),
      parameters: { flags: commonFlags, positional: { kind: 'tuple', parameters: [keyArgument] } },
      docs: { brief: 'Remove a key: gateways refuse it within 10 seconds' },
    }),
  },
  docs: { brief: 'Manage the keys of callers of the gateway' },
})

/** A time, from an age or a date. */
function parseExpiry(text: string): Date {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Date.now() + parseAge(text)
  if (time > Date.now()) return new Date(time)
  throw new Error('expected an age such as 90d, or a date in the future such as 2030-12-31')
}
