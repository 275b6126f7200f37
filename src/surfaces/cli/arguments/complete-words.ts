import { proposeCompletions } from '@stricli/core'
import type { Application } from '@stricli/core'
import { escapeLine } from '../../terminal/escape.ts'
import { commands } from '../app.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
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

async function proposals(app: Application<Cli>, words: readonly string[], cli: Cli) {
  const partial = words.at(-1) ?? ''
  const own = words.length === 2 ? subcommands(words[0]).filter((name) => name.startsWith(partial)) : []
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

/** Stricli proposes the arguments of the default command, but not its sibling commands. */
function subcommands(name: string | undefined): readonly string[] {
  return name === 'sources' ? commands.sources.getAllEntries().map((entry) => entry.name.original) : []
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
