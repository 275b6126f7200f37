import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createHost, importAdapter, importPart } from '../entry.mjs'

/** Loads the code that connecting to a program loads on demand. */
export const load = () => Promise.all([importPart('values'), importPart('connect'), import('node:crypto')])

/** Writes a user's config file with these servers; the same file in every round, so that from the second on they are known. */
export function prepare(servers) {
  const config = join(homedir(), `${servers.length}-${servers[0].name}.json`)
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(servers.map(toEntry)) }))
  return config
}

export async function open(config) {
  // Every subject may have 64 requests in flight; over HTTP our default is lower.
  const host = await createHost({
    config,
    trust: 'project',
    limits: { maxInFlight: { stdio: 64, http: 64 } },
  })
  return {
    async use(name) {
      await host.connect(name)
      return {
        list: async () => (await host.list(name, 'tools')).items,
        offer: async () => (await (await importAdapter('openai')).toOpenAi(host)).chat.tools,
        again: async () => {
          await host.ready({ servers: [name], from: 'servers' })
          return host.tools()
        },
        call: (tool, args) => host.request(name, 'tools/call', { name: tool, arguments: args }),
      }
    },
    /** The number of tools of all servers. */
    offerAll: async () => {
      await host.ready()
      return host.tools().length
    },
    call: async (name, tool, args) => (await host.call(`${name}__${tool}`, args)).blocks,
    close: () => host.close(),
  }
}

function toEntry({ name, url, command, args }) {
  return [name, url ? { type: 'http', url } : { command, args }]
}
