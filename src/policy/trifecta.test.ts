import { describe, expect, test } from 'vitest'
import type { ToolLabel } from '../model/tool-label.ts'
import { isArmed, noteResult, riskOf } from './trifecta.ts'
import type { InformationFlow } from './trifecta.ts'

function flowOf(...results: readonly (readonly [string, ...ToolLabel[]])[]): InformationFlow {
  const flow: InformationFlow = {}
  for (const [ref, ...labels] of results) noteResult(flow, ref, labels)
  return flow
}

const armed = flowOf(['web/fetch', 'untrusted-in'], ['mail/read', 'private-data'])

describe('T15 what came into a conversation', () => {
  test('T15 the first tool of each kind names the way', () => {
    const again = flowOf(
      ['web/fetch', 'untrusted-in'],
      ['web/other', 'untrusted-in'],
      ['mail/read', 'private-data'],
      ['mail/other', 'private-data', 'way-out'],
    )
    expect(again).toEqual({ untrusted: 'web/fetch', private: 'mail/read' })
    expect(flowOf(['mail/send', 'way-out'])).toEqual({})
  })

  test('T15 a way out completes the three only after both of the others', () => {
    expect(isArmed(armed)).toBe(true)
    expect(isArmed(flowOf(['web/fetch', 'untrusted-in']))).toBe(false)
    expect(isArmed(flowOf(['mail/read', 'private-data']))).toBe(false)
  })
})

describe('T15 riskOf', () => {
  test('T15 a way out is a risk, with its path and what an approval has to cover', () => {
    expect(riskOf(armed, 'mail/send', ['private-data', 'way-out'], 'ask')).toEqual({
      mode: 'ask',
      path: { untrusted: 'web/fetch', private: 'mail/read', out: 'mail/send' },
      reason:
        'In this conversation web/fetch has brought in text that strangers wrote, and mail/read private data; mail/send could carry it out.',
      condition: 'trifecta web/fetch mail/read',
    })
  })

  test('T15 one tool can bring in both', () => {
    const both = flowOf(['mail/read', 'private-data', 'untrusted-in'])
    expect(riskOf(both, 'mail/send', ['way-out'], 'warn')?.reason).toBe(
      'In this conversation mail/read has brought in private data and text that strangers wrote; mail/send could carry it out.',
    )
  })

  test('T15 there is none when it is off, without a way out, or before both came in', () => {
    expect(riskOf(armed, 'mail/send', ['way-out'], 'off')).toBeUndefined()
    expect(riskOf(armed, 'web/fetch', ['untrusted-in', 'private-data'], 'ask')).toBeUndefined()
    expect(riskOf(flowOf(['web/fetch', 'untrusted-in']), 'mail/send', ['way-out'], 'ask')).toBeUndefined()
  })
})
