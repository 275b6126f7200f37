import { fileURLToPath } from 'node:url'
import type { AgentModel } from '../../agent.ts'
import type { HostOptions } from '../../index.ts'
import { createVolatileMemory } from '../../internal.ts'
import { createDemoModel } from './demo-model.ts'

/** What `--demo` uses in place of the person's servers and model. */
export interface Demo {
  readonly model: AgentModel
  readonly host: Pick<HostOptions, 'servers' | 'memory'>
}

export const demoNotice =
  'This is a demo: a small sample server, and a demo model that only matches your words to its tools.'

/** The program of the demo server. */
export const demoServerFile = fileURLToPath(new URL('./demo-server.mjs', import.meta.url))

/** Nothing of the person is used, nothing is kept: the demo model sees just the tools of this server, which has no files and no network. */
export function openDemo(): Demo {
  return {
    model: { model: createDemoModel(), name: 'demo', window: 32_000, price: { input: 0, output: 0 } },
    host: {
      servers: { demo: { command: process.execPath, args: [demoServerFile] } },
      memory: createVolatileMemory(Date.now),
    },
  }
}
