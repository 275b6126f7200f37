import { problemWithName, proposeName } from './server-name.ts'
import { classifyLiteral, literalInArgument } from '../../sources/entries/literal-secrets.ts'
import type { LiteralKind } from '../../sources/entries/literal-secrets.ts'
import { invalidServer } from '../../sources/entries/write-endpoint.ts'
import type { NewServer, NewTransport, WriteTarget } from '../../sources/entries/write-rules.ts'

/** O3: rejects an invalid description before any file is read. Contacts no server. */
export function checkServer(server: NewServer): void {
  const why = problemWith(server.transport)
  if (why !== undefined) throw invalidServer(server.name, why)
}

/** What happens to a name that the owner of a file refuses: an error, or a name that the owner accepts. */
export type NameHandling = 'exact' | 'adapt'

/** O4: the name of a new entry, by our rules and those of the file's owner. Existing names are not checked. */
export function nameIn(
  { rules, own }: Pick<WriteTarget, 'rules' | 'own'>,
  name: string,
  handling: NameHandling,
): string {
  const refused = [rules.badName, own.badName].find((rule) => rule?.pattern.test(name))
  const why = problemWithName(name) ?? refused?.message
  if (why === undefined) return name
  const pattern = (refused ?? own.badName ?? rules.badName)?.pattern
  const proposed = proposeName(own.toName?.(name) ?? name, pattern)
  if (proposed === undefined) throw invalidServer(name, why)
  if (handling === 'adapt') return proposed
  throw invalidServer(name, why, { hint: `Choose another name, such as ${proposed}` })
}

function problemWith(transport: NewTransport): string | undefined {
  // Untyped callers can pass fields that the type excludes.
  const untyped: { readonly kind?: unknown; readonly command?: unknown; readonly url?: unknown } = transport
  if (untyped.command !== undefined && untyped.url !== undefined)
    return 'it has both a command and a url; keep one.'
  switch (transport.kind) {
    case 'stdio':
      return problemWithProcess(transport)
    case 'http':
    case 'sse':
      return isText(transport.url) ? undefined : 'an http or sse server needs a url.'
    default:
      return `${JSON.stringify(untyped.kind)} is not a transport; use stdio, http or sse.`
  }
}

function problemWithProcess({
  command,
  args = [],
  env = {},
}: NewTransport & { kind: 'stdio' }): string | undefined {
  if (!isText(command)) return 'a stdio server needs a command.'
  const names = Object.keys(env).filter((name) => name === '' || /[=\0]/.test(name))
  if (names.length > 0) return `${JSON.stringify(names[0])} cannot be the name of a variable.`
  const values = Object.values(env).map((value) => (typeof value === 'string' ? value : value.env))
  return [command, ...args, ...values].some((text) => text.includes('\0'))
    ? 'it contains a NUL character, which cannot be passed to a program.'
    : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Whether a server contains a literal secret instead of a reference to one. An example text is none. */
export function holdsSecret(server: NewServer): boolean {
  return literalKindsIn(server).includes('secret')
}

/** The kinds of literals in a server, as reading its entry would report them. */
export function literalKindsIn({ transport, auth }: NewServer): readonly LiteralKind[] {
  // `value` is that of an api key.
  const inAuth = Object.entries(auth ?? {}).flatMap(([key, value]) =>
    literalKind(key === 'value' ? 'secret' : key, value),
  )
  if (transport.kind !== 'stdio') {
    const { url, headers = {} } = transport
    return [...inAuth, ...literalKind('', url), ...kindsIn(headers)]
  }
  const { command, args = [], env = {} } = transport
  const words = [command, ...args]
  const inWords = words.flatMap((word, index) => literalInArgument(word, words[index - 1])?.kind ?? [])
  return [...inAuth, ...inWords, ...kindsIn(env)]
}

function kindsIn(values: Readonly<Record<string, unknown>>): readonly LiteralKind[] {
  return Object.entries(values).flatMap(([name, value]) => literalKind(name, value))
}

function literalKind(name: string, value: unknown): readonly LiteralKind[] {
  const kind = typeof value === 'string' ? classifyLiteral(name, value) : undefined
  return kind === undefined ? [] : [kind]
}
