import { HostError } from '../../../../index.ts'
import type { Json, JsonObject } from '../../../../index.ts'
import { problemWithName } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { usage } from '../../errors.ts'

export interface AddArguments {
  readonly url?: string
  readonly token?: string
  readonly header?: readonly string[]
  readonly type?: string
  readonly env?: readonly string[]
  readonly entry?: string
  readonly from?: string
  readonly as?: string
}

/** What the command line adds: a named entry, a server from a file, or nothing yet, so that the wizard asks. */
export type Addition =
  | { readonly kind: 'entry'; readonly name: string; readonly entry: JsonObject }
  | { readonly kind: 'from'; readonly file: string; readonly name?: string }
  | { readonly kind: 'ask'; readonly name?: string }

/** Parses the one-line forms of `add`; the messages are omp's (O20). */
export function parseAddition(given: AddArguments, words: readonly string[]): Addition {
  const { name: first, command, url = given.url } = splitWords(words, given)
  if (first !== undefined && given.as !== undefined) throw usage('Use either NAME or --as NAME, not both.')
  const name = first ?? given.as
  const flags = { ...given, ...(url !== undefined && { url }) }
  if (flags.from !== undefined) return { kind: 'from', file: flags.from, ...(name !== undefined && { name }) }
  if (flags.url !== undefined && command.length > 0)
    throw usage('Use either --url or -- <command...>, not both.')
  if (flags.token !== undefined && flags.url === undefined)
    throw usage('--token requires --url (HTTP/SSE transport).')
  if (flags.header !== undefined && flags.url === undefined)
    throw usage('--header requires --url (HTTP/SSE transport).')
  if (flags.type !== undefined && flags.url === undefined) throw usage('--type requires --url.')
  if (flags.env !== undefined && command.length === 0) throw usage('--env requires -- <command...>.')
  if (flags.entry !== undefined && (flags.url !== undefined || command.length > 0)) {
    throw usage('--json gives the whole entry; use it without --url and -- <command...>.')
  }
  const entry = entryOf(flags, command)
  if (entry === undefined) return { kind: 'ask', ...(name !== undefined && { name }) }
  if (name === undefined)
    throw usage(
      `The server needs a name: plugboard add NAME ${flags.url === undefined ? '…' : quote(flags.url)}`,
    )
  checkName(name)
  return { kind: 'entry', name, entry }
}

function checkName(name: string): void {
  const problem = problemWithName(name)
  if (problem !== undefined) throw usage(`Invalid server config: ${problem}`)
}

interface AddWords {
  readonly name?: string
  readonly command: readonly string[]
  readonly url?: string
}

/** Splits the words into NAME and the command after `--`. An address is taken for the value of `--url`. */
function splitWords(words: readonly string[], { url }: AddArguments): AddWords {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const [name, ...more] = words.slice(0, end)
  const command = words.slice(end + 1)
  const isAddress = (word = '') => /^https?:\/\//i.test(word) && url === undefined
  if (isAddress(name) && more.length === 0) return { command, url: name ?? '' }
  const [address = ''] = more
  if (isAddress(address) && more.length === 1)
    return { ...(name !== undefined && { name }), command, url: address }
  if (command.length === 0) refuseOtherAddress(name, more)
  if (more.length > 0) {
    const [quoted, ...rest] = [name ?? '', ...more, ...command].map((word) => quote(word))
    throw usage(`Put the command after --: plugboard add ${quoted} -- ${rest.join(' ')}`)
  }
  if (end < words.length && command.length === 0) throw usage('Put the command after --.')
  return { ...(name !== undefined && { name }), command }
}

/** Refuses a word that is neither a name nor an http address, but an address of another kind. */
function refuseOtherAddress(first: string | undefined, more: readonly string[]): void {
  const words = first === undefined ? more : [first, ...more]
  const last = words.at(-1) ?? ''
  const name = words.length === 2 ? `${quote(words[0] ?? '')} ` : ''
  if (words.length > 2) return
  if (/^registry:./.test(last))
    throw usage(`"${last}" is a server of the registry.`, `Run: plugboard add ${name}--from ${quote(last)}`)
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(last) && !/^https?:/i.test(last))
    throw usage(`"${last}" is not an http address.`)
  if (more.length === 0) return
  const isLocal = /^(?:localhost|\d+(?:\.\d+){3}|\[[\da-f:]+\])(?::\d+)?(?:\/\S*)?$/i.test(last)
  if (isLocal || /^[\w-]+(?:\.[\w-]+)+:\d+(?:\/\S*)?$/.test(last))
    throw usage(
      `"${last}" is not an http address.`,
      `Write: plugboard add ${name}${quote(`${isLocal ? 'http' : 'https'}://${last}`)}`,
    )
}

function entryOf(flags: AddArguments, command: readonly string[]): JsonObject | undefined {
  if (flags.entry !== undefined) return parseEntry(flags.entry)
  if (flags.url !== undefined) return remoteEntry(flags, flags.url)
  const [program, ...args] = command
  if (program === undefined) return undefined
  return {
    command: program,
    ...(args.length > 0 && { args }),
    ...(flags.env && { env: pairs(flags.env, '--env') }),
  }
}

function parseEntry(text: string): JsonObject {
  let value: Json
  try {
    value = JSON.parse(text) as Json // JSON.parse returns JSON
  } catch (error) {
    throw wrongWord(`--json is not valid JSON${reasonOf(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongWord('--json must be an object')
  const entry = value as JsonObject // an object that is neither null nor a list
  const root = ['mcpServers', 'servers'].find((key) => Object.hasOwn(entry, key))
  if (root === undefined) return entry
  const message = `Invalid server config: "${root}" holds several servers; --json takes the entry of one.`
  throw new HostError('config.invalid', {}, message, {
    hint: 'Save it to a file and run: plugboard add --from FILE (- reads stdin)',
  })
}

/** The parser's reason without the source text it quotes, which may contain a secret. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message.replace(/,? ?(?:\.\.\.)?".*$/s, '') : ''
  return reason === '' ? '' : ` (${reason})`
}

export function remoteEntry({ token, header, type }: AddArguments, url: string): JsonObject {
  const problem = checkUrl(url)
  if (problem !== undefined) throw wrongWord(`"${url}" ${problem}`)
  if (type !== undefined && type !== 'http' && type !== 'sse')
    throw wrongWord(`--type must be http or sse, not "${type}"`)
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...pairs(header ?? [], '--header'),
  }
  return { type: type ?? 'http', url, ...(Object.keys(headers).length > 0 && { headers }) }
}

/** The problem with a URL, if any. A URL that starts with a variable cannot be checked yet. */
export function checkUrl(url: string): string | undefined {
  if (/^\s*(?:\$\{|\{env:)/.test(url)) return undefined
  if (!URL.canParse(url)) return 'is not a url'
  return /^https?:$/.test(new URL(url).protocol) ? undefined : 'is neither http nor https'
}

/** Parses `K=V`; also `K: V`, because headers are often pasted in that form. */
export function pairs(items: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    items.map((item) => {
      const [, key, value] = /^([^=:\s]+)\s*(?:=|:\s*)(.*)$/s.exec(item) ?? []
      if (key === undefined || value === undefined) throw usage(`${flag} takes NAME=VALUE.`)
      return [key, value]
    }),
  )
}

/** An invalid value on the command line: the message of an invalid entry, with the exit code of a usage error. */
function wrongWord(reason: string): HostError {
  return usage(`Invalid server config: ${reason}.`)
}
