import { randomUUID } from 'node:crypto'
import { login as logIn, logout as logOut } from '../../../auth.ts'
import type { LoginStep } from '../../../auth.ts'
import { HostError } from '../../../index.ts'
import type { Server } from '../../../index.ts'
import { findServer } from '../../../internal.ts'
import type { LoginProgress } from '../../api/server-routes.ts'
import { quote } from '../../terminal/argv.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { recordOf } from './server-record.ts'

/** A login that is not finished by then has ended. */
const maxLoginMs = 10 * 60_000

type LoginFlow = NonNullable<LoginProgress['flow']>

export const loginHandlers = {
  'POST /api/servers/:server/login': async (context, { params, query }) => {
    const flow: LoginFlow = query?.flow ?? 'browser'
    const server = findServer(context.host.discovery, params.server)
    const running = runningOf(context).get(server.name)
    if (running?.flow === flow) return running.begun
    // Another way to log in takes the place of the one before.
    running?.end.abort()
    return beginLogin(context, server, flow).begun
  },

  'PUT /api/servers/:server/login/address': async (context, { params, body: { address } }) => {
    const server = findServer(context.host.discovery, params.server)
    const running = runningOf(context).get(server.name)
    const give = running?.give
    if (!running || !give)
      throw new HostError('usage', {}, `No login to "${server.name}" waits for an address.`, {
        hint: `Begin one: plugboard login --paste ${quote(server.name)}`,
      })
    delete running.give
    give(address)
    return running.begun
  },

  'DELETE /api/servers/:server/login': async (context, { params }) => {
    const { host, discover, cwd } = context
    const server = findServer(host.discovery, params.server)
    const gone = await logOut(server, { ...discover, cwd })
    // Its connection still uses the former credential. How that goes on is in the events.
    if (gone.length > 0) host.restart(server.name).catch(() => undefined)
    return { accounts: gone.map(({ account }) => escapeLine(account)) }
  },
} satisfies Partial<Handlers>

/** A login that has not ended, by the name of its server. */
interface RunningLogin {
  readonly flow: LoginFlow
  readonly end: AbortController
  /** With the page that the person has to open. */
  readonly begun: Promise<LoginProgress>
  /** Takes the pasted address, while one is asked for. */
  give?: (address: string) => void
}

const runningLogins = new WeakMap<ServeContext, Map<string, RunningLogin>>()

function runningOf(context: ServeContext): Map<string, RunningLogin> {
  const running = runningLogins.get(context) ?? new Map<string, RunningLogin>()
  runningLogins.set(context, running)
  return running
}

/**
 * Begins a login, and answers with the page that the person has to open. Their browser opens it, not this program: the page
 * of `serve` may be open on another machine.
 */
function beginLogin(context: ServeContext, server: Server, flow: LoginFlow): RunningLogin {
  const { discover, cwd, inputs, signal } = context
  const { name } = server
  const id = randomUUID()
  const end = new AbortController()
  let resolve: (begun: LoginProgress) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const begun = new Promise<LoginProgress>((yes, no) => ([resolve, reject] = [yes, no]))
  const running: RunningLogin = { flow, end, begun }
  runningOf(context).set(name, running)
  let waiting: LoginProgress | undefined
  let asked = 0
  const publish = (progress: LoginProgress): void => {
    keep(context, progress)
    resolve(progress)
  }
  const leave = (): void => {
    if (runningOf(context).get(name) === running) runningOf(context).delete(name)
  }
  const tell = (step: LoginStep): void => {
    if (step.type === 'exchanging') return
    waiting = { id, server: name, state: 'waiting', flow, ...placeOf(step) }
    publish(waiting)
  }
  const paste = (question: string): Promise<string> => {
    // It is asked again where the address was not of this login.
    if (asked++ > 0 && waiting)
      publish({ ...waiting, error: { code: 'login.failed', message: escapeLine(question) } })
    return new Promise((give) => (running.give = give))
  }
  logIn(server, {
    ...discover,
    cwd,
    flow,
    open: async () => false,
    paste,
    tell,
    timeoutMs: maxLoginMs,
    answers: async ({ id }, input) => inputs.get(id)?.get(input.id),
    signal: AbortSignal.any([signal, end.signal]),
  }).then(
    async ({ account }) => {
      leave()
      publish({ id, server: name, state: 'done', account: escapeLine(account) })
      await settleLogins(context, name).catch(() => undefined)
      await context.host.restart(name).catch(() => undefined)
    },
    (error: unknown) => {
      leave()
      const { code, message, hint } = error instanceof HostError ? error : unexpected(error)
      const fault = {
        code,
        message: escapeLine(message),
        ...(hint !== undefined && { hint: escapeLine(hint) }),
      }
      // A login that was left before it began has not been shown.
      if (waiting || !end.signal.aborted) keep(context, { id, server: name, state: 'failed', error: fault })
      reject(error instanceof Error ? error : new Error(String(error)))
    },
  )
  return running
}

function unexpected(error: unknown): HostError {
  return new HostError('login.failed', { server: '', reason: 'unusable' }, String(error))
}

function placeOf(step: Exclude<LoginStep, { type: 'exchanging' }>): Partial<LoginProgress> {
  const { host } = new URL(step.url)
  if (step.type !== 'device') return { url: step.url, host }
  return { url: step.completeUrl ?? step.url, host, code: step.code, expiresAt: step.expiresAt }
}

/** Logins that have ended are kept for a page that reads them later, but not all of them. */
const maxKept = 20

function keep(context: ServeContext, progress: LoginProgress): void {
  const { logins } = recordOf(context)
  logins.set(progress.id, progress)
  const ended = [...logins.values()].filter(({ state }) => state !== 'waiting')
  for (const { id } of ended.slice(0, -maxKept)) logins.delete(id)
  context.feed.publish({ type: 'login.changed', login: progress })
}

/** Answers the questions for this login, which may wait in several programs. */
async function settleLogins({ store: open }: ServeContext, server: string): Promise<void> {
  const { store } = await open()
  for (const question of (await store?.questions.list({ state: 'pending' })) ?? [])
    if (question.kind === 'login' && question.server === server)
      await store?.questions.answer(question.id, true)
}
