import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/index.ts'
import { inTurn, recordingHost } from '../adapters/recording-host.ts'
import type { RunCall } from '../adapters/recording-host.ts'

/** Checks that an adapter's calls queue for each server, and that a cancelled one is never sent. */
export function describeSerial(name: string, adapt: (host: Host) => Promise<RunCall>): void {
  describe(`${name}: calls in line`, () => {
    test('C25 calls of one server run one at a time', async () => {
      await using x = await recordingHost()
      const run = await adapt(x.host)
      await Promise.all([run('x__one'), run('x__two'), run('x__three')])
      expect(x.log).toEqual(inTurn('x/one', 'x/two', 'x/three'))
    })

    test('C18 a call that is cancelled in line never reaches the server', async () => {
      await using x = await recordingHost()
      const run = await adapt(x.host)
      const cancel = new AbortController()
      const calls = [run('x__one'), run('x__two', cancel.signal), run('x__three')]
      cancel.abort()
      await Promise.allSettled(calls)
      expect(x.log).toEqual(inTurn('x/one', 'x/three'))
    })
  })
}
