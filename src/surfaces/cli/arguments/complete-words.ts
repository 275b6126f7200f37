import { proposeCompletions } from '@stricli/core'
import type { Application } from '@stricli/core'
import { escapeLine } from '../../terminal/escape.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { subcommandsOf } from './command-path.ts'
import { leadingFlags, moveLeading, splitLeading } from './leading-flags.ts'
import { readBashLine } from './bash-line.ts'

/** Answers the completion scripts: `-- WORDS…`, the last one unfinished, or `--bash LINE BREAKS`. */
export async function complete(
  app: Application<Cli>,
  [form, ...words]: readonly string[],
  cli: Cli,
): Promise<void> {
  const found = form === '--bash' ? await proposeInBash(app, words, cli) : await propose(app, words, cli)
  cli.process.stdout.write(found.map((text) => `${text}\n`).join(''))
}

async function proposeInBash(app: Application<Cli>, [line = '', breaks = '']: readonly string[], cli: Cli) {
  const { words, toReply } = readBashLine(line, breaks)
  const partial = words.at(-1)
  if (partial === undefined) return []
  const found = await propose(app, words, cli)
  return found.filter((text) => text.startsWith(partial)).map(toReply)
}

/** Proposals for the last word. Texts with terminal control characters are not offered (T18). */
export async function propose(app: Application<Cli>, words: readonly string[], cli: Cli) {
  const found = await proposals(app, words.length === 0 ? [''] : words, cli)
  return [...new Set(found)].filter((text) => escapeLine(text) === text)
}

async function proposals(
  app: Application<Cli>,
  typed: readonly string[],
  cli: Cli,
): Promise<readonly string[]> {
  const partial = typed.at(-1) ?? ''
  const words = withCommandFirst(typed)
  if (words.length === 1 && partial.startsWith('--'))
    return [...leadingFlags, '--help', '--version'].filter((flag) => flag.startsWith(partial))
  // After a command with a default one below it, Stricli proposes the arguments of that one, but not its siblings.
  const own =
    splitLeading(typed).rest.length === 2
      ? subcommandsOf(words[0]).filter((name) => name.startsWith(partial))
      : []
  const known = await proposeCompletions(app, words, {
    ...cli,
    given: givenIn(words),
    typed: words.slice(1, -1).filter((word, at) => !word.startsWith('-') && !takesValue(words[at])),
  })
  // Propose flags only after a leading dash.
  const found = known
    .map(({ completion }) => completion)
    .filter((text) => partial.startsWith('-') || !text.startsWith('-'))
  return [...own, ...found]
}

/** Flags before the command are completed as if they stood behind it; a value before any command as one of `list`. */
function withCommandFirst(typed: readonly string[]): readonly string[] {
  const { leading, rest } = splitLeading(typed)
  if (leading.length === 0) return typed
  const isFlag = typed.at(-1)?.startsWith('-') === true
  if (rest.length === 0) return isFlag ? typed.slice(-1) : ['list', ...leading]
  return rest.length === 1 ? rest : moveLeading(typed)
}

/** Flags that take a value. */
const valued = [
  '--cwd',
  '--config',
  '--source',
  '--agent',
  '--server',
  '--timeout',
  '--format',
  '--output',
  '--preset',
  '--scope',
  '--input',
  '--stdio',
  '--url',
  '--env',
  '--header',
  '--keep',
  '--model',
  '--key',
]

function takesValue(before: string | undefined): boolean {
  return before !== undefined && valued.includes(before)
}

/** The flags that select the folder and the sources, for discovery during completion. */
function givenIn(words: readonly string[]): CommonFlags {
  const all = (flag: string) =>
    words.filter((_, index) => words[index - 1] === flag && index < words.length - 1)
  const [cwd, config, source] = [all('--cwd').at(-1), all('--config').at(-1), all('--source')]
  return {
    ...(cwd !== undefined && { cwd }),
    ...(config !== undefined && { config }),
    ...(source.length > 0 && { source }),
  }
}
