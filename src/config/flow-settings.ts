import { isList, isObject, isStringArray } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { IgnoredFinding } from '../model/ignored-finding.ts'
import { toolLabels, trifectaModes } from '../model/tool-label.ts'
import type { LabelOverrides, ToolLabel, TrifectaMode } from '../model/tool-label.ts'

/** The keys of a person's settings about findings of the scanner and the flow of information. */
export interface FlowSettings {
  readonly trifecta?: TrifectaMode
  readonly labels?: LabelOverrides
  readonly scan?: { readonly ignore: readonly IgnoredFinding[] }
}

/** Reads them. What cannot be read protects: an unknown mode blocks nothing less than `ask`, a wrong suppression is none. */
export function readFlowSettings(
  { trifecta, labels, scan }: JsonObject,
  refuse: (key: string, message: string) => void,
): FlowSettings {
  const mode = trifectaModes.find((each) => each === trifecta)
  if (trifecta !== undefined && !mode)
    refuse('trifecta', `must be one of ${trifectaModes.join(', ')}; ask applies.`)
  return {
    ...(trifecta !== undefined && { trifecta: mode ?? 'ask' }),
    ...(labels !== undefined && { labels: readLabels(labels, refuse) }),
    ...(scan !== undefined && { scan: { ignore: readIgnored(scan, refuse) } }),
  }
}

function readLabels(value: Json, refuse: (key: string, message: string) => void): LabelOverrides {
  const isLabels = (list: Json): list is readonly ToolLabel[] =>
    isStringArray(list) && list.every((label) => toolLabels.some((known) => known === label))
  if (isObject(value)) {
    const wrong = Object.entries(value).filter(([, list]) => !isLabels(list))
    if (wrong.length === 0)
      return Object.fromEntries(
        Object.entries(value).flatMap(([pattern, list]) => (isLabels(list) ? [[pattern, list]] : [])),
      )
  }
  refuse('labels', `must map patterns such as "mail/*" to lists of ${toolLabels.join(', ')}; it is ignored.`)
  return {}
}

function readIgnored(value: Json, refuse: (key: string, message: string) => void): readonly IgnoredFinding[] {
  const list = isObject(value) ? (value['ignore'] ?? []) : undefined
  if (!list || !isList(list)) {
    refuse('scan', 'must be an object with a list "ignore"; nothing is ignored.')
    return []
  }
  return list.flatMap((item, index) => {
    const ignored = isObject(item) ? readItem(item) : undefined
    if (!ignored)
      refuse(
        'scan',
        `: the item ${index + 1} of "ignore" needs "rule", "server", "sha256" and "reason"; it is left out.`,
      )
    return ignored ?? []
  })
}

function readItem({ rule, server, sha256, reason, until }: JsonObject): IgnoredFinding | undefined {
  const isText = (value: Json | undefined): value is string =>
    typeof value === 'string' && value.trim() !== ''
  if (!isText(rule) || !isText(server) || !isText(sha256) || !isText(reason)) return undefined
  if (until !== undefined && !(isText(until) && /^\d{4}-\d\d-\d\d$/.test(until))) return undefined
  return { rule, server, sha256, reason, ...(until !== undefined && { until }) }
}
