import { expect, test } from 'vitest'
import { isCollected } from '../../test/support/collect-garbage.ts'
import { HostError } from '../model/error.ts'
import { auditCall } from './audit-call.ts'
import type { CallAudit } from './audit-call.ts'

const sent = { server: 'shop', method: 'tools/call', sent: false }

/** A call that ends with a question to its client. Returns what records it later, and what the call alone refers to. */
async function askedCall(record: CallAudit) {
  const request = { large: 'x'.repeat(1_000_000) }
  let later = () => undefined as void
  const rounds = {
    question: () => (request.large === '' ? undefined : 'q1'),
    hold: (held: () => void) => {
      later = held
      return true
    },
  }
  await auditCall(
    record,
    {
      name: 'shop__buy',
      tool: undefined,
      args: { n: 1 },
      conversation: undefined,
      agent: undefined,
      clock: { monotonic: () => 0 },
      rounds,
    },
    () => Promise.reject(new HostError('call.cancelled', sent, `asked ${request.large.length}`)),
  ).catch(() => undefined)
  return { later, request: new WeakRef(request) }
}

test('a row that waits for the answer of a client keeps the arguments alone, not the request', async () => {
  const rows: unknown[] = []
  const { later, request } = await askedCall((call, args) => {
    rows.push([call.outcome, args])
  })
  expect(await isCollected(request)).toBe(true)
  later()
  expect(rows).toEqual([['cancelled', { n: 1 }]])
})
