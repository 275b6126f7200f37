import { toRef } from '../../index.ts'
import type { Host, PromptCommand } from '../../index.ts'
import { quote } from '../terminal/argv.ts'
import { escapeLine } from '../terminal/escape.ts'
import { aliases, fixed, operationNames, toIntent } from './intent.ts'
import type { Known } from './intent.ts'
import { splitTyped } from './words.ts'

interface Context extends Known {
  readonly host: Host
  /** What the command line proposes for the last of these words. */
  readonly propose: (words: readonly string[]) => Promise<readonly string[]>
}

const own = ['/mcp', '/help', '/quit']

/** What could stand in place of the last word, and that word as it was typed. */
export async function completeLine(
  line: string,
  context: Context,
): Promise<readonly [readonly string[], string]> {
  const { words, partial } = splitTyped(line)
  const found = await proposalsFor(words, partial, context)
  const shown = found.filter((text) => text.startsWith(partial) && escapeLine(text) === text)
  // Where only one is left, the next word may begin, unless this one goes on.
  const isDone = shown.length === 1 && !/[=/:]$/.test(shown[0] ?? '')
  return [shown.map((text) => (isDone ? `${quoted(text)} ` : quoted(text))), partial]
}

/** A text with blanks is one word only in quotes; `key=` and the like stay as they are. */
function quoted(text: string): string {
  return /\s/.test(text) ? quote(text) : text
}

async function proposalsFor(
  words: readonly string[],
  partial: string,
  context: Context,
): Promise<readonly string[]> {
  const { host, commands } = context
  const [first] = words
  if (first === undefined) {
    const names = host.tools().flatMap(({ name, ref }) => (partial.includes('/') ? [ref] : [name]))
    return [...own, ...operationsOf(commands), ...names, ...host.commands().map(({ name }) => name)]
  }
  if (words.length === 1 && first === '/mcp')
    return [...operationsOf(commands), ...aliasesOf(commands), 'help']
  const served = await fromServer(words, partial, host)
  if (served.length > 0) return served
  const intent = toIntent(words, context)
  if (intent.kind === 'command')
    return (await context.propose([...intent.words, partial])).filter((word) => !fixed.includes(word))
  if (intent.kind === 'operation' && intent.name === 'restart') return host.servers().map(({ name }) => name)
  return []
}

function operationsOf(commands: ReadonlyMap<string, string>): readonly string[] {
  const hidden = ['shell', 'completion']
  return [...new Set([...operationNames, ...commands.keys()])].filter((name) => !hidden.includes(name))
}

function aliasesOf(commands: ReadonlyMap<string, string>): readonly string[] {
  return Object.keys(aliases).filter((name) => commands.has(aliases[name] ?? ''))
}

const patienceMs = 1000

/** A server may know itself what an argument of its prompt can be. Only one that runs is asked. */
async function fromServer(words: readonly string[], partial: string, host: Host): Promise<readonly string[]> {
  const [, argument, value = ''] = /^([^=]+)=(.*)$/s.exec(partial) ?? []
  const found = host.commands().find((each) => isMeant(each, words))
  const status = host.servers().find(({ name }) => name === found?.server)?.status
  if (argument === undefined || !found || status?.state !== 'ready') return []
  const { server, prompt } = found
  const limit = { timeoutMs: patienceMs, maxTimeoutMs: patienceMs }
  const { values } = await host
    .complete({ server, prompt, argument, value, known: pairsIn(words) }, limit)
    .catch(() => ({ values: [] }))
  return values.map((each) => `${argument}=${each}`)
}

/** `/server:prompt …` or `prompt SERVER/NAME …`. */
function isMeant({ name, server, prompt }: PromptCommand, [first, word = '']: readonly string[]): boolean {
  return first === name || (first === 'prompt' && word === toRef(server, prompt))
}

function pairsIn(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = words.filter((word) => word.includes('='))
  return Object.fromEntries(
    pairs.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  )
}
