import { expect, test } from 'vitest'
import { createMemoryQuestions } from './memory-questions.ts'

const asked = { kind: 'approval', server: 'x', asked: { ref: 'x/save' } } as const

test('questions in memory are answered once, and the one that asked learns of it', async () => {
  const questions = createMemoryQuestions()
  const { id } = await questions.ask(asked)
  const settled = questions.settled(id)
  expect(await questions.list({ state: 'pending' })).toMatchObject([{ id, isWaiting: true }])
  expect(await questions.answer(id, 'once')).toBe(true)
  expect(await questions.answer(id, 'no')).toBe(false)
  expect(await settled).toMatchObject({ id, state: 'answered', answer: 'once' })
  expect([await questions.take(id, 'kept'), await questions.take(id, 'again')]).toEqual([true, false])
  expect(await questions.get(id)).toMatchObject({ answer: 'kept' })
})

test('a question in memory that was left is taken over by the same question, with its answer', async () => {
  const questions = createMemoryQuestions()
  const { id } = await questions.ask({ ...asked, key: 'k' })
  await questions.leave(id)
  await questions.answer(id, 'once')
  expect(await questions.ask({ ...asked, key: 'k' })).toMatchObject({ id, state: 'answered' })
  await questions.take(id, 'once')
  expect((await questions.ask({ ...asked, key: 'k' })).id).not.toBe(id)
})

test('who stops waiting for a question in memory is released', async () => {
  const questions = createMemoryQuestions()
  const { id } = await questions.ask(asked)
  const stopped = new AbortController()
  const settled = questions.settled(id, stopped.signal)
  stopped.abort(new Error('enough'))
  await expect(settled).rejects.toThrow('enough')
  expect(await questions.withdraw(id)).toBe(true)
  expect(await questions.settled(id)).toMatchObject({ state: 'withdrawn' })
})
