import { sql } from 'kysely'
import type { Kysely, Migration } from 'kysely'

// Every step is run once per store, in the order of the names. A released step is never changed.

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': { up: createFirstTables },
  '0002-question-keys': { up: addQuestionKeys },
  '0003-call-makers': { up: addCallMakers },
  '0004-call-starts': { up: addCallStarts },
  '0005-audit': { up: createAudit },
  '0006-keys': { up: createKeys },
  '0007-team': { up: createTeamTables },
  '0008-call-results': { up: addCallResults },
  '0009-call-apps': { up: addCallApps },
}

interface FirstTables {
  counters: { name: string; value: number }
}

async function createFirstTables(db: Kysely<FirstTables>): Promise<void> {
  const create = (table: string) => db.schema.createTable(table)
  await create('conversations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('agent', 'text')
    .addColumn('model', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('length', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('conversations_by_update').on('conversations').column('updated_at').execute()
  await create('messages')
    .addColumn('conversation', 'text', (column) =>
      column.notNull().references('conversations.id').onDelete('cascade'),
    )
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('messages_key', ['conversation', 'seq'])
    .execute()
  await create('switches')
    .addColumn('conversation', 'text', (column) => column.notNull())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('is_on', 'integer', (column) => column.notNull().check(sql`is_on in (0, 1)`))
    .addColumn('at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('switches_key', ['conversation', 'server'])
    .execute()
  await create('approvals')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('ref', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('entry', 'text', (column) => column.notNull())
    .addColumn('asks', 'text', (column) => column.notNull())
    .addColumn('conversation', 'text')
    .addColumn('at', 'text', (column) => column.notNull())
    .execute()
  await create('questions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('server', 'text')
    .addColumn('conversation', 'text')
    .addColumn('asked', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('asker', 'text', (column) => column.notNull())
    .addColumn('asked_at', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('settled_at', 'text')
    .execute()
  await db.schema.createIndex('questions_by_state').on('questions').columns(['state', 'asked_at']).execute()
  await create('calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('conversation', 'text')
    .addColumn('agent', 'text')
    .addColumn('ref', 'text', (column) => column.notNull())
    .addColumn('args', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('result', 'text', (column) => column.notNull())
    .addColumn('ms', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('calls_by_conversation').on('calls').columns(['conversation', 'at']).execute()
  await db.schema.createIndex('calls_by_time').on('calls').column('at').execute()
  await create('counters')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'integer', (column) => column.notNull())
    .execute()
  await db.insertInto('counters').values({ name: 'memory', value: 0 }).execute()
}

async function addQuestionKeys(db: Kysely<object>): Promise<void> {
  await db.schema.alterTable('questions').addColumn('key', 'text').execute()
  await db.schema.createIndex('questions_by_key').on('questions').column('key').execute()
}

async function addCallMakers(db: Kysely<object>): Promise<void> {
  // One column at a time: SQLite adds no more with one statement.
  await db.schema.alterTable('calls').addColumn('made_by', 'text').execute()
  await db.schema.alterTable('calls').addColumn('error', 'text').execute()
}

async function addCallStarts(
  db: Kysely<{ calls: { at: string; started_at: string | null } }>,
): Promise<void> {
  await db.schema.alterTable('calls').addColumn('started_at', 'text').execute()
  await db.schema.alterTable('calls').addColumn('waited_ms', 'integer').execute()
  // Rows of earlier versions keep their order, which is that of their ends.
  await db
    .updateTable('calls')
    .set((of) => ({ started_at: of.ref('at') }))
    .execute()
  await db.schema.createIndex('calls_by_start').on('calls').columns(['started_at', 'id']).execute()
}

async function createAudit(db: Kysely<object>): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('writer', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('server', 'text')
    .addColumn('outcome', 'text')
    .addColumn('row', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('audit_key', ['writer', 'seq'])
    .execute()
  await db.schema.createIndex('audit_by_time').on('audit').column('at').execute()
}

async function createKeys(db: Kysely<object>): Promise<void> {
  await db.schema
    .createTable('keys')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('views', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('previous_hash', 'text')
    .addColumn('previous_until', 'text')
    .execute()
}

/** What replicas of a gateway share: configurations, counts of quotas, acceptances and sealed logins. */
async function createTeamTables(db: Kysely<FirstTables>): Promise<void> {
  await db.schema
    .createTable('versions')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('made_by', 'text')
    .addColumn('message', 'text')
    .addColumn('copy_of', 'integer')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('quotas')
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('used', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('quotas_key', ['id', 'day'])
    .execute()
  await db.schema
    .createTable('acceptances')
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('acceptances_key', ['key', 'account'])
    .execute()
  await db.schema
    .createTable('logins')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .execute()
  for (const name of ['config', 'keys', 'acceptances', 'logins'])
    await db.insertInto('counters').values({ name, value: 0 }).execute()
}

/** Results as servers sent them, for the apps that show them. */
async function addCallResults(db: Kysely<object>): Promise<void> {
  await db.schema.alterTable('calls').addColumn('raw', 'text').execute()
}

/** The tools whose apps made calls. */
async function addCallApps(db: Kysely<object>): Promise<void> {
  await db.schema.alterTable('calls').addColumn('app', 'text').execute()
}
