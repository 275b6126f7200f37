import { toRef } from '../../index.ts'
import type { Host, PromptCommand } from '../../index.ts'
import { quote } from '../terminal/argv.ts'
import { escapeLine } from '../terminal/escape.ts'
import { aliases, shellFlags, operationNames, toIntent } from './intent.ts'
import type { KnownNames } from './intent.ts'
import { splitTyped } from './words.ts'

interface CompletionContext extends KnownNames {
  readonly host: Host
  /** Completions of the command line for the last of these words. */
  readonly propose: (words: readonly string[]) => Promise<readonly string[]>
}

const shellCommands = ['/mcp', '/switch', '/help', '/quit']

/** Returns the completions of the last word, and that word as it was typed. */
export async function completeLine(
  line: string,
  context: CompletionContext,
): Promise<readonly [readonly string[], string]> {
  const { words, partial } = splitTyped(line)
  const found = await proposalsFor(words, partial, context)
  const shown = found.filter((text) => text.startsWith(partial) && escapeLine(text) === text)
  // A single match ends with a blank, unless more of the same word follows (`key=`, `server/`).
  const isDone = shown.length === 1 && !/[=/:]$/.test(shown[0] ?? '')
  return [shown.map((text) => (isDone ? `${quoteIfNeeded(text)} ` : quoteIfNeeded(text))), partial]
}

/** Quotes a completion that contains blanks: unquoted, the shell would read several words. */
function quoteIfNeeded(text: string): string {
  return /\s/.test(text) ? quote(text) : text
}

async function proposalsFor(
  words: readonly string[],
  partial: string,
  context: CompletionContext,
): Promise<readonly string[]> {
  const { host, commands } = context
  const [first] = words
  if (first === undefined) {
    const names = host.tools().flatMap(({ name, ref }) => (partial.includes('/') ? [ref] : [name]))
    return [...shellCommands, ...operationsOf(commands), ...names, ...host.commands().map(({ name }) => name)]
  }
  if (words.length === 1 && first === '/mcp')
    return [...operationsOf(commands), ...aliasesOf(commands), 'help']
  const served = await completeByServer(words, partial, host)
  if (served.length > 0) return served
  const intent = toIntent(words, context)
  if (intent.kind === 'command')
    return (await context.propose([...intent.words, partial])).filter((word) => !shellFlags.includes(word))
  if (intent.kind === 'operation' && /^(?:restart|stop|list)$/.test(intent.name))
    return host.servers().map(({ name }) => name)
  return []
}

function operationsOf(commands: ReadonlyMap<string, string>): readonly string[] {
  const hidden = ['shell', 'completion']
  return [...new Set([...operationNames, ...commands.keys()])].filter((name) => !hidden.includes(name))
}

function aliasesOf(commands: ReadonlyMap<string, string>): readonly string[] {
  return Object.keys(aliases).filter((name) => commands.has(aliases[name] ?? ''))
}

const completionTimeoutMs = 1000

/** Asks the server for values of a prompt argument. Only a connected server is asked: Tab must not start a process. */
async function completeByServer(
  words: readonly string[],
  partial: string,
  host: Host,
): Promise<readonly string[]> {
  const [, argument, value = ''] = /^([^=]+)=(.*)$/s.exec(partial) ?? []
  const found = host.commands().find((each) => isCommandFor(each, words))
  const status = host.servers().find(({ name }) => name === found?.server)?.status
  if (argument === undefined || !found || status?.state !== 'ready') return []
  const { server, prompt } = found
  const limit = { timeoutMs: completionTimeoutMs, maxTimeoutMs: completionTimeoutMs }
  const { values } = await host
    .complete({ server, prompt, argument, value, known: pairsIn(words) }, limit)
    .catch(() => ({ values: [] }))
  return values.map((each) => `${argument}=${each}`)
}

/** Whether the words invoke this prompt: `/server:prompt …` or `prompt SERVER/NAME …`. */
function isCommandFor(
  { name, server, prompt }: PromptCommand,
  [first, word = '']: readonly string[],
): boolean {
  return first === name || (first === 'prompt' && word === toRef(server, prompt))
}

function pairsIn(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = words.filter((word) => word.includes('='))
  return Object.fromEntries(
    pairs.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  )
}
