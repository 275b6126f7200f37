import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { createHost, importEntry } from './entry.mjs'

// CPU of one step of a turn, and of opening a long conversation:
// node measure-agent.mjs '{"list":"tools.json","count":500,"steps":20,"turns":12,"messages":10000}'
// The sides alternate in one process, with one model object and one server; the best turn of each counts. The figures are
// the last line of stdout, as JSON.

const { list, count, steps, turns, messages } = JSON.parse(process.argv[2])
const { createAgent } = await importEntry('agent')
const { openStore } = await importEntry('store')
const store = await openStore({ at: { file: join(homedir(), 'store.db') }, redact: (text) => text })
const long = await longConversation()
const host = await openHost()
await host.ready()
const definitions = host.tools()
if (definitions.length !== count) throw new Error(`${definitions.length} tools instead of ${count}`)
const called = definitions[Math.floor(count / 2)]

const sides = {
  bareMs: () => bareTurn(() => 'x'.repeat(100)),
  requestMs: () => bareTurn((args) => request(args)),
  agentMs: () => agentTurn({ tools: count, toolShare: 1e6 }),
  keptMs: () => agentTurn({ tools: count, toolShare: 1e6 }, { store }),
  searchMs: () => agentTurn({ tools: 1 }),
}
const opening = { rowsMs: () => store.conversations.messages(long), openMs: openLong }
const best = Object.fromEntries(Object.keys(sides).map((side) => [side, Infinity]))
for (let turn = 0; turn < turns; turn++) {
  for (const [side, run] of Object.entries(sides)) best[side] = Math.min(best[side], (await run()) / steps)
  for (const [side, open] of Object.entries(opening)) {
    const cpu = process.cpuUsage()
    await open()
    best[side] = Math.min(best[side] ?? Infinity, toMs(process.cpuUsage(cpu)))
  }
}
await store.close()
await host.close()
process.stdout.write(`${JSON.stringify(best)}\n`, () => process.exit(0))

/** The loop of the AI SDK with the same definitions. */
async function bareTurn(execute) {
  const tools = Object.fromEntries(
    definitions.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema), execute }),
    ]),
  )
  const cpu = process.cpuUsage()
  const result = streamText({
    model: scriptedModel(called.name),
    tools,
    prompt: 'Go.',
    stopWhen: stepCountIs(steps + 1),
  })
  for await (const part of result.fullStream) if (part.type === 'error') throw part.error
  check((await result.steps).length)
  return toMs(process.cpuUsage(cpu))
}

async function request(args) {
  const { content } = await host.request('server', 'tools/call', {
    name: called.ref.split('/')[1],
    arguments: args,
  })
  return content[0].text
}

/** From the id of a conversation to an agent that has all of its messages. */
async function openLong() {
  const agent = await createAgent({ host, model: longWindow(), store, conversation: long })
  if (agent.messages().length !== messages) throw new Error(`${agent.messages().length} messages`)
}

/** Turns of four messages, with results of usual length. */
async function longConversation() {
  const { id } = await store.conversations.create({ cwd: homedir() })
  const part = (type, number, more) => ({ type, toolCallId: `c${number}`, toolName: 'a__b', ...more })
  const value = 'a line of a result, again and again\n'.repeat(20)
  const turnOf = (number) => [
    { role: 'user', content: [{ type: 'text', text: `Question ${number}` }] },
    { role: 'assistant', content: [part('tool-call', number, { input: { number } })] },
    { role: 'tool', content: [part('tool-result', number, { output: { type: 'text', value } })] },
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${number}` }] },
  ]
  const all = Array.from({ length: messages / 4 }, (_, number) => turnOf(number)).flat()
  await store.conversations.append(id, 0, all)
  return id
}

function longWindow() {
  return { model: scriptedModel(called.name), name: 'scripted', window: 10_000_000 }
}

async function agentTurn(limits, more = {}) {
  const agent = await createAgent({
    ...more,
    host,
    model: longWindow(),
    asks: 'rules',
    limits: { steps: steps + 1, ...limits },
  })
  const cpu = process.cpuUsage()
  const finished = await agent.send('Go.').finished
  const ms = toMs(process.cpuUsage(cpu))
  await agent.close()
  if (finished.outcome !== 'done') throw new Error(`${finished.outcome}: ${finished.reason}`)
  check(finished.steps)
  return ms
}

function check(found) {
  if (found !== steps) throw new Error(`${found} steps instead of ${steps}`)
}

/** Calls a tool in every step but the last one, with other arguments each time. */
function scriptedModel(name) {
  let step = 0
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not streamed')),
    doStream: () => Promise.resolve({ stream: ReadableStream.from(partsOf(name, ++step)) }),
  }
}

function partsOf(toolName, step) {
  const isLast = step === steps
  const id = `call_${step}`
  const input = JSON.stringify({ owner: 'someone', repo: 'something', step })
  const said = isLast
    ? [
        { type: 'text-start', id: 't' },
        ...Array.from({ length: 20 }, (_, index) => ({
          type: 'text-delta',
          id: 't',
          delta: `word ${index} `,
        })),
        { type: 'text-end', id: 't' },
      ]
    : [
        { type: 'tool-input-start', id, toolName },
        { type: 'tool-input-delta', id, delta: input },
        { type: 'tool-input-end', id },
        { type: 'tool-call', toolCallId: id, toolName, input },
      ]
  const usage = {
    inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  }
  const unified = isLast ? 'stop' : 'tool-calls'
  return [
    { type: 'stream-start', warnings: [] },
    ...said,
    { type: 'finish', finishReason: { unified, raw: unified }, usage },
  ]
}

function openHost() {
  const config = join(homedir(), 'servers.json')
  const program = fileURLToPath(new URL('servers/listed.mjs', import.meta.url))
  const server = { command: process.execPath, args: [program, list] }
  writeFileSync(config, JSON.stringify({ mcpServers: { server } }))
  return createHost({ config, trust: 'project' })
}

function toMs({ user, system }) {
  return (user + system) / 1000
}
