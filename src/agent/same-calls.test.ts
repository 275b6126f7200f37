import { describe, expect, test } from 'vitest'
import type { StepCall } from './model-step.ts'
import { SameCalls, withoutSameNote } from './same-calls.ts'

const callOf = (input: unknown, name = 'notes__read'): StepCall => ({
  id: '1',
  name,
  storedName: name,
  input,
})

/** Makes one call and returns what the model reads behind its result. */
function noteOf(calls: SameCalls, text: string, call = callOf({ id: 1 })): string {
  expect(calls.refusal(call)).toBeUndefined()
  return calls.note(call, text)
}

const noteFor = (count: number) =>
  `\n\n[This is call ${count} with the same arguments and the same result. Do something else, or answer.]`

describe('SameCalls', () => {
  test('beyond the first limit the model is told, beyond the second the call does not run', () => {
    const calls = new SameCalls({ sameCalls: 1, maxSameCalls: 2 })
    expect([noteOf(calls, 'empty'), noteOf(calls, 'empty')]).toEqual(['', noteFor(2)])
    expect(calls.isExceeded).toBe(false)
    const refused = callOf({ id: 1 })
    expect(calls.refusal(refused)).toBe(
      'Not run: this call was made 2 times with the same arguments and the same result.',
    )
    expect(calls.isExceeded).toBe(true)
    expect(calls.note(refused, 'empty')).toBe('')
  })

  test('a new result begins a new count', () => {
    const calls = new SameCalls({ sameCalls: 1, maxSameCalls: 2 })
    const results = ['10 %', '20 %', '30 %', '30 %']
    expect(results.map((text) => noteOf(calls, text))).toEqual(['', '', '', noteFor(2)])
    expect(calls.refusal(callOf({ id: 1 }))).toBeDefined()
  })

  test('other arguments and other tools have counts of their own', () => {
    const calls = new SameCalls({ sameCalls: 1, maxSameCalls: 1 })
    const others = [callOf({ id: 1 }), callOf({ id: 2 }), callOf(undefined), callOf({ id: 1 }, 'notes__find')]
    expect(others.map((call) => noteOf(calls, 'empty', call))).toEqual(['', '', '', ''])
  })

  test('a call that was never counted has no note', () => {
    expect(new SameCalls({ sameCalls: 0, maxSameCalls: 9 }).note(callOf({}), 'empty')).toBe('')
  })
})

test('withoutSameNote: only the sentence at the end is removed', () => {
  expect(withoutSameNote(`empty${noteFor(12)}`)).toBe('empty')
  expect(withoutSameNote(`${noteFor(12)} and more`)).toBe(`${noteFor(12)} and more`)
})
