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

describe('an entry is written in its owner’s words', () => {
  test('our own dialect has a key for everything but approval in advance', () => {
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

  test('what an owner has no key for is left out and named', () => {
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

  test('spellings, the shape of the command and the transport’s word are the owner’s', () => {
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

  test('a url key that names the transport is used without a word', () => {
    const rules: EntryRules = {
      types: { sse: 'sse' },
      untypedUrl: 'sse',
      both: 'refuse',
      keys: { url: ['url', 'httpUrl'] },
      urlMeans: { httpUrl: 'http' },
    }
    expect(toEntry({ name: 'a', transport: { kind: 'http', url: 'https://a' } }, rules).entry).toEqual({
      httpUrl: 'https://a',
    })
    expect(toEntry({ name: 'a', transport: { kind: 'sse', url: 'https://a' } }, rules).entry).toEqual({
      type: 'sse',
      url: 'https://a',
    })
  })

  test('a transport that the owner cannot be told is refused', () => {
    const rules: EntryRules = {
      types: { stdio: 'stdio', sse: 'refused' },
      untypedUrl: 'http',
      both: 'refuse',
    }
    expect(() => toEntry({ name: 'a', transport: { kind: 'sse', url: 'https://a' } }, rules)).toThrow(
      'Invalid server config: this file cannot hold a server over sse.',
    )
  })

  test('an entry that stands there keeps its spellings, its word and its shape', () => {
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

  test('an entry whose endpoint stands under a key keeps it there', () => {
    const rules: EntryRules = { ...minimal, types: { http: 'http' }, nestedUnder: 'transport' }
    const like = { transport: { type: 'http', url: 'https://a' }, disabled: false }
    expect(
      toEntry({ name: 'a', transport: { kind: 'http', url: 'https://b' } }, rules, { like }).entry,
    ).toEqual({
      transport: { type: 'http', url: 'https://b' },
    })
  })
})

describe('timeouts are written in the owner’s unit', () => {
  const server = (timeouts: NewServer['timeouts']): NewServer => ({
    name: 'a',
    transport: { kind: 'stdio', command: 'x' },
    ...(timeouts && { timeouts }),
  })

  test('whole seconds exactly, parts of one rounded up and said', () => {
    const rules: EntryRules = { ...minimal, timeouts: [{ key: 'timeout_s', unit: 's', sets: 'callMs' }] }
    expect(toEntry(server({ callMs: 3000 }), rules)).toEqual({
      entry: { command: 'x', timeout_s: 3 },
      lost: [],
    })
    expect(toEntry(server({ callMs: 1500 }), rules)).toEqual({
      entry: { command: 'x', timeout_s: 2 },
      lost: [{ field: 'timeout', reason: 'timeout_s counts in s: 2 is written.' }],
    })
  })

  test('a value the owner would ignore or clamp is left out and said', () => {
    const rules: EntryRules = {
      ...minimal,
      timeouts: [{ key: 'timeout', unit: 'ms', sets: 'callMs', min: 1000, max: 5000 }],
    }
    expect(toEntry(server({ callMs: 10 }), rules)).toEqual({
      entry: { command: 'x' },
      lost: [{ field: 'timeout', reason: 'timeout cannot be 10 ms.' }],
    })
  })

  test('one key for calls and start holds both only if they agree', () => {
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
      lost: [{ field: 'startupTimeout', reason: 'It is the same key as that for calls, timeout.' }],
    })
  })

  test('an empty allow-list is not written where it would mean every tool', () => {
    const rules: EntryRules = { ...minimal, allowKey: 'tools', emptyAllowMeansAll: true }
    expect(toEntry({ ...server(undefined), tools: { allow: [] } }, rules)).toEqual({
      entry: { command: 'x' },
      lost: [{ field: 'allowedTools', reason: 'An empty list means every tool.' }],
    })
  })
})

describe('C3 the switch', () => {
  const either: EntryRules = { ...minimal, flag: 'either' }

  test('is the owner’s word', () => {
    expect(flagEdit({ ...minimal, flag: 'enabled' }, false)).toEqual({ enabled: false })
    expect(flagEdit({ ...minimal, flag: 'disabled' }, false)).toEqual({ disabled: true })
    expect(flagEdit(minimal, false)).toBe(undefined)
  })

  test('is the word that the entry uses, or both if it uses both', () => {
    expect(flagEdit(either, true, { like: { disabled: true } })).toEqual({ disabled: false })
    expect(flagEdit(either, true, { like: { enabled: false, disabled: true } })).toEqual({
      enabled: true,
      disabled: false,
    })
    expect(flagEdit(either, false, { flag: 'disabled' })).toEqual({ disabled: true })
  })

  test('is not written where a server is on without it', () => {
    expect(flagEdit(either, true)).toEqual({})
  })
})
