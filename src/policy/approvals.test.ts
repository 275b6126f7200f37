import { describe, expect, test } from 'vitest'
import { findApproval, isGrant, toApproval } from './approvals.ts'

const at = '2026-11-17T00:00:00.000Z'
const question = { ref: 'fs/write', definition: 'sha256:1', entry: 'e', asks: ['a'], conversation: 'c1' }
const { conversation: _, ...subject } = question

test.each([
  ['once', true],
  ['conversation', true],
  ['always', true],
  ['never', false],
  ['', false],
  [true, false],
  [undefined, false],
])('isGrant: %j: %s', (answer, expected) => {
  expect(isGrant(answer)).toBe(expected)
})

test('toApproval: stored is what holds beyond this call', () => {
  expect(toApproval('always', question, at)).toEqual({ ...subject, at })
  expect(toApproval('conversation', question, at)).toEqual({ ...question, at })
  expect(toApproval('conversation', subject, at)).toBeUndefined()
  expect(toApproval('once', question, at)).toBeUndefined()
})

describe('findApproval', () => {
  const approval = { ...question, at }

  test('covers the question that it was given for, and each one with fewer conditions', () => {
    expect(findApproval(question, [approval])).toBe(approval)
    expect(findApproval(question, [{ ...subject, at }])).toEqual({ ...subject, at })
    expect(findApproval({ ...question, asks: [] }, [approval])).toBe(approval)
  })

  test.each([
    ['tool', { ref: 'fs/read' }],
    ['definition', { definition: 'sha256:2' }],
    ['declaration', { entry: 'f' }],
    ['conversation', { conversation: 'c2' }],
    ['condition', { asks: ['a', 'b'] }],
  ])('does not cover another %s', (_what, other) => {
    expect(findApproval({ ...question, ...other }, [approval])).toBeUndefined()
  })
})
