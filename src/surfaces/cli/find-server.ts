import type { Discovery, Server } from '../../index.ts'
import { findServer } from '../../internal.ts'
import type { Scope } from './command-context.ts'
import { narrowToScope } from './discover-servers.ts'

/** The server of this name, of the wanted scope. What finds it comes with the code that edits files, so hosts load this file late. */
export function findInScope(discovery: Discovery, scope: Scope | undefined, name: string): Server {
  return findServer(narrowToScope(discovery, scope), name)
}
