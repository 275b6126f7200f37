import { signal } from '@preact/signals'
import type { RouteInput } from '../../../../../src/client.ts'

type Body = RouteInput<'POST /api/servers'>['body']

/** The form of Add, as it was typed. */
export interface AddDraft {
  readonly name: string
  readonly scope: 'user' | 'project'
  readonly kind: 'command' | 'address'
  readonly command: string
  /** One argument a line. */
  readonly args: string
  /** `NAME=value`, one a line. */
  readonly env: string
  readonly url: string
  /** `Name: value`, one a line. */
  readonly headers: string
}

export const emptyDraft: AddDraft = {
  name: '',
  scope: 'user',
  kind: 'command',
  command: '',
  args: '',
  env: '',
  url: '',
  headers: '',
}

const key = 'plugboard.add'

/** Kept while the tab lives, so that leaving the form or a reload loses nothing. Values that may be secrets stay in memory. */
export const draft = signal<AddDraft>({ ...emptyDraft, ...readStored() })

export function changeDraft(change: Partial<AddDraft>): void {
  draft.value = { ...draft.value, ...change }
  const { env: _env, headers: _headers, ...stored } = draft.value
  sessionStorage.setItem(key, JSON.stringify(stored))
}

export function clearDraft(): void {
  draft.value = emptyDraft
  sessionStorage.removeItem(key)
}

function readStored(): Partial<AddDraft> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<AddDraft> // written by changeDraft only
  } catch {
    return {}
  }
}

/** What is sent. A command line in one field is split as a shell would, without expanding anything. */
export function toBody({ name, scope, kind, command, args, env, url, headers }: AddDraft): Body {
  if (kind === 'address') {
    const pairs = readPairs(headers, ':')
    return { name: name.trim(), scope, url: url.trim(), ...(pairs && { headers: pairs }) }
  }
  const [program = '', ...words] = splitWords(command)
  const all = [...words, ...linesOf(args)]
  const pairs = readPairs(env, '=')
  return {
    name: name.trim(),
    scope,
    command: program,
    ...(all.length > 0 && { args: all }),
    ...(pairs && { env: pairs }),
  }
}

/** Lines of pairs that have no separator. */
export function wrongPairs(text: string, separator: string): readonly string[] {
  return linesOf(text).filter((line) => line.indexOf(separator) < 1)
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function readPairs(text: string, separator: string): Readonly<Record<string, string>> | undefined {
  const pairs = linesOf(text).flatMap((line) => {
    const at = line.indexOf(separator)
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const]
  })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

/** The words of a command line; quotes keep spaces together. */
export function splitWords(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []
  return words.map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single ?? ''),
  )
}
