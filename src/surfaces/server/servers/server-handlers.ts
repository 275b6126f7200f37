import { HostError, clearServerCache, readServerLog } from '../../../index.ts'
import type { Server } from '../../../index.ts'
import { findServer } from '../../../internal.ts'
import type { ServerRow } from '../../api/server-routes.ts'
import { countWord } from '../../facts/count-word.ts'
import { stateOrder } from '../../facts/state-totals.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { shortPath } from '../../terminal/terminal-output.ts'
import type { Handlers } from '../handler.ts'
import { readCount } from '../read-count.ts'
import type { ServeContext } from '../serve-context.ts'
import { applyChanges } from './apply-changes.ts'
import { countProblems } from './config-problems.ts'
import { describeServer } from './server-detail.ts'
import { recordOf } from './server-record.ts'
import { inputsOf, rowOf, serverRows } from './server-rows.ts'

const usualLines = 200
const maxLines = 5000

export const serverHandlers = {
  'GET /api/servers': async (context) => {
    const { cwd, home, host } = context
    await recordOf(context).readKnown()
    const servers = serverRows(context)
    return {
      cwd,
      shownCwd: cwd === home ? '~' : shortPath(cwd, { cwd: '/', home }),
      summary: summarize(servers),
      servers,
      problems: countProblems(host.discovery),
    }
  },

  'GET /api/servers/:server': (context, { params }) => describeServer(context, params.server),

  'POST /api/servers/:server/start': async (context, { params }, { signal }) => {
    const { name } = findServer(context.host.discovery, params.server)
    await stateSaysWhy(context, name, async () => {
      await context.host.connect(name, { signal })
      await context.host.ready({ servers: [name], from: 'servers', signal })
    })
    return answerRow(context, name)
  },

  'POST /api/servers/:server/stop': async (context, { params }) => {
    const { name } = findServer(context.host.discovery, params.server)
    await context.host.stop(name)
    return answerRow(context, name)
  },

  'POST /api/servers/:server/restart': async (context, { params }, { signal }) => {
    const { name } = findServer(context.host.discovery, params.server)
    await stateSaysWhy(context, name, () => context.host.restart(name, { signal }))
    return answerRow(context, name)
  },

  'DELETE /api/servers/:server/cache': async ({ host, discover, cwd }, { params }) => {
    const server = findServer(host.discovery, params.server)
    return { cleared: await clearServerCache([server], { ...discover, cwd }) }
  },

  'GET /api/servers/:server/log': async ({ host, discover, cwd }, { params, query }) => {
    const server = findServer(host.discovery, params.server)
    const lines = readCount(query?.lines, usualLines, { name: 'lines', least: 1, most: maxLines })
    const found = await readServerLog(server, { ...discover, cwd, lines })
    return { lines: found.map(({ at, host: pid, text }) => ({ at, host: pid, text: escapeLine(text) })) }
  },

  'PUT /api/servers/:server/inputs/:input': async (context, { params, body }) => {
    const { host, inputs } = context
    const server = findServer(host.discovery, params.server)
    const { id, name } = server
    checkAnswer(server, params.input, body.value)
    const answers = inputs.get(id) ?? new Map<string, string>()
    inputs.set(id, answers.set(params.input, body.value))
    const state = host.servers().find((each) => each.name === name)?.status.state
    // It failed without the answer; how the start goes on is in the events.
    if (state === 'failed' || state === 'waiting') host.restart(name).catch(() => undefined)
    return answerRow(context, name)
  },

  'POST /api/reload': async ({ host }) => {
    await applyChanges(host)
    return { servers: host.servers().length, problems: countProblems(host.discovery) }
  },
} satisfies Partial<Handlers>

const maxAnswer = 16_384

function checkAnswer(server: Server, id: string, value: string): void {
  const input = inputsOf(server).find((each) => each.id === id)
  if (!input) throw new HostError('usage', {}, `"${server.name}" has no such input.`)
  if (value.length > maxAnswer)
    throw new HostError('usage', {}, `An answer has at most ${maxAnswer} characters.`)
  const { choices, multiple = false } = input
  if (choices && !multiple && !choices.includes(value))
    throw new HostError('usage', {}, `Choose one of: ${choices.map(escapeLine).join(', ')}.`)
}

/** How many servers are in which state: `4 ready · 1 failed`. */
function summarize(servers: readonly ServerRow[]): string {
  const counts = new Map<string, number>()
  const rankOf = ({ state }: ServerRow) => stateOrder.indexOf(state.state)
  for (const { state } of servers.toSorted((a, b) => rankOf(a) - rankOf(b)))
    counts.set(state.word, (counts.get(state.word) ?? 0) + 1)
  return [...counts].map(([word, count]) => countWord(count, word)).join(' · ')
}

function answerRow(context: ServeContext, name: string): { readonly server: ServerRow } {
  return { server: rowOf(context, name) }
}

/** A start that fails is an answer: the state of the server has the reason and the next step. */
async function stateSaysWhy(
  { host }: ServeContext,
  name: string,
  start: () => Promise<unknown>,
): Promise<void> {
  try {
    await start()
  } catch (error) {
    const { status } = host.servers().find((each) => each.name === name) ?? {}
    if (!status || !('failure' in status)) throw error
  }
}
