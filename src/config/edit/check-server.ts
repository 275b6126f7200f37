import { isForbiddenKey } from '../../model/json.ts'
import type { EntryRules } from '../../sources/entries/entry-rules.ts'
import { looksSecret } from '../../sources/entries/secret-names.ts'
import { invalidServer } from '../../sources/entries/write-endpoint.ts'
import type { NewServer, NewTransport } from '../../sources/entries/write-rules.ts'

/** O3, O4: what can be said against a description before any file is looked at. Nothing is contacted. */
export function checkServer(server: NewServer, { isNew = true } = {}): void {
  if (isNew) checkName(server.name)
  const why = problemWith(server.transport)
  if (why !== undefined) throw invalidServer(server.name, why)
}

/** O4, and what the owner itself refuses. Names that others gave are theirs; this is about new ones. */
export function checkName(name: string, rules?: EntryRules): void {
  const why = problemWithName(name, rules)
  if (why !== undefined) throw invalidServer(name, why)
}

function problemWithName(name: string, rules: EntryRules | undefined): string | undefined {
  if (name === '') return 'the name is empty.'
  if (name.length > 100) return 'the name is longer than 100 characters.'
  if (!/^[a-zA-Z0-9_.-]+$/.test(name)) {
    return `the name ${JSON.stringify(name)} may have letters, digits, "_", "." and "-" only.`
  }
  if (isForbiddenKey(name)) return `"${name}" cannot be a name.`
  return rules?.badName?.pattern.test(name) ? rules.badName.message : undefined
}

function problemWith(transport: NewTransport): string | undefined {
  // Callers without types can say more than one thing at once.
  const said: { readonly kind?: unknown; readonly command?: unknown; readonly url?: unknown } = transport
  if (said.command !== undefined && said.url !== undefined)
    return 'it has both a command and a url; keep one.'
  switch (transport.kind) {
    case 'stdio':
      return problemWithProcess(transport)
    case 'http':
    case 'sse':
      return isText(transport.url) ? undefined : 'an http or sse server needs a url.'
    default:
      return `${JSON.stringify(said.kind)} is not a transport; it is one of stdio, http, sse.`
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
    ? 'it has a NUL character, which no program can be given.'
    : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** A literal secret among the values, instead of a reference to where it is kept. */
export function holdsSecret({ transport }: NewServer): boolean {
  const values = transport.kind === 'stdio' ? transport.env : transport.headers
  return Object.entries(values ?? {}).some(
    ([name, value]) => typeof value === 'string' && looksSecret(name, value),
  )
}
