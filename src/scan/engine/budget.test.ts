import { describe, expect, test } from 'vitest'
import { Budget } from './budget.ts'

describe('Budget', () => {
  test('work is allowed up to its last character, and not beyond it', () => {
    const budget = new Budget(3)
    expect([budget.spend(2), budget.spend(1), budget.isExhausted]).toEqual([true, true, false])
    expect([budget.spend(1), budget.isExhausted]).toEqual([false, true])
  })

  test('an exhausted budget allows no further work, not even none', () => {
    const budget = new Budget(0)
    expect([budget.spend(0), budget.spend(1), budget.spend(0)]).toEqual([true, false, false])
  })

  test('the work of a definition that exhausts its own budget counts for its server', () => {
    const server = new Budget(10)
    const definition = new Budget(5, server)
    expect(definition.spend(8)).toBe(false)
    expect([definition.isExhausted, server.isExhausted]).toEqual([true, false])
    expect([server.spend(2), server.spend(1)]).toEqual([true, false])
  })

  test('a definition that is exhausted costs its server no more', () => {
    const server = new Budget(10)
    const definition = new Budget(5, server)
    expect([definition.spend(6), definition.spend(4), definition.spend(4)]).toEqual([false, false, false])
    expect(server.spend(4)).toBe(true)
  })

  test('a definition within its budget is exhausted with its server', () => {
    const server = new Budget(3)
    const definition = new Budget(5, server)
    expect(definition.spend(4)).toBe(false)
    expect([definition.isExhausted, server.isExhausted]).toEqual([true, true])
  })
})
