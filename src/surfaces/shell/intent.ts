import { toRef } from '../../index.ts'
import type { Host } from '../../index.ts'
import { nearestNames } from '../../internal.ts'

/** What a typed line means. */
export type Intent =
  | { readonly kind: 'nothing' | 'leave' }
  | { readonly kind: 'help'; readonly about?: string }
  /** An operation that only the shell has. */
  | { readonly kind: 'operation'; readonly name: OperationName; readonly words: readonly string[] }
  /** A command of the command line. */
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'unknown'; readonly word: string; readonly hint: string }

export type OperationName = (typeof operationNames)[number]
export const operationNames = ['list', 'status', 'reload', 'restart', 'stop'] as const

/** Other names of operations and commands. */
export const aliases: Readonly<Record<string, string>> = {
  rm: 'remove',
  ls: 'list',
  reauth: 'login',
  unauth: 'logout',
}

/** The names that a line is matched against. */
export interface KnownNames {
  readonly commands: ReadonlyMap<string, string>
  readonly host: Pick<Host, 'tools' | 'commands' | 'servers'>
}

/** Flags of the whole shell: they configure its host, which is the same for every line. */
export const shellFlags = ['--preset', '--cwd', '--config', '--source', '--trust']

/** Reads `/mcp OPERATION …`, the same without `/mcp`, a tool with its arguments, or `/server:prompt …`. */
export function toIntent(given: readonly string[], known: KnownNames): Intent {
  const words = given[0] === 'plugboard' ? given.slice(1) : given
  const [first, ...rest] = words
  if (first === undefined) return { kind: given.length === 0 ? 'nothing' : 'help' }
  // A comment, also among pasted lines.
  if (first.startsWith('#')) return { kind: 'nothing' }
  if (/^\/?(?:quit|exit)$/.test(first)) return { kind: 'leave' }
  if (first === '/help' || first === 'help' || first === '?' || first === '--help') return help(rest[0])
  const flag = beforeCommand(rest).find((word) => shellFlags.includes(word.split('=', 1)[0] ?? ''))
  if (flag !== undefined) return refuse([flag], `It applies to a whole shell: plugboard shell ${flag} …`)
  if (first === '/mcp')
    return rest[0] === undefined || rest[0] === 'help' ? help(rest[1]) : toOperation(rest, known)
  // As in a chat.
  if (first === '/switch') return toOperation(['switch', ...rest], known)
  if (first.startsWith('/')) return toPrompt(first, rest, known)
  if (isOperation(first, known)) return toOperation(words, known)
  if (isToolWord(first, known)) return { kind: 'command', words: ['call', ...words] }
  return refuse(words, nearTo(first, known))
}

/**
 * A tool of a server that has not connected yet is recognized by its form: a name with an underscore, a ref with a slash, the
 * name of its server before a dot or as the first word, or a bracket.
 */
function isToolWord(word: string, { host }: KnownNames): boolean {
  if (/^[^/]+[/_][^/]/.test(word) || /^[^(]+\(/.test(word)) return true
  const isOfServer = host.servers().some(({ name }) => word === name || word.startsWith(`${name}.`))
  return isOfServer || host.tools().some(({ name, tool }) => name === word || tool === word)
}

function help(about: string | undefined): Intent {
  return { kind: 'help', ...(about !== undefined && { about: about.replace(/^\//, '') }) }
}

function isOperation(word: string, { commands }: KnownNames): boolean {
  const name = aliases[word] ?? word
  return commands.has(name) || (operationNames as readonly string[]).includes(name)
}

function toOperation([first = '', ...rest]: readonly string[], known: KnownNames): Intent {
  const name = aliases[first] ?? first
  if (name === 'shell') return refuse([first], 'This is the shell already.')
  const own = operationNames.find((each) => each === name)
  if (rest.includes('--help') && known.commands.has(name)) return { kind: 'command', words: [name, '--help'] }
  // `list NAME` shows the tools of one server, as on the command line.
  const isOwn = own !== undefined && !rest.includes('--json') && !(own === 'list' && rest.length > 0)
  if (own !== undefined && isOwn) return { kind: 'operation', name: own, words: rest }
  if (!known.commands.has(name)) return refuse([first], nearTo(first, known))
  // The shell itself reads stdin, so a command cannot.
  const isStdin = beforeCommand(rest).includes('-') && /^(?:call|prompt|add)$/.test(name)
  if (isStdin)
    return refuse([first], 'The shell reads stdin itself. Put the arguments on the line, or use key=@file.')
  return { kind: 'command', words: [name, ...rest] }
}

function beforeCommand(words: readonly string[]): readonly string[] {
  return words.includes('--') ? words.slice(0, words.indexOf('--')) : words
}

const seeAll = 'See what there is: /help, or prompts'

/** `/server:prompt`; for an unknown prompt the words name the server to ask. */
function toPrompt(word: string, args: readonly string[], known: KnownNames): Intent {
  const found = known.host.commands().find(({ name }) => name === word)
  const [, server = found?.server, prompt = found?.prompt] = (!found && /^\/([^:]+):(.+)$/.exec(word)) || []
  if (server === undefined || prompt === undefined)
    return refuse([word], isOperation(word.slice(1), known) ? `Use /mcp ${word.slice(1)}` : seeAll)
  return { kind: 'command', words: ['prompt', toRef(server, prompt), ...args] }
}

function nearTo(word: string, { commands }: KnownNames): string {
  const near = nearestNames(word, [...commands.keys(), ...operationNames, ...Object.keys(aliases)])
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is: /help, or tools'
}

function refuse([word = '']: readonly string[], hint: string): Intent {
  return { kind: 'unknown', word, hint }
}
