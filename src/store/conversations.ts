import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { HostError } from '../model/error.ts'
import type { Database } from './connect.ts'
import type { Conversation, Conversations, StoredMessage } from './conversation.ts'
import { changedMeanwhile, checkCut, noConversation } from './conversation-errors.ts'
import { partsOf, removeRows } from './removal.ts'
import type { OnRemoved } from './store-interface.ts'
import { readJson } from './stored-json.ts'
import type { ConversationRow, MessageRow, Tables } from './tables.ts'
import type { Writing } from './writing.ts'

export function createConversations(
  { run, checkPresent }: Database,
  { text, json, now }: Writing,
  onRemoved: OnRemoved,
): Conversations {
  const get = async (id: string) => {
    await checkPresent()
    const row = await run((db) =>
      db.selectFrom('conversations').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row && toConversation(row)
  }
  return {
    get,

    async create({ cwd, title = '', agent, model }) {
      const at = now()
      const row: ConversationRow = {
        id: randomUUID(),
        title: text(title),
        cwd,
        agent: agent ?? null,
        model: model ?? null,
        created_at: at,
        updated_at: at,
        length: 0,
      }
      await run((db) =>
        db
          .insertInto('conversations')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
      return toConversation(row)
    },

    async list({ limit = 100, like, cwd } = {}) {
      const rows = await run((db) => {
        let all = db.selectFrom('conversations').selectAll().orderBy('updated_at', 'desc').limit(limit)
        if (like !== undefined) all = all.where('id', '>=', like).where('id', '<', `${like}\u{10ffff}`)
        if (cwd !== undefined) all = all.where('cwd', '=', cwd)
        return all.execute()
      })
      return rows.map(toConversation)
    },

    async change(id, { title, agent, model }) {
      await run((db) =>
        db
          .updateTable('conversations')
          .set({
            updated_at: now(),
            ...(title !== undefined && { title: text(title) }),
            ...(agent !== undefined && { agent }),
            ...(model !== undefined && { model }),
          })
          .where('id', '=', id)
          .execute(),
      )
    },

    async messages(id) {
      const rows = await run((db) =>
        db
          .selectFrom('messages')
          .select(['seq', 'role', 'content', 'at'])
          .where('conversation', '=', id)
          .orderBy('seq')
          .execute(),
      )
      return rows.map(toMessage)
    },

    async append(id, after, messages) {
      await checkPresent()
      const at = now()
      const rows = messages.map(({ role, content }, index): MessageRow => ({
        conversation: id,
        seq: after + 1 + index,
        role,
        content: json(content),
        at,
      }))
      const length = after + rows.length
      await run((db) =>
        db.transaction().execute(async (within) => {
          const [updated] = await within
            .updateTable('conversations')
            .set({ length, updated_at: at })
            .where('id', '=', id)
            .where('length', '=', after)
            .execute()
          if (Number(updated?.numUpdatedRows ?? 0) === 1) {
            for (const part of partsOf(rows)) await within.insertInto('messages').values(part).execute()
            return
          }
          const found = await within
            .selectFrom('messages')
            .selectAll()
            .where('conversation', '=', id)
            .where('seq', '>', after)
            .orderBy('seq')
            .execute()
          // The connection was lost after the commit, and this is the second attempt.
          if (JSON.stringify(found) !== JSON.stringify(rows)) throw await conflict(within, id)
        }),
      )
      return length
    },

    async truncate(id, from, length) {
      checkCut(from, length)
      await run((db) =>
        db.transaction().execute(async (within) => {
          // Updating the row of the conversation locks it. `append` does the same first, so the two cannot run at once.
          const [updated] = await within
            .updateTable('conversations')
            .set({ length, updated_at: now() })
            .where('id', '=', id)
            .where('length', 'in', [from, length])
            .execute()
          if (Number(updated?.numUpdatedRows ?? 0) === 0) throw await conflict(within, id)
          await within
            .deleteFrom('messages')
            .where('conversation', '=', id)
            .where('seq', '>', length)
            .execute()
        }),
      )
    },

    async remove(id) {
      const removed = await run((db) => db.transaction().execute((within) => removeRows(within, { id })))
      await onRemoved(removed.ids)
      return removed.ids.length > 0
    },
  }
}

async function conflict(within: Transaction<Tables>, id: string): Promise<HostError> {
  const row = await within
    .selectFrom('conversations')
    .select('length')
    .where('id', '=', id)
    .executeTakeFirst()
  return row ? changedMeanwhile(id, row.length) : noConversation(id)
}

function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id,
    title: row.title,
    cwd: row.cwd,
    ...(row.agent !== null && { agent: row.agent }),
    ...(row.model !== null && { model: row.model }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    length: row.length,
  }
}

function toMessage({ seq, role, content, at }: Omit<MessageRow, 'conversation'>): StoredMessage {
  return { seq, role, content: readJson(content), at }
}
