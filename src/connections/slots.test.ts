import { expect, test } from 'vitest'
import { countedSignal, outcomeOf, turn } from '../../test/support/outcome.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { Slots } from './slots.ts'
import type { Urgency } from './slots.ts'

function open(places: number) {
  const clock = createFakeClock()
  const slots = new Slots(clock, places)
  const entered: string[] = []
  const enter = (name: string, urgency: Urgency = 'background', signal = new AbortController().signal) =>
    slots
      .enter(() => urgency, signal)
      .then((leave) => {
        entered.push(name)
        return leave
      })
  return { clock, entered, enter, slots }
}

test('slots: a call goes before lists, also if it comes when its server waits already', async () => {
  const { entered, enter, slots } = open(1)
  const leave = await enter('a')
  void enter('kept open')
  void enter('b', 'listed')
  let urgency: Urgency = 'listed'
  void slots
    .enter(() => urgency, new AbortController().signal)
    .then((next) => {
      entered.push('c')
      next()
    })
  urgency = 'called'
  leave()
  await expect.poll(() => entered).toEqual(['a', 'c', 'b'])
})

test('slots: only so many enter at once, and the others follow in order as slots are released', async () => {
  const { entered, enter } = open(2)
  const first = await enter('a')
  void enter('b')
  void enter('c')
  void enter('d')
  await turn()
  expect(entered).toEqual(['a', 'b'])
  first()
  first()
  await turn()
  expect(entered).toEqual(['a', 'b', 'c'])
})

test('slots: a server with a waiting call goes first', async () => {
  const { entered, enter } = open(1)
  const leave = await enter('a')
  void enter('b')
  void enter('c', 'called')
  leave()
  await turn()
  expect(entered).toEqual(['a', 'c'])
})

test('slots: a slot is free after a second in any case, so eight hanging servers delay no other', async () => {
  const { clock, entered, enter } = open(8)
  for (let index = 1; index <= 9; index++) void enter(`${index}`)
  await clock.advance(999)
  expect(entered).toHaveLength(8)
  await clock.advance(1)
  expect(entered).toHaveLength(9)
  await clock.advance(1000)
  expect(clock.sleeping).toBe(0)
})

test('slots: an aborted request leaves the queue, and no listener stays', async () => {
  const { clock, entered, enter } = open(1)
  const counted = countedSignal()
  const leave = await enter('a')
  const given = outcomeOf(enter('b', 'called', counted.signal))
  void enter('c')
  counted.abort()
  expect(await given).toEqual({ error: 'Error: no longer wanted' })
  leave()
  await turn()
  expect({ entered, listeners: counted.listeners }).toEqual({ entered: ['a', 'c'], listeners: 0 })
  expect(await outcomeOf(enter('d', 'called', counted.signal))).toEqual({ error: 'Error: no longer wanted' })
  await clock.advance(1000)
  await enter('e')
  expect(entered).toEqual(['a', 'c', 'e'])
})
