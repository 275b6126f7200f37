import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { quote } from '../terminal/argv.ts'
import { escapeLine } from '../terminal/escape.ts'
import { ownCommandNames } from './chat-line.ts'

export interface ChatCompletion {
  readonly cwd: string
  readonly servers: () => readonly string[]
  readonly agents: () => Promise<readonly string[]>
  readonly models: () => Promise<readonly string[]>
  /** Prompts of servers, with their slash. */
  readonly prompts: () => readonly string[]
  /** Completions of the shell for its line. */
  readonly shell: (line: string) => Promise<readonly [readonly string[], string]>
}

type Completions = readonly [found: readonly string[], partial: string]

/** Completes commands after a slash, and files after `@`. */
export async function completeChat(line: string, context: ChatCompletion): Promise<Completions> {
  const [partial = ''] = /\S*$/.exec(line) ?? []
  if (!line.startsWith('/'))
    return partial.startsWith('@')
      ? [withBlank(completeFile(partial.slice(1), context.cwd)), partial]
      : [[], partial]
  if (partial === line) return completeCommand(line, context)
  const [, name = '', before = ''] =
    /^\/(\S+)\s+(.*)$/s.exec(line.slice(0, line.length - partial.length)) ?? []
  const own = await completeOwn(name, before.trim(), context)
  if (own) return [withBlank(own.filter((each) => each.startsWith(partial))), partial]
  return context.shell(name === 'mcp' || name.includes(':') ? line : line.slice(1))
}

async function completeCommand(line: string, { prompts, shell }: ChatCompletion): Promise<Completions> {
  const [ofShell] = await shell(line.slice(1))
  const names = ofShell.filter((each) => !each.startsWith('/')).map((each) => `/${each.trimEnd()}`)
  const all = [...ownCommandNames.map((name) => `/${name}`), '/mcp', ...names, ...prompts()]
  return [withBlank([...new Set(all)].filter((each) => each.startsWith(line))), line]
}

async function completeOwn(
  name: string,
  before: string,
  { servers, agents, models }: ChatCompletion,
): Promise<readonly string[] | undefined> {
  switch (name) {
    case 'switch':
      return before === '' ? servers().map(quoteIfNeeded) : ['on', 'off']
    case 'agent':
      return ['none', ...(await agents()).map(quoteIfNeeded)]
    case 'model':
      return models()
    default:
      return (ownCommandNames as readonly string[]).includes(name) && name !== 'help' ? [] : undefined
  }
}

function quoteIfNeeded(text: string): string {
  return /\s/.test(text) ? quote(text) : text
}

/** A single completion ends with a blank, unless more of the same word follows. */
function withBlank(found: readonly string[]): readonly string[] {
  const safe = found.filter((text) => escapeLine(text) === text)
  return safe.length === 1 ? safe.map((text) => (/[=/:]$/.test(text) ? text : `${text} `)) : safe
}

const maxEntries = 200

/** Files and folders below the folder of the conversation; hidden ones only after a typed dot. */
function completeFile(partial: string, cwd: string): readonly string[] {
  const folder = partial.endsWith('/') ? partial : dirname(partial)
  const start = folder === '.' && !partial.startsWith('./') ? '' : join(folder, '/')
  const name = partial.slice(start.length)
  if (partial.startsWith('/') || partial.split('/').includes('..')) return []
  try {
    return readdirSync(resolve(cwd, folder), { withFileTypes: true })
      .filter((entry) => entry.name.startsWith(name) && (name !== '' || !entry.name.startsWith('.')))
      .map((entry) => `@${start}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .filter((text) => !/\s/.test(text) && escapeLine(text) === text)
      .slice(0, maxEntries)
  } catch {
    return []
  }
}
