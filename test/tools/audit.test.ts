import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Approve, AuditCall, HostOptions, Rule } from '../../src/index.ts'
import { openOwnAudit, openOwnStore } from '../../src/store.ts'
import type { AuditRow } from '../../src/store.ts'
import { newHome, serverWithTools, toolHost } from '../support/tool-host.ts'
import type { ToolHostOptions } from '../support/tool-host.ts'

const note = { name: 'note', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }
const servers = { a: serverWithTools([note, 'read', 'drop']) }

/** Calls tools and returns what a trail of the embedder got. */
async function recorded(
  options: Partial<HostOptions>,
  work: (host: Awaited<ReturnType<typeof toolHost>>['host']) => Promise<unknown>,
): Promise<readonly Omit<AuditCall, 'ms' | 'definition' | 'resultBytes'>[]> {
  const calls: AuditCall[] = []
  const trail = { record: (call: AuditCall) => void calls.push(call), flush: async () => undefined }
  const x = await toolHost(servers, { ...options, audit: { surface: 'test', user: 'ada', trail } })
  try {
    await work(x.host)
  } finally {
    await x.host.close()
  }
  const known = calls.filter(({ error }) => error !== 'tool.unknown')
  expect(known.map(({ definition = '' }) => definition.startsWith('sha256:'))).toEqual(known.map(() => true))
  return calls.map(({ ms: _ms, definition: _definition, resultBytes: _bytes, ...call }) => call)
}

const by = { surface: 'test', user: 'ada' }
const ignore = () => undefined

describe('the audit trail of a host', () => {
  test('a call leaves who, what, the decision and the shape of its arguments, without their values', async () => {
    const calls = await recorded({}, async (host) => {
      const view = await host.scope({ conversation: 'c1' })
      await view.call('a__note', { text: 'private words' })
    })
    expect(calls).toEqual([
      {
        kind: 'call',
        by,
        conversation: 'c1',
        ref: 'a/note',
        server: 'a',
        tool: 'note',
        decision: { effect: 'allow', by: 'default' },
        outcome: 'done',
        argsBytes: 24,
        shape: { text: 'string(13)' },
      },
    ])
    expect(JSON.stringify(calls)).not.toContain('private words')
  })

  test('calls that did not run are recorded with their reason', async () => {
    const policy: readonly Rule[] = [
      { effect: 'deny', tools: ['*__drop'], reason: 'Never.', layer: 'project' },
    ]
    const calls = await recorded({ policy }, async (host) => {
      await host.call('a__drop').catch(ignore)
      await host.call('a__note', { text: 1 }).catch(ignore)
      await host.call('a__nope').catch(ignore)
      await host.call('a__read', {}, { signal: AbortSignal.abort() }).catch(ignore)
    })
    expect(calls.map(({ ref, outcome, error, decision }) => ({ ref, outcome, error, decision }))).toEqual([
      {
        ref: 'a/drop',
        outcome: 'denied',
        error: 'call.denied',
        decision: { effect: 'deny', by: 'rule', layer: 'project' },
      },
      { ref: 'a/note', outcome: 'refused', error: 'call.invalid-args', decision: undefined },
      { ref: 'a__nope', outcome: 'refused', error: 'tool.unknown', decision: undefined },
      {
        ref: 'a/read',
        outcome: 'cancelled',
        error: 'call.cancelled',
        decision: { effect: 'allow', by: 'default' },
      },
    ])
  })

  test('a call that is unanswered when its host closes is recorded', async () => {
    const calls: AuditCall[] = []
    const trail = { record: (call: AuditCall) => void calls.push(call), flush: async () => undefined }
    const silent = { a: serverWithTools(['wait'], { on: { 'tools/call': 'hang' } }) }
    await using x = await toolHost(silent, { audit: { surface: 'test', trail } })
    const started = new Promise<void>((resolve) =>
      x.host.on(({ type }) => (type === 'call.started' ? resolve() : undefined)),
    )
    const called = x.host.call('a__wait').catch(ignore)
    await started
    await x.host.close()
    expect(calls.map(({ ref, outcome, error }) => ({ ref, outcome, error }))).toEqual([
      { ref: 'a/wait', outcome: 'cancelled', error: 'call.cancelled' },
    ])
    await called
  })

  test('a tools/call that is sent as a bare request is recorded, with its size and shape', async () => {
    const calls: AuditCall[] = []
    const trail = { record: (call: AuditCall) => void calls.push(call), flush: async () => undefined }
    await using x = await toolHost(servers, { audit: { surface: 'test', user: 'ada', trail } })
    await x.host.request('a', 'tools/call', { name: 'note', arguments: { text: 'private words' } })
    await x.host.request('a', 'tools/list')
    await x.host.close()
    expect(calls.map(({ ms: _ms, resultBytes: _bytes, ...call }) => call)).toEqual([
      {
        kind: 'call',
        by,
        ref: 'a/note',
        server: 'a',
        tool: 'note',
        decision: { effect: 'allow', by: 'request' },
        outcome: 'done',
        argsBytes: 24,
        shape: { text: 'string(13)' },
      },
    ])
  })

  test('T35 a trail of the embedder gets values only if it asks, and never a known secret', async () => {
    const secret = 'canary-7f3a91d04be2'
    const calls: AuditCall[] = []
    const trail = { record: (call: AuditCall) => void calls.push(call), flush: async () => undefined }
    const withSecret = { a: { ...servers.a, env: { API_TOKEN: secret } } }
    await using x = await toolHost(withSecret, { audit: { surface: 'test', trail, values: true } })
    await x.host.call('a__note', { text: `use ${secret}` })
    await x.host.call('a__note', { text: 'x'.repeat(70_000) })
    await x.host.close()
    expect(calls.map(({ args }) => args)).toEqual([{ text: 'use •••' }, undefined])
  })

  test('T35 arguments that are kept hold no secret of a server that was not started', async () => {
    const secret = 'canary-7f3a91d04be2'
    const calls: AuditCall[] = []
    const trail = { record: (call: AuditCall) => void calls.push(call), flush: async () => undefined }
    const two = { ...servers, b: { command: 'not-started', env: { API_TOKEN: secret }, enabled: true } }
    await using x = await toolHost(two, { audit: { surface: 'test', trail, values: true } })
    await x.host.call('a/note', { text: `use ${secret}` })
    await x.host.close()
    expect(calls.map(({ args }) => args)).toEqual([{ text: 'use •••' }])
  })

  test('what a person answered is recorded: yes, no, and yes with other arguments', async () => {
    const policy: readonly Rule[] = [{ effect: 'ask', tools: ['*__note'] }]
    const answers: Awaited<ReturnType<Approve>>[] = [
      'once',
      'no',
      { grant: 'once', args: { text: 'shorter' } },
    ]
    const approve: Approve = async () => answers.shift() ?? 'no'
    const calls = await recorded({ policy, approve }, async (host) => {
      for (let at = 0; at < 3; at++) await host.call('a__note', { text: 'as asked' }).catch(ignore)
    })
    expect(calls.map(({ outcome, decision, shape }) => [outcome, decision?.answer, shape])).toEqual([
      ['done', 'approved', { text: 'string(8)' }],
      ['denied', 'refused', { text: 'string(8)' }],
      ['done', 'edited', { text: 'string(7)' }],
    ])
  })
})

const folder = (home: string) => join(home, '.local/state/plugboard/audit')
const ownAudit = (home: string) => openOwnAudit({ platform: { home, env: { HOME: home } }, cwd: home })

async function callTwice(home: string, options: Partial<ToolHostOptions> = {}): Promise<void> {
  await using x = await toolHost(servers, { home, audit: { surface: 'test' }, ...options })
  await x.host.call('a__note', { text: 'private words' })
  await x.host.call('a__read')
}

function writeSettings(home: string, settings: object): void {
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  writeFileSync(join(home, '.config/plugboard/settings.json'), JSON.stringify(settings))
}

describe('the person’s own audit trail', () => {
  test('is in private files where there is no store, chained over several programs', async () => {
    const home = newHome()
    await callTwice(home)
    await callTwice(home)
    await using audit = await ownAudit(home)
    expect((await audit.list()).map((row) => row.kind === 'call' && row.ref)).toEqual(
      expect.arrayContaining(['a/read', 'a/note', 'a/read', 'a/note']),
    )
    expect(await audit.verify()).toMatchObject({ rows: 4, writers: 2, problems: [] })
    expect(readFileSync(join(folder(home), 'open.jsonl'), 'utf8')).not.toContain('private words')
  })

  test('is taken into the store where there is one, and pruned there with a checkpoint', async () => {
    const home = newHome()
    const { store } = await openOwnStore({ platform: { home, env: { HOME: home } }, cwd: home })
    await store?.close()
    await callTwice(home)
    await callTwice(home)
    {
      await using audit = await ownAudit(home)
      expect(await audit.verify()).toMatchObject({ rows: 4, writers: 2, problems: [] })
      expect(await audit.list({ server: 'a', limit: 3 })).toHaveLength(3)
      expect(await audit.list({ server: 'b' })).toEqual([])
      expect(existsSync(join(folder(home), 'open.jsonl'))).toBe(false)
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
      expect(await audit.countOld(tomorrow)).toBe(4)
      expect(await audit.prune(tomorrow)).toMatchObject({ removed: 4 })
    }
    await callTwice(home)
    await using audit = await ownAudit(home)
    expect(await audit.verify()).toMatchObject({ rows: 3, problems: [] })
  })

  test('a line that was changed before it was taken into the store is found', async () => {
    const home = newHome()
    const { store } = await openOwnStore({ platform: { home, env: { HOME: home } }, cwd: home })
    await store?.close()
    await callTwice(home)
    const file = join(folder(home), 'open.jsonl')
    const [first = '', last = ''] = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, `${first}\n${last.replace('"ref":', '"was":')}\n`)
    for (const _ of ['as it is taken', 'later']) {
      await using audit = await ownAudit(home)
      expect(await audit.verify()).toMatchObject({ rows: 1, problems: [{ kind: 'changed' }] })
    }
  })

  test('a row that was changed in the store is found', async () => {
    const home = newHome()
    const options = { platform: { home, env: { HOME: home } }, cwd: home }
    const own = await openOwnStore(options)
    await callTwice(home)
    const rows: AuditRow[] = []
    await own.takeAudit?.()
    for await (const row of own.store?.audit.read() ?? []) rows.push(row)
    const [first] = rows
    await own.store?.audit.remove(new Map([[first?.writer ?? '', 2]]))
    await own.store?.audit.add(rows.map((row) => ({ ...row, at: '2020-01-01T00:00:00.000Z' })))
    await own.store?.close()
    await using audit = await ownAudit(home)
    expect((await audit.verify()).problems.map(({ kind }) => kind)).toEqual(['changed', 'changed'])
  })

  test('holds the arguments only if the person asks for them, and nothing if they turn it off', async () => {
    const home = newHome()
    writeSettings(home, { audit: 'values' })
    await callTwice(home)
    expect(readFileSync(join(folder(home), 'open.jsonl'), 'utf8')).toContain('private words')
    const other = newHome()
    writeSettings(other, { audit: 'off' })
    await callTwice(other)
    expect(existsSync(folder(other))).toBe(false)
  })

  test('T142 with sync the row is in the file when the call has its answer, also of calls that fail', async () => {
    const home = newHome()
    writeSettings(home, { audit: { rows: 'values', sync: true } })
    await using x = await toolHost(servers, { home, audit: { surface: 'test' } })
    const outcomes = () =>
      readFileSync(join(folder(home), 'open.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly ref: string }).ref)
    await x.host.call('a__read')
    expect(outcomes()).toEqual(['a/read'])
    await expect(x.host.call('a__nothing')).rejects.toMatchObject({ code: 'tool.unknown' })
    expect(outcomes()).toEqual(['a/read', 'a__nothing'])
    await x.host.request('a', 'tools/call', { name: 'read', arguments: {} })
    expect(outcomes()).toEqual(['a/read', 'a__nothing', 'a/read'])
  })

  test('a library host without the option, and the preset that keeps nothing, write nothing', async () => {
    const home = newHome()
    {
      await using x = await toolHost(servers, { home })
      await x.host.call('a__read')
    }
    {
      await using x = await toolHost(servers, { home, preset: 'boocode', audit: { surface: 'test' } })
      await x.host.call('a_read')
    }
    expect(existsSync(folder(home))).toBe(false)
  })
})
