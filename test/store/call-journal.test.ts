import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostError } from '../../src/index.ts'
import { openOwnStore } from '../../src/store.ts'
import { recordCall } from '../../src/surfaces/cli/output/record-call.ts'
import type { EndedCall } from '../../src/surfaces/cli/output/record-call.ts'

let home: string
let journal: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'plugboard-journal-'))
  journal = join(home, 'state', 'plugboard', 'calls.jsonl')
})
afterEach(() => {
  rmSync(home, { recursive: true })
})

const place = () => ({ home, env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } })
const open = () => openOwnStore({ platform: place(), cwd: home })

const result = { text: 'the text', blocks: [], failed: false, ref: 'x/echo', ms: 3 }
const ended: EndedCall = {
  ref: 'x/echo',
  args: { text: 'hunter2' },
  by: 'terminal',
  ms: 3,
  outcome: { result },
}
const host = {
  knowSecrets: async () => undefined,
  redact: (text: string) => text.replaceAll('hunter2', '•••'),
}

test('a call is not kept where no store was opened yet', async () => {
  await recordCall(ended, host, place())
  expect(existsSync(journal)).toBe(false)
})

test('calls of commands are taken into the store by the next program that opens it, without secrets, once', async () => {
  const first = await open()
  expect(statSync(journal).mode & 0o777).toBe(0o600)
  await recordCall(ended, host, place())
  const error = new HostError('call.denied', { ref: 'x/echo', reason: 'no' }, 'It was not called.', {
    hint: 'Ask.',
  })
  await recordCall({ ...ended, by: 'program', outcome: { error } }, host, place())
  expect(readFileSync(journal, 'utf8')).not.toContain('hunter2')
  const second = await open()
  const calls = (await second.store?.calls.list()) ?? []
  expect(
    calls.map(({ by, ref, args, outcome, result: text, error: why }) => ({
      by,
      ref,
      args,
      outcome,
      text,
      why,
    })),
  ).toEqual(
    expect.arrayContaining([
      {
        by: 'terminal',
        ref: 'x/echo',
        args: { text: '•••' },
        outcome: 'done',
        text: 'the text',
        why: undefined,
      },
      {
        by: 'program',
        ref: 'x/echo',
        args: { text: '•••' },
        outcome: 'denied',
        text: 'It was not called.',
        why: { code: 'call.denied', message: 'It was not called.', hint: 'Ask.' },
      },
    ]),
  )
  expect(calls).toHaveLength(2)
  expect(statSync(journal).size).toBe(0)
  expect(await first.takeCalls?.()).toBe(0)
  await recordCall(ended, host, place())
  expect(await first.takeCalls?.()).toBe(1)
  expect(await first.store?.calls.list()).toHaveLength(3)
  await first.store?.close()
  await second.store?.close()
})

test('a line that was cut off costs no other, and what a killed program left is taken too', async () => {
  const first = await open()
  await recordCall(ended, host, place())
  writeFileSync(`${journal}.taking`, readFileSync(journal, 'utf8').replace('echo', 'left'), { mode: 0o600 })
  appendFileSync(journal, '{"id":"cut","ref":"x/ec\n["no call"]\n{"id":1}\n')
  expect(await first.takeCalls?.()).toBe(2)
  expect(existsSync(`${journal}.taking`)).toBe(false)
  await first.store?.close()
})

test('T54 a journal that others can read, as one of a project, is not written', async () => {
  const { store } = await open()
  chmodSync(journal, 0o644)
  await recordCall(ended, host, place())
  expect(statSync(journal).size).toBe(0)
  await store?.close()
})
