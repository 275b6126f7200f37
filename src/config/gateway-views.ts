import { isObject, isStringArray } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** What the gateway offers at an address of its own (`/mcp/NAME`). It can only narrow what the person's rules allow. */
export interface GatewayViewSettings {
  /** Patterns over names of servers. */
  readonly servers?: readonly string[]
  /** Patterns over names and refs of tools. */
  readonly tools?: readonly string[]
  /** `false`: tools and prompts have the names of their servers, where no two have the same one. */
  readonly prefix?: boolean
  /** `search`: three tools that find, describe and call the others are listed in their place. */
  readonly mode?: 'all' | 'search'
  /** Other names, by `server/tool`. */
  readonly rename?: Readonly<Record<string, string>>
  /** Other descriptions, by `server/tool`. */
  readonly descriptions?: Readonly<Record<string, string>>
}

type Refuse = (path: readonly string[], message: string) => void

/** What clients accept as the name of a tool. */
const toolName = /^[A-Za-z0-9_.-]{1,64}$/
/** A part of an address. */
const viewName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

const checks: Readonly<Record<keyof GatewayViewSettings, (value: Json) => string | undefined>> = {
  servers: (value) => (isStringArray(value) ? undefined : 'must be a list of patterns'),
  tools: (value) => (isStringArray(value) ? undefined : 'must be a list of patterns'),
  prefix: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  mode: (value) => (value === 'all' || value === 'search' ? undefined : 'must be all or search'),
  rename: (value) =>
    isTexts(value) && Object.values(value).every((name) => toolName.test(name))
      ? undefined
      : 'must be an object of names by server/tool, each of up to 64 letters, digits, "_", "-" and "."',
  descriptions: (value) => (isTexts(value) ? undefined : 'must be an object of texts by server/tool'),
}

/** Reads the views of a person's settings. One that cannot be read is left out: in part it could offer too much. */
export function readGatewayViews(
  value: Json,
  refuse: Refuse,
): Readonly<Record<string, GatewayViewSettings>> | undefined {
  if (!isObject(value)) {
    refuse([], 'must be an object of views by name; it is ignored.')
    return undefined
  }
  const views = Object.entries(value).flatMap(([name, view]) => {
    const read = readView(name, view, refuse)
    return read ? [[name, read] as const] : []
  })
  return Object.fromEntries(views)
}

function readView(name: string, view: Json, refuse: Refuse): GatewayViewSettings | undefined {
  if (!viewName.test(name)) {
    refuse([name], 'must have a name of letters, digits, "_", "-" and "."; it is ignored.')
    return undefined
  }
  if (!isObject(view)) {
    refuse([name], 'must be an object; it is ignored.')
    return undefined
  }
  const wrong = Object.entries(view).flatMap(([key, value]) => {
    const problem = Object.hasOwn(checks, key)
      ? checks[key as keyof GatewayViewSettings](value) // a key of the table
      : 'is not a setting of a view'
    return problem === undefined ? [] : [{ key, problem }]
  })
  for (const { key, problem } of wrong) refuse([name, key], `${problem}; the view is not offered.`)
  return wrong.length === 0 ? view : undefined
}

function isTexts(value: Json): value is JsonObject & Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string')
}
