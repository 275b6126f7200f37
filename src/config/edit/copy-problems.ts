import { HostError } from '../../model/error.ts'
import type { ErrorCode } from '../../model/error.ts'
import { nearest } from '../../model/near.ts'
import type { Discovery } from '../../model/server.ts'

interface Skipped {
  readonly name: string
  readonly reason: string
}

/** The code that tells a script most: what a person can decide comes before what is wrong in a file. */
export function mainReason(refusals: readonly HostError[]): ErrorCode {
  const codes = refusals.map(({ code }) => code)
  return (
    (['trust.refused', 'config.exists'] as const).find((code) => codes.includes(code)) ?? 'config.invalid'
  )
}

export function severalError(chosen: readonly { readonly name: string }[]): HostError {
  const names = chosen.map(({ name }) => name)
  return new HostError(
    'usage',
    {},
    `A new name is for one server, but there are ${names.length}: ${names.join(', ')}.`,
    {
      hint: 'Choose one with --only NAME.',
    },
  )
}

/** With `only`, copying none of the named servers is an error. */
export function nothingCopied(skipped: readonly Skipped[], [first]: readonly HostError[]): HostError {
  const message = skipped.map(({ name, reason }) => `"${name}" is not copied: ${reason}`).join('\n')
  const [one] = skipped
  return first
    ? new HostError(first.code, first.data, message, first.hint === undefined ? {} : { hint: first.hint })
    : new HostError('config.invalid', one ? { server: one.name } : {}, message)
}

/** Invalid entries, as skipped ones. Throws if nothing at all can be read because the file itself is broken. */
export function unusableIn({ servers, diagnostics }: Discovery): readonly Skipped[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const named = errors.flatMap(({ server, message }) =>
    server === undefined || servers.some(({ name }) => name === server)
      ? []
      : [{ name: server, reason: message }],
  )
  const [broken] = errors.filter(({ server }) => server === undefined)
  if (broken && servers.length === 0 && named.length === 0) {
    const { origin, message, hint } = broken
    const file = origin?.file
    throw new HostError(
      'config.invalid',
      file === undefined ? {} : { file },
      file === undefined ? message : `${file}: ${message}`,
      hint === undefined ? {} : { hint },
    )
  }
  return named.filter(({ name }, index) => named.findIndex((other) => other.name === name) === index)
}

export function checkNames(only: readonly string[], known: readonly { readonly name: string }[]): void {
  const names = known.map(({ name }) => name)
  const missing = only.filter((name) => !names.includes(name))
  if (missing.length === 0) return
  const near = missing.flatMap((name) => nearest(name, names))
  const server = missing.join('", "')
  throw new HostError('server.unknown', { server, near }, `There is no server "${server}" to copy.`, {
    ...(near.length > 0 && { hint: `Did you mean ${near.join(' or ')}?` }),
  })
}
