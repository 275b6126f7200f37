/** A process that writes a conversation into a store, for tests that need several. Bundled and run by `processes.ts`. */
import { nodePlatform } from '../../../../src/platform/node/node-platform.ts'
import { openStore } from '../../../../src/store/sql-store.ts'
import type { StoreOptions } from '../../../../src/store/store-interface.ts'

interface Task {
  readonly at: StoreOptions['at']
  readonly name: string
  readonly count: number
}

const { at, name, count } = JSON.parse(process.argv[2] ?? '') as Task
const store = await openStore({ platform: nodePlatform({}), redact: (text) => text, at })
if (!store) throw new Error('no driver')
const { id } = await store.conversations.create({ cwd: '/', title: name })
for (let length = 0; length < count; length++)
  await store.conversations.append(id, length, [{ role: 'user', content: `${name} ${length}` }])
await store.memory.toggles.set(id, name, true)
await store.close()
