import type { JsonObject, ListName } from '../../index.ts'
import { count } from './output/draw.ts'
import type { Probe } from './commands/connections/probe-server.ts'

const nouns: Readonly<Record<ListName, string>> = {
  tools: 'tool',
  resources: 'resource',
  resourceTemplates: 'resource template',
  prompts: 'prompt',
}

/** What a connection that came about is told as: a label and a text each. */
export function rowsOf({ greeting, counts = {}, quarantined = [], timings }: Probe): readonly Row[] {
  const { era = '', version = '', capabilities = {}, isAssumed, serverInfo = {} } = greeting ?? {}
  const offers = Object.entries(counts).map(([list, number]) => count(number, nouns[list as ListName])) // keys of `counts`
  const { total = 0, ...steps } = timings
  const took = Object.entries(steps).map(([step, ms]) => `${step} ${Math.round(ms)}`)
  return [
    ['says it is', namesOf(serverInfo)],
    ['speaks', `MCP ${version} (${era === 'modern' ? 'the newer era' : 'the older era'})`],
    ['can', Object.keys(capabilities).join(', ') || (isAssumed ? 'unknown: it was not asked' : 'nothing')],
    ['offers', offers.join(', ') || 'nothing'],
    ...(quarantined.length > 0 ? ([['left out', count(quarantined.length, 'tool')]] as const) : []),
    ['took', `${Math.round(total)} ms (${took.join(', ')})`],
  ]
}

type Row = readonly [label: string, text: string]

function namesOf({ name, version }: JsonObject): string {
  return [name, version].map((word) => (typeof word === 'string' ? word : '?')).join(' ')
}
