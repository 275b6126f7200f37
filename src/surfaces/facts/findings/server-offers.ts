import type { Greeting, Host, JsonObject, ListName } from '../../../index.ts'
import { skillsCapabilityOf } from '../../../internal.ts'
import type { ServerOffers } from '../../../scan.ts'

/** The lists to request: those the server declares, or all if its capabilities are unknown. */
export function offeredLists({ capabilities, isAssumed }: Greeting): readonly ListName[] {
  const has = (name: string) => isAssumed || name in capabilities
  return [
    ...(has('tools') ? (['tools'] as const) : []),
    ...(has('resources') ? (['resources', 'resourceTemplates'] as const) : []),
    ...(has('prompts') ? (['prompts'] as const) : []),
    ...(skillsCapabilityOf(capabilities) ? (['skills'] as const) : []),
  ]
}

/** What a server said, as it sent it: nothing is removed, as it is in what a model gets. */
export function toServerOffers(
  server: string,
  { instructions }: Pick<Greeting, 'instructions'>,
  lists: readonly { readonly list: ListName; readonly items: readonly unknown[] }[],
): ServerOffers {
  const itemsOf = (name: ListName) =>
    lists.filter(({ list }) => list === name).flatMap(({ items }) => items as readonly JsonObject[]) // checked by the connection
  return {
    server,
    tools: itemsOf('tools'),
    prompts: itemsOf('prompts'),
    resources: itemsOf('resources'),
    resourceTemplates: itemsOf('resourceTemplates'),
    skills: itemsOf('skills'),
    ...(instructions !== undefined && { instructions }),
  }
}

/** Connects to a server and lists everything that it offers. */
export async function readServerOffers(
  host: Pick<Host, 'connect' | 'list'>,
  server: string,
  options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
): Promise<ServerOffers> {
  const { signal } = options
  const greeting = await host.connect(server, signal && { signal })
  const lists = await Promise.all(
    offeredLists(greeting).map(async (list) => ({ list, ...(await host.list(server, list, options)) })),
  )
  return toServerOffers(server, greeting, lists)
}
