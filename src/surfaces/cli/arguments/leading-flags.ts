import { pathLength } from './command-path.ts'

/** Flags that may precede the command, and whether a value follows. */
const flags: Readonly<Record<string, 'switch' | 'value'>> = {
  '--json': 'switch',
  '--quiet': 'switch',
  '--trust': 'switch',
  '--no-start': 'switch',
  '--preset': 'value',
  '--cwd': 'value',
  '--config': 'value',
  '--source': 'value',
  '--scope': 'value',
  '--timeout': 'value',
  '--input': 'value',
  '--agent': 'value',
  '--stdio': 'value',
  '--url': 'value',
  '--env': 'value',
  '--header': 'value',
  '--keep': 'value',
}

export const leadingFlags: readonly string[] = Object.keys(flags)

interface LeadingFlags {
  readonly leading: readonly string[]
  /** The words from the command on. */
  readonly rest: readonly string[]
}

/** Splits a command line in front of its command. A flag that is not known stays where it is, to be reported. */
export function splitLeading(words: readonly string[]): LeadingFlags {
  let at = 0
  while (at < words.length) {
    const [name = ''] = (words[at] ?? '').split('=', 1)
    const kind = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (kind === undefined) break
    at += kind === 'value' && words[at] === name ? 2 : 1
  }
  return { leading: words.slice(0, at), rest: words.slice(at) }
}

/** Moves flags that precede the command behind it, where Stricli expects them. */
export function moveLeading(words: readonly string[]): readonly string[] {
  const { leading, rest } = splitLeading(words)
  const [first] = rest
  if (leading.length === 0 || first === undefined) return words
  if (/^(?:-v|--version)$/.test(first)) return ['version', ...leading]
  if (/^(?:-h|--help)$/.test(first)) return ['help', ...leading]
  const end = pathLength(rest)
  return [...rest.slice(0, end), ...leading, ...rest.slice(end)]
}
