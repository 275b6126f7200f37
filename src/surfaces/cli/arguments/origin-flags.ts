import { quote } from '../../terminal/argv.ts'

/** Flags that decide where servers come from. Proposed commands repeat them, so that they find the same servers. */
export interface OriginFlags {
  readonly preset?: string
  readonly config?: string
  readonly source?: readonly string[]
}

const verbs =
  'add|call|disable|doctor|enable|list|login|logout|logs|prompt|prompts|read|remove|resources|search|test|tool|tools|trust|untrust|why'
const proposal = new RegExp(`\\bplugboard (${verbs})(?= |$|[.,:;)])(?! --(?:preset|config|source)\\b)`, 'gm')

/** Adds the origin flags of this command line to every command that a text proposes. */
export function withSameFlags(text: string, flags: OriginFlags): string {
  const same = wordsOf(flags)
  return same === '' ? text : text.replaceAll(proposal, (command) => `${command} ${same}`)
}

function wordsOf({ preset, config, source = [] }: OriginFlags): string {
  return [
    ...(preset === undefined ? [] : ['--preset', preset]),
    ...(config === undefined ? [] : ['--config', config]),
    ...source.flatMap((id) => ['--source', id]),
  ]
    .map((word) => quote(word))
    .join(' ')
}

/** Reads the origin flags from a command line that may be invalid. */
export function originFlagsIn(words: readonly string[]): OriginFlags {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const all = (flag: string) =>
    words.slice(0, end).flatMap((word, at) => {
      if (word.startsWith(`--${flag}=`)) return [word.slice(flag.length + 3)]
      const next = words[at + 1]
      return word === `--${flag}` && next !== undefined ? [next] : []
    })
  const [preset] = all('preset')
  const [config] = all('config')
  return {
    ...(preset !== undefined && { preset }),
    ...(config !== undefined && { config }),
    source: all('source'),
  }
}
