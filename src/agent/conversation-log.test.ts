import { expect, test } from 'vitest'
import { nodePlatform } from '../index.ts'
import type { Json } from '../index.ts'
import { createMemoryConversations } from '../store.ts'
import { ConversationLog } from './conversation-log.ts'

test('FI-96 a message that is nested too deep is kept without its depth, and later ones are kept', async () => {
  const conversations = createMemoryConversations()
  const { id } = await conversations.create({ cwd: '/' })
  const { clock } = nodePlatform()
  const log = new ConversationLog({ id, clock, conversations, mask: (text) => text })
  let deep: Json = 'end'
  for (let level = 0; level < 50_000; level++) deep = [deep]
  log.append({ role: 'user', content: [{ type: 'text', text: 'one' }, deep] })
  expect(await log.flush()).toBeUndefined()
  log.append({ role: 'user', content: 'two' })
  expect(await log.flush()).toBeUndefined()
  const kept = await conversations.messages(id)
  expect(kept).toHaveLength(2)
  expect(kept[0]?.content).toMatchObject([{ type: 'text', text: 'one' }, expect.anything()])
  expect(JSON.stringify(kept[0])).toContain('[nested too deep]')
})
