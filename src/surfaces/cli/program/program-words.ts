import { toRef } from '../../../index.ts'
import { nearestNames } from '../../../internal.ts'
import { usage } from '../errors.ts'
import { flagsOf } from './program-tool.ts'
import type { ProgramDefinition, ProgramTool, ToolFlag } from './program-tool.ts'

/** Flags of every generated program, which `plugboard call` also has, and whether a value follows. */
export const programFlags = {
  json: { kind: 'switch', value: '', brief: 'Print the result as JSON' },
  quiet: { kind: 'switch', value: '', brief: 'Print only the result' },
  trust: { kind: 'switch', value: '', brief: 'Trust the project’s servers, for this command only' },
  args: { kind: 'value', value: 'JSON', brief: 'The arguments as a JSON object, - for stdin' },
  timeout: { kind: 'value', value: 'TIME', brief: 'Wait at most this long, such as 500ms, 10s or 1m' },
  output: { kind: 'value', value: 'DIR', brief: 'Save images and other files of the result to this folder' },
  format: { kind: 'value', value: 'FORMAT', brief: 'text, json, raw or markdown' },
  cwd: { kind: 'value', value: 'DIR', brief: 'Run as if started in this folder' },
  config: { kind: 'value', value: 'FILE', brief: 'Read this config file first' },
} as const

type ProgramFlag = keyof typeof programFlags

/** What a command line of a generated program asks for. */
export type ProgramRequest =
  | { readonly kind: 'help'; readonly tool?: ProgramTool }
  | { readonly kind: 'version' }
  /** The words of the `plugboard call` that it stands for. */
  | { readonly kind: 'call'; readonly words: readonly string[] }

/**
 * Reads a command line. Flags before the tool are those of every program; after it a flag of the tool's own comes first,
 * so that a tool may have an argument named `json`.
 */
export function parseProgramWords(
  definition: ProgramDefinition,
  args: readonly string[],
  program: string,
): ProgramRequest {
  const reader = new WordReader(args)
  const common: string[] = []
  for (let word = reader.next(); word !== undefined; word = reader.next()) {
    if (word === '--help' || word === '-h' || word === 'help')
      return helpFor(definition, reader.next(), program)
    if (word === '--version' || word === '-v') return { kind: 'version' }
    const flag = commonFlag(word, reader)
    if (flag) common.push(...flag)
    else if (word.startsWith('-')) throw unknownFlag(word, Object.keys(programFlags), program)
    else return parseCall(definition, findTool(definition, word, program), { common, reader, program })
  }
  return { kind: 'help' }
}

function helpFor(definition: ProgramDefinition, word: string | undefined, program: string): ProgramRequest {
  return word === undefined ? { kind: 'help' } : { kind: 'help', tool: findTool(definition, word, program) }
}

interface CallLine {
  /** Flags of every program, which came before the tool; more are added. */
  readonly common: string[]
  readonly reader: WordReader
  /** The program's name, for hints. */
  readonly program: string
}

function parseCall(
  { server }: ProgramDefinition,
  tool: ProgramTool,
  { common, reader, program }: CallLine,
): ProgramRequest {
  const own = `${program} ${tool.command}`
  const flags = flagsOf(tool)
  const given: string[] = []
  for (let word = reader.next(); word !== undefined; word = reader.next()) {
    const pair = toolFlag(word, flags, reader)
    const shared = pair === undefined ? commonFlag(word, reader) : undefined
    if (pair !== undefined) given.push(pair)
    else if (shared) common.push(...shared)
    else if (word === '--help' || word === '-h') return { kind: 'help', tool }
    else if (word.startsWith('-') && word !== '-')
      throw unknownFlag(word, [...flags.map(({ name }) => name), ...Object.keys(programFlags)], own)
    else given.push(word)
  }
  const isWhole = common.some((word) => word.startsWith('--args='))
  const isGiven = ({ argument }: ToolFlag) => given.some((word) => word.startsWith(`${argument}=`))
  const isJson = given.length === 1 && /^(?:-$|\s*\{)/.test(given[0] ?? '')
  const stray = isJson ? undefined : given.find((word) => !/^[^=]+=/.test(word))
  if (stray !== undefined) {
    const needed = flags.filter(({ isRequired }) => isRequired)
    const shown = (needed.length > 0 ? needed : flags.slice(0, 1)).map(
      ({ name, isSwitch, value }) => ` --${name}${isSwitch ? '' : ` ${value}`}`,
    )
    throw usage(
      `"${stray}" is not an argument.`,
      shown.length === 0 ? `See: ${own} --help` : `Write arguments as flags: ${own}${shown.join('')}`,
    )
  }
  const missing = isWhole || isJson ? [] : flags.filter((flag) => flag.isRequired && !isGiven(flag))
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `--${name}`).join(', ')
    throw usage(`${tool.command} needs ${names}.`, `See: ${own} --help`)
  }
  return { kind: 'call', words: ['call', ...common, '--', toRef(server, tool.tool), ...given] }
}

/** A flag of the tool as `argument=value`. */
function toolFlag(word: string, flags: readonly ToolFlag[], reader: WordReader): string | undefined {
  const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
  const flag = flags.find((each) => each.name === name || each.argument === name)
  if (flag) {
    if (value !== undefined) return `${flag.argument}=${value}`
    if (flag.isSwitch) return `${flag.argument}=true`
    return `${flag.argument}=${reader.value(word)}`
  }
  const off = flags.find((each) => each.isSwitch && `no-${each.name}` === name)
  return off && value === undefined ? `${off.argument}=false` : undefined
}

/** A flag of every program, in one word each. */
function commonFlag(word: string, reader: WordReader): readonly string[] | undefined {
  const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? []
  if (!Object.hasOwn(programFlags, name)) return undefined
  const { kind } = programFlags[name as ProgramFlag] // an own key of the table
  if (kind === 'switch') return [word]
  return [`--${name}=${value ?? reader.value(word)}`]
}

function findTool({ tools }: ProgramDefinition, word: string, program: string): ProgramTool {
  const found = tools.find(({ command }) => command === word) ?? tools.find(({ tool }) => tool === word)
  if (found) return found
  const near = nearestNames(
    word,
    tools.map(({ command }) => command),
  )
  throw usage(
    `There is no command "${word}".`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `See: ${program} --help`,
  )
}

function unknownFlag(word: string, names: readonly string[], program: string): Error {
  const [flag = ''] = word.split('=', 1)
  const near = nearestNames(flag.replace(/^-+/, ''), names).map((name) => `--${name}`)
  return usage(
    `There is no flag "${flag}".`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `See: ${program} --help`,
  )
}

/** The words of a command line, one after the other. */
class WordReader {
  readonly #words: readonly string[]
  #at = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  next(): string | undefined {
    return this.#words[this.#at++]
  }

  /** The value of a flag. A word that begins with a dash may be a value too, such as a negative number. */
  value(flag: string): string {
    const value = this.next()
    if (value === undefined) throw usage(`${flag} needs a value.`)
    return value
  }
}
