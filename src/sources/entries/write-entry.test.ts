import { describe, expect, test } from 'vitest'
import { plugboardRules } from '../clients/plugboard/plugboard.ts'
import type { EntryRules } from './entry-rules.ts'
import { flagEdit, toEntry } from './write-entry.ts'
import type { NewServer } from './write-rules.ts'

const noKey = 'There is no key for it.'

const full: NewServer = {
  name: 'docs',
  transport: {
    kind: 'stdio',
    command: 'npx',
    args: ['-y', 'docs@1.2.0'],
    env: { MODE: 'fast' },
    cwd: '/srv',
    envFile: '.env',
  },
  enabled: false,
  timeouts: { callMs: 90_000, startupMs: 1500, idleMs: 60_000 },
  tools: { allow: ['search'], deny: ['delete'], autoApprove: ['search'] },
  title: 'Docs',
  description: 'Our documents',
  auth: { type: 'oauth' },
}

const minimal: EntryRules = { types: {}, untypedUrl: 'http', both: 'refuse' }

describe('toEntry', () => {
  test('plugboard has a key for everything except autoApprove', () => {
    const auth = (value: NonNullable<NewServer['auth']>) => ({ auth: { type: value.type } })
    expect(toEntry(full, plugboardRules, { auth })).toEqual({
      entry: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'docs@1.2.0'],
        env: { MODE: 'fast' },
        cwd: '/srv',
        envFile: '.env',
        enabled: false,
        timeout: 90_000,
        startupTimeout: 1500,
        idleStopMs: 60_000,
        allowedTools: ['search'],
        deniedTools: ['delete'],
        title: 'Docs',
        description: 'Our documents',
        auth: { type: 'oauth' },
      },
      lost: [{ field: 'autoApprove', reason: noKey }],
    })
  })

  test('fields without a key are omitted and listed as lost', () => {
    expect(toEntry(full, { ...minimal, keys: { cwd: null } })).toEqual({
      entry: { command: 'npx', args: ['-y', 'docs@1.2.0'], env: { MODE: 'fast' } },
      lost: [
        { field: 'auth', reason: noKey },
        { field: 'cwd', reason: noKey },
        { field: 'envFile', reason: noKey },
        { field: 'enabled', reason: noKey },
        { field: 'timeout', reason: noKey },
        { field: 'startupTimeout', reason: noKey },
        { field: 'idleStopMs', reason: noKey },
        { field: 'allowedTools', reason: noKey },
        { field: 'deniedTools', reason: noKey },
        { field: 'autoApprove', reason: noKey },
        { field: 'title', reason: noKey },
        { field: 'description', reason: noKey },
      ],
    })
  })

  test('key spellings, the shape of the command and the type follow the client', () => {
    const rules: EntryRules = {
      types: { local: 'stdio', remote: 'http+sse' },
      untypedUrl: 'refused',
      both: 'refuse',
      commandShape: 'list',
      keys: { env: ['environment'], url: ['uri', 'url'], headers: ['http_headers'] },
    }
    expect(
      toEntry({ name: 'a', transport: { kind: 'stdio', command: 'x', args: ['y'], env: { A: '1' } } }, rules)
        .entry,
    ).toEqual({
      type: 'local',
      command: ['x', 'y'],
      environment: { A: '1' },
    })
    expect(
      toEntry({ name: 'a', transport: { kind: 'http', url: 'https://a', headers: { B: '2' } } }, rules).entry,
    ).toEqual({
      type: 'remote',
      uri: 'https://a',
      http_headers: { B: '2' },
    })
  })

  test('a url key that implies the transport is written without a type', () => {
    const rules: EntryRules = {
      types: { sse: 'sse' },
      untypedUrl: 'sse',
      both: 'refuse',
      keys: { url: ['url', 'httpUrl'] },
      meaningOfUrlKey: { httpUrl: 'http' },
    }
    expect(toEntry({ name: 'a', transport: { kind: 'http', url: 'https://a' } }, rules).entry).toEqual({
      httpUrl: 'https://a',
    })
    expect(toEntry({ name: 'a', transport: { kind: 'sse', url: 'https://a' } }, rules).entry).toEqual({
      type: 'sse',
      url: 'https://a',
    })
  })

  test('a transport that the client cannot express is refused', () => {
    const rules: EntryRules = {
      types: { stdio: 'stdio', sse: 'refused' },
      untypedUrl: 'http',
      both: 'refuse',
    }
    expect(() => toEntry({ name: 'a', transport: { kind: 'sse', url: 'https://a' } }, rules)).toThrow(
      'Invalid server config: this file cannot hold a server over sse.',
    )
  })

  test('an existing entry keeps its key spellings, its type and its shape', () => {
    const transport = { kind: 'http', url: 'https://b' } as const
    const like = { transport: 'streamable-http', serverUrl: 'https://a' }
    expect(toEntry({ name: 'a', transport }, plugboardRules, { like }).entry).toEqual({
      transport: 'streamable-http',
      serverUrl: 'https://b',
    })
    expect(toEntry({ name: 'a', transport }, plugboardRules, { like: { url: 'https://a' } }).entry).toEqual({
      url: 'https://b',
    })
    const local = { kind: 'stdio', command: 'x', args: ['y'] } as const
    expect(
      toEntry({ name: 'a', transport: local }, plugboardRules, { like: { command: ['w'] } }).entry,
    ).toEqual({
      command: ['x', 'y'],
    })
  })

  test('an existing entry with a nested endpoint keeps it nested', () => {
    const rules: EntryRules = { ...minimal, types: { http: 'http' }, nestedUnder: 'transport' }
    const like = { transport: { type: 'http', url: 'https://a' }, disabled: false }
    expect(
      toEntry({ name: 'a', transport: { kind: 'http', url: 'https://b' } }, rules, { like }).entry,
    ).toEqual({
      transport: { type: 'http', url: 'https://b' },
    })
  })
})

describe('toEntry: timeouts', () => {
  const server = (timeouts: NewServer['timeouts']): NewServer => ({
    name: 'a',
    transport: { kind: 'stdio', command: 'x' },
    ...(timeouts && { timeouts }),
  })

  test('whole seconds are written exactly, fractions are rounded up and listed as lost', () => {
    const rules: EntryRules = { ...minimal, timeouts: [{ key: 'timeout_s', unit: 's', sets: 'callMs' }] }
    expect(toEntry(server({ callMs: 3000 }), rules)).toEqual({
      entry: { command: 'x', timeout_s: 3 },
      lost: [],
    })
    expect(toEntry(server({ callMs: 1500 }), rules)).toEqual({
      entry: { command: 'x', timeout_s: 2 },
      lost: [{ field: 'timeout', reason: 'timeout_s is in s; 2 is written.' }],
    })
  })

  test('a value that the client would ignore or clamp is omitted and listed as lost', () => {
    const rules: EntryRules = {
      ...minimal,
      timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs', min: 1000, max: 5000 }],
    }
    expect(toEntry(server({ callMs: 10 }), rules)).toEqual({
      entry: { command: 'x' },
      lost: [{ field: 'timeout', reason: 'timeout cannot be 10 ms.' }],
    })
  })

  test('a shared key for calls and startup holds both only if they are equal', () => {
    const rules: EntryRules = {
      ...minimal,
      timeouts: [{ key: 'timeout', unit: 'ms', sets: 'call-and-startup' }],
    }
    expect(toEntry(server({ callMs: 10, startupMs: 10 }), rules)).toEqual({
      entry: { command: 'x', timeout: 10 },
      lost: [],
    })
    expect(toEntry(server({ callMs: 10, startupMs: 20 }), rules)).toEqual({
      entry: { command: 'x', timeout: 10 },
      lost: [{ field: 'startupTimeout', reason: 'It shares the key timeout with the timeout of calls.' }],
    })
  })

  test('an empty allow list is omitted if the client reads it as every tool', () => {
    const rules: EntryRules = { ...minimal, allowKey: 'tools', emptyAllowMeansAll: true }
    expect(toEntry({ ...server(undefined), tools: { allow: [] } }, rules)).toEqual({
      entry: { command: 'x' },
      lost: [{ field: 'allowedTools', reason: 'An empty list means every tool.' }],
    })
  })
})

describe('C3 flagEdit', () => {
  const either: EntryRules = { ...minimal, flag: 'either' }

  test('writes the client’s key', () => {
    expect(flagEdit({ ...minimal, flag: 'enabled' }, false)).toEqual({ enabled: false })
    expect(flagEdit({ ...minimal, flag: 'disabled' }, false)).toEqual({ disabled: true })
    expect(flagEdit(minimal, false)).toBe(undefined)
  })

  test('writes the key that the entry uses, or both if it uses both', () => {
    expect(flagEdit(either, true, { like: { disabled: true } })).toEqual({ disabled: false })
    expect(flagEdit(either, true, { like: { enabled: false, disabled: true } })).toEqual({
      enabled: true,
      disabled: false,
    })
    expect(flagEdit(either, false, { flag: 'disabled' })).toEqual({ disabled: true })
  })

  test('writes nothing if the server is on without it', () => {
    expect(flagEdit(either, true)).toEqual({})
  })
})
