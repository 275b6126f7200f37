import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, importEntry } from './entry.mjs'

// One round of bench/store.mjs in a process of its own: `node measure-store.mjs FOLDER MESSAGES TURNS`.
// Prints the best times in milliseconds as JSON.

const [, , folder, messagesText, turnsText] = process.argv
const [messages, turns] = [Number(messagesText), Number(turnsText)]
const { openStore } = await importEntry('store')
const file = join(folder, 'store.db')
const store = await openStore({ at: { file }, redact: (text) => text })
const { driver } = await store.status()

const { id } = await store.conversations.create({ cwd: folder, title: 'long' })
for (let length = 0; length < messages; length += 500)
  await store.conversations.append(
    id,
    length,
    Array.from({ length: 500 }, (_, at) => message(length + at)),
  )

const readRows = await rowReader()
const opened = { rows: [], conversation: [] }
for (let turn = 0; turn < turns; turn++) {
  opened.rows.push(await timeOf(readRows))
  opened.conversation.push(await timeOf(() => store.conversations.messages(id)))
}

const host = await createHost({
  servers: {
    quick: {
      command: process.execPath,
      args: [fileURLToPath(new URL('servers/stdio.mjs', import.meta.url))],
    },
  },
  settings: false,
})
await host.ready()
const calls = 2000
const plain = { one: [], all: [] }
const recorded = { one: [], all: [] }
for (let turn = 0; turn < turns; turn++) {
  await callOften(plain, () => undefined)
  await callOften(recorded, (n, text) => store.calls.record(call(turn, n, text)))
  await store.calls.flush()
}
const kept = (await store.calls.list({ limit: calls * turns })).length
if (kept !== calls * turns) throw new Error(`${kept} of ${calls * turns} calls were kept`)
await host.close()
await store.close()
console.log(
  JSON.stringify({
    driver,
    rowsMs: Math.min(...opened.rows),
    openMs: Math.min(...opened.conversation),
    plainMs: Math.min(...plain.one),
    recordedMs: Math.min(...recorded.one),
    plainAllMs: Math.min(...plain.all),
    recordedAllMs: Math.min(...recorded.all),
  }),
)

async function timeOf(work) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function message(n) {
  const words = `This is message ${n} of a long conversation. `.repeat(4)
  if (n % 4 === 1)
    return {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: `c${n}`, toolName: 'a__b', input: { n, words } }],
    }
  if (n % 4 === 2)
    return {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `c${n}`,
          toolName: 'a__b',
          output: { type: 'text', value: words },
        },
      ],
    }
  return { role: n % 4 === 0 ? 'user' : 'assistant', content: words }
}

/** The limit: the same rows by the driver alone, with their JSON parsed, because a message is not read before. */
async function rowReader() {
  const sql = 'select seq, role, content, at from messages where conversation = ? order by seq'
  const parse = (rows) =>
    rows.map(({ seq, role, content, at }) => ({ seq, role, content: JSON.parse(content), at }))
  if (driver === 'node:sqlite') {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const database = new DatabaseSync(file)
    return () => parse(database.prepare(sql).all(id))
  }
  const { default: Database } = await import('libsql')
  const database = new Database(file)
  return () => parse(database.prepare(sql).all([id]))
}

/** The median of one call, and the whole time of all, by call: what is written meanwhile counts only in that. */
async function callOften({ one, all }, record) {
  const times = []
  const whole = await timeOf(async () => {
    for (let n = 0; n < calls; n++) {
      const began = performance.now()
      const { text } = await host.call('quick__echo', { text: 'a' })
      record(n, text)
      times.push(performance.now() - began)
    }
  })
  one.push(times.sort((a, b) => a - b)[calls / 2])
  all.push(whole / calls)
}

function call(turn, n, text) {
  return {
    id: `${turn}-${n}`,
    conversation: id,
    ref: 'quick/echo',
    args: { text: 'a' },
    outcome: 'done',
    result: text,
    ms: 1,
    bytes: text.length,
  }
}
