import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import type { ClientCall, ClientFacts, GatewayFacts } from '../../../src/client.ts'
import { cliFile } from './cli.ts'
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
  /** The first message from now on, or not yet taken, that fits. */
  next(fits: (news: News) => boolean): Promise<News>
}

/** `plugboard gateway status --watch --json`. Every line is checked against its schema. */
export function startWatch({ env, project }: Machine): Watcher {
  const child = spawn(process.execPath, [cliFile, 'gateway', 'status', '--watch', '--json'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  const news: News[] = []
  let [held, wake] = ['', () => undefined as void]
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) {
      expect(differences('gateway-status-line', JSON.parse(line))).toEqual([])
      news.push(JSON.parse(line) as News)
    }
    wake()
  })
  return {
    async next(fits) {
      for (;;) {
        const at = news.findIndex(fits)
        const found = at < 0 ? undefined : news[at]
        if (found) {
          news.splice(0, at + 1)
          return found
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT')
      await ended
    },
  }
}
