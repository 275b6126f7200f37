import { isForbiddenKey } from '../../model/json.ts'
import type { EntryRules } from '../../sources/entries/entry-rules.ts'
import { looksSecret } from '../../sources/entries/secret-names.ts'
import { invalidServer } from '../../sources/entries/write-endpoint.ts'
import type { NewServer, NewTransport } from '../../sources/entries/write-rules.ts'

/** O3, O4: rejects an invalid description before any file is read. Contacts no server. */
export function checkServer(server: NewServer, { isNew = true } = {}): void {
  if (isNew) checkName(server.name)
  const why = problemWith(server.transport)
  if (why !== undefined) throw invalidServer(server.name, why)
}

/** O4: checks a new name by our rules and those of the file's owner. Existing names are not checked. */
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

/** Whether `env` or `headers` contain a literal secret instead of a reference to one. */
export function holdsSecret({ transport }: NewServer): boolean {
  const values = transport.kind === 'stdio' ? transport.env : transport.headers
  return Object.entries(values ?? {}).some(
    ([name, value]) => typeof value === 'string' && looksSecret(name, value),
  )
}
