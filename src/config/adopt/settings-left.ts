import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import type { LostField } from '../../sources/entries/write-rules.ts'

/** What is known about the client of an entry. */
interface EntryOwner {
  readonly title: string
  /** The keys of times: they are part of our entry. */
  readonly timeKeys: readonly string[]
}

/** Keys of a client's entry that our entry does not have. They come back with the entry when the client is released. */
export function settingsLeft(
  server: Server,
  as: string,
  { title, timeKeys }: EntryOwner,
): readonly LostField[] {
  const approvals = approvalsOf(server)
  const named = new Set(approvals.map(({ path }) => path[0]))
  const others = Object.keys(server.extra).filter((key) => !timeKeys.includes(key) && !named.has(key))
  const state = typeof server.approval === 'string' ? ['approval'] : []
  return [
    ...approvals.map(({ path, mode }) => ({
      field: path.join('.'),
      reason: lostApproval(path, mode, { as, title }),
    })),
    ...[...state, ...others].map((field) => ({
      field,
      reason: 'Only the client knows it; it has no effect until the client is released.',
    })),
  ]
}

interface ApprovalSetting {
  readonly path: readonly string[]
  readonly mode: Json
}

/** What an entry says about approvals, of all its tools or of one. */
function approvalsOf({ declared }: Server): readonly ApprovalSetting[] {
  return declared.flatMap(({ entry }) => {
    const tools = Object.entries(isObject(entry['tools']) ? entry['tools'] : {})
    return [
      ...approvalsIn(entry, []),
      ...tools.flatMap(([tool, own]) => (isObject(own) ? approvalsIn(own, ['tools', tool]) : [])),
    ]
  })
}

function approvalsIn(settings: JsonObject, at: readonly string[]): readonly ApprovalSetting[] {
  const keys = Object.keys(settings).filter((key) => /approval|^trust$/i.test(key))
  return keys.map((key) => ({ path: [...at, key], mode: settings[key] ?? null }))
}

function lostApproval(
  path: readonly string[],
  mode: Json,
  { as, title }: { readonly as: string; readonly title: string },
): string {
  const tool = path.at(-2)
  const was = `It is ${JSON.stringify(mode)}, and does not hold behind the gateway`
  return tool === undefined
    ? `${was}: ${title} decides by its own default.`
    : `${was}. Set it for "${as}__${tool}" of the entry "plugboard".`
}
