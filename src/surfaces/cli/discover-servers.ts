import type { Discovery, Server } from '../../index.ts'
import type { Scope } from './command-context.ts'

/** `project` is what the project declares; `user` is everything else: one's own, what one named, what one's machine has. */
export function isInScope({ origin }: Server, scope: Scope | undefined): boolean {
  return scope === undefined || (origin.authority === 'project') === (scope === 'project')
}

/** What is in force of one scope alone. Who counts is decided among all of them before. */
export function narrow(discovery: Discovery, scope: Scope | undefined): Discovery {
  if (scope === undefined) return discovery
  return {
    ...discovery,
    servers: discovery.servers.filter((server) => isInScope(server, scope)),
    shadowed: discovery.shadowed.filter(({ server }) => isInScope(server, scope)),
  }
}
