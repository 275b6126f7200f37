import { buildCommand as buildWideCommand, buildRouteMap as buildWideRouteMap } from '@stricli/core'
import type { Command, CommandContext, RouteMap } from '@stricli/core'
import { displayWidth, wrap } from '../../terminal/width.ts'
import { believePlatform } from '../../../internal.ts'
import { checkFolder, folderOf } from '../command-context.ts'
import type { Cli, CommonFlags, LiveShell } from '../command-context.ts'

const columns = 80

/** Like Stricli's, with help that fits into 80 columns and marks optional arguments. */
export const buildCommand: typeof buildWideCommand = (parts) => {
  const { docs, parameters } = parts
  const usage = docs.customUsage ?? usageOf(parameters.positional)
  return withNarrowHelp(
    buildWideCommand({ ...parts, docs: { ...docs, ...(usage && { customUsage: usage }) } }),
  )
}
export const buildRouteMap: typeof buildWideRouteMap = (parts) =>
  withNarrowHelp(withDefaultHelp(buildWideRouteMap(parts)))

type CommandFunction<Flags, Words extends readonly (string | undefined)[]> = (
  cli: Cli,
  flags: Flags,
  ...words: Words
) => Promise<void>

type PlaceFlags = Pick<CommonFlags, 'cwd' | 'quiet' | 'json'>

/** Loads a command's code when it runs. Stricli passes the context as `this`; our commands take it as an argument. */
export function loadLazily<Flags extends PlaceFlags, Words extends readonly (string | undefined)[]>(
  load: () => Promise<CommandFunction<Flags, Words>>,
) {
  return async () => {
    const command = await load()
    return async function run(this: Cli, flags: Flags, ...words: Words): Promise<void> {
      const all = this.live ? withShellFlags(flags, this.live) : flags
      if (all.cwd !== undefined) checkFolder(folderOf(this, all))
      // The shell has printed them when it was opened.
      if (!this.live) await warnOfPlaces(this, all)
      await command(this, all, ...words)
    }
  }
}

/** T54: says once, before any command, which variables are not used for our own directories. */
async function warnOfPlaces(cli: Cli, flags: PlaceFlags): Promise<void> {
  const { diagnostics } = await believePlatform({ ...cli.platform, cwd: folderOf(cli, flags) })
  if (diagnostics.length > 0)
    (await import('../output/place-warnings.ts')).printPlaces(diagnostics, cli, flags)
}

/** Lines of the shell inherit the flags the shell was opened with, unless they set them. */
function withShellFlags<Flags extends object>(flags: Flags, { flags: shell }: LiveShell): Flags {
  const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0)
  const given = Object.entries(flags).filter(([, value]) => isGiven(value))
  return { ...shell, ...Object.fromEntries(given) } as Flags // the same flags, some taken from the shell
}

interface Parameter {
  readonly placeholder?: string
  readonly optional?: boolean
}

type Positional =
  | { readonly kind: 'tuple'; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'array'; readonly parameter: Parameter; readonly minimum?: number }

/** A usage line with optional arguments, which Stricli leaves out; `undefined` if there are none. */
function usageOf(positional: Positional | undefined): readonly [string] | undefined {
  if (positional?.kind === 'array')
    return positional.minimum === undefined ? [`[${positional.parameter.placeholder}]...`] : undefined
  if (!positional?.parameters.some(({ optional }) => optional)) return undefined
  return [
    positional.parameters
      .map(({ placeholder, optional }) => (optional ? `[${placeholder}]` : `<${placeholder}>`))
      .join(' '),
  ]
}

type HelpParts = Parameters<Command<Cli>['formatHelp']>[0]

/**
 * Adds the usage, flags and arguments of the default command to the help of the commands beside it: without one of their
 * names, it is what runs. Stricli shows them only if its name is written.
 */
function withDefaultHelp<Context extends CommandContext>(map: RouteMap<Context>): RouteMap<Context> {
  const byDefault = map.getDefaultCommand()
  if (!byDefault) return map
  const formatHelp = (parts: HelpParts): string => {
    const { usage, flags, arguments: words } = parts.text.headers
    const added = byDefault
      .formatHelp({ ...parts, aliases: [] })
      .trimEnd()
      .split('\n\n')
    const sections = map
      .formatHelp(parts)
      .split('\n\n')
      .flatMap((section) => {
        const [title, ...lines] = section.split('\n')
        // The last usage line is --help, which both have.
        if (title === usage) return [[...(added[0]?.split('\n').slice(0, -1) ?? []), ...lines].join('\n')]
        return title === flags
          ? added.filter((each) => each.startsWith(`${flags}\n`) || each.startsWith(`${words}\n`))
          : [section]
      })
    return sections.join('\n\n')
  }
  return { ...map, formatHelp }
}

function withNarrowHelp<Target extends Pick<Command<Cli> | RouteMap<Cli>, 'formatHelp'>>(
  target: Target,
): Target {
  return {
    ...target,
    formatHelp: (parts) => target.formatHelp(parts).split('\n').flatMap(wrapLine).join('\n'),
  }
}

/** Wraps a long help line; continued text is aligned with the description column. */
function wrapLine(line: string): readonly string[] {
  if (displayWidth(line) <= columns) return [line]
  const [term = ''] = /^ +\S+ {2,}/.exec(line) ?? []
  const explanation = line.slice(term.length).replace(/ {2,}/g, ' ')
  return wrap(explanation, columns - term.length).map(
    (piece, at) => (at === 0 ? term : ' '.repeat(term.length)) + piece,
  )
}
