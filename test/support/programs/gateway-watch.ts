import { expect } from 'vitest'
import type { ClientCall, ClientFacts, GatewayFacts } from '../../../src/client.ts'
import { startCli } from './cli.ts'
import type { Machine } from './cli.ts'
import { differences } from '../json-schema.ts'

export type News =
  | {
      readonly type: 'clients'
      readonly gateways: readonly GatewayFacts[]
      readonly clients: readonly ClientFacts[]
    }
  | { readonly type: 'call'; readonly call: ClientCall }

export interface Watcher extends AsyncDisposable {
  /** The next message that fits; those before it are left out. */
  next(fits: (news: News) => boolean): Promise<News>
}

/** `plugboard gateway status --watch --json`. Every line is checked against its schema. */
export function startWatch(machine: Machine): Watcher {
  const program = startCli(machine, ['gateway', 'status', '--watch', '--json'])
  const take = async () => {
    const line = await program.nextLine()
    if (line === undefined) return undefined
    expect(differences('gateway-status-line', JSON.parse(line))).toEqual([])
    return JSON.parse(line) as News // as its schema says
  }
  return {
    async next(fits) {
      for (let news = await take(); news; news = await take()) if (fits(news)) return news
      throw new Error(`it ended: ${program.stderr()}`)
    },
    async [Symbol.asyncDispose]() {
      await program.kill('SIGINT')
      while (await take());
    },
  }
}
