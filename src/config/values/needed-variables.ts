import type { Server } from '../../model/server.ts'
import type { Env } from '../../platform/platform.ts'
import type { Part } from '../../sources/entries/template.ts'
import { discover } from '../discover.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { needsTrust } from '../trust/trust-store.ts'
import { createWorld } from '../world.ts'
import { partsOf, valueSites } from './value-sites.ts'
import { valueSourceOf } from './value-source.ts'

/** Stands for all variables: an entry passes on the whole environment. */
export const everyVariable = '*'

/**
 * The names of the variables that servers in force name, or that decide which files are read, for a program that serves
 * the environments of others: it asks for these and no more. The values in `env` so far count: they may lead to more files.
 */
export async function neededVariables(
  options: DiscoverOptions & { readonly env: Readonly<Record<string, string>> },
): Promise<readonly string[]> {
  const { env, ...rest } = options
  const recorded = recordReads(env)
  const given = { ...rest, platform: { ...rest.platform, env: recorded.env } }
  const { servers } = await discover(given)
  const platform = await platformOf(given)
  const world = await createWorld(platform, given)
  const names = await Promise.all(
    servers.map(async (server) => {
      const rules = (await valueSourceOf(server)).valuesOf(server, world)
      const parts = valueSites(server, rules).flatMap((site) => partsOf(site, rules))
      const named = parts.flatMap((part) => (part.kind === 'env' ? [part.name] : []))
      const { passEnv = [] } = stdioOf(server) ?? {}
      const isWhole = stdioOf(server)?.inheritEnv === true || runsCommand(server, parts)
      // A project's server gets what a person granted, which its entry names.
      return [...named, ...passEnv, ...(isWhole && !needsTrust(server) ? [everyVariable] : [])]
    }),
  )
  const all = [...new Set([...recorded.names, ...names.flat()])]
  return all.includes(everyVariable) ? [everyVariable] : all.sort()
}

function stdioOf({ transport }: Server) {
  return transport.kind === 'stdio' ? transport : undefined
}

/** Commands of a person's own entries run with the whole environment. */
function runsCommand({ transport }: Server, parts: readonly Part[]): boolean {
  const hasHelper = transport.kind !== 'stdio' && transport.headersCommand !== undefined
  return hasHelper || parts.some(({ kind }) => kind === 'command')
}

/** An environment that notes which absent variables are read. A copy of it does so too: the prototype is what notes them. */
function recordReads(values: Env): { readonly env: Env; readonly names: ReadonlySet<string> } {
  const names = new Set<string>()
  const recorder = new Proxy(Object.create(null), {
    get(_target, name) {
      // A promise asks for `then`.
      if (typeof name === 'string' && name !== 'then') names.add(name)
      return undefined
    },
  })
  return { env: Object.assign(Object.create(recorder), values) as Env, names }
}
