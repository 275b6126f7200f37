import { buildCommand as buildWideCommand, buildRouteMap as buildWideRouteMap } from '@stricli/core'
import type { Command, RouteMap } from '@stricli/core'
import type { Cli } from './context.ts'
import { displayWidth, wrap } from '../terminal/width.ts'

const columns = 80

/** Like Stricli's, with help that fits into 80 columns. */
export const buildCommand: typeof buildWideCommand = (parts) => narrow(buildWideCommand(parts))
export const buildRouteMap: typeof buildWideRouteMap = (parts) => narrow(buildWideRouteMap(parts))

function narrow<Target extends Pick<Command<Cli> | RouteMap<Cli>, 'formatHelp'>>(target: Target): Target {
  return { ...target, formatHelp: (parts) => target.formatHelp(parts).split('\n').flatMap(fit).join('\n') }
}

/** What a word is explained with goes on below where it begins. */
function fit(line: string): readonly string[] {
  if (displayWidth(line) <= columns) return [line]
  const [term = ''] = /^ +\S+ {2,}/.exec(line) ?? []
  const explanation = line.slice(term.length).replace(/ {2,}/g, ' ')
  return wrap(explanation, columns - term.length).map(
    (piece, at) => (at === 0 ? term : ' '.repeat(term.length)) + piece,
  )
}
