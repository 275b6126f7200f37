import type { Discovery, Server } from '../../index.ts'
import { findServer } from '../../internal.ts'
import type { Scope } from './command-context.ts'
import { narrowToScope } from './discover-servers.ts'

/** The server with this name in the scope. `findServer` comes with the editing code, so hosts import this file lazily. */
export function findInScope(discovery: Discovery, scope: Scope | undefined, name: string): Server {
  return findServer(narrowToScope(discovery, scope), name)
}
