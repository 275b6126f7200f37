import { describe, expect, test } from 'vitest'
import { HostError } from '../model/error.ts'
import type { FailureCode } from '../model/status.ts'
import { SpawnError } from '../platform/platform.ts'
import { RpcError, WireError } from '../wire/wire-error.ts'
import { isFinal, toFailure } from './failure.ts'

const told = (error: unknown, server = 'x') => toFailure(error, { server, at: 7 })

describe('toFailure', () => {
  test('contains the known facts and the next step', () => {
    const exit = { code: 3, signal: null }
    expect(told(new WireError('exit', 'It ended.', { facts: { exit, stderr: ['a', 'b'] } }))).toEqual({
      code: 'exit',
      message: 'It ended.',
      hint: 'See its output: plugboard logs x',
      exit,
      stderr: ['a', 'b'],
      at: 7,
    })
    expect(told(new WireError('rate', 'HTTP 429', { facts: { stderr: [], retryAfterMs: 100 } }))).toEqual({
      code: 'rate',
      message: 'HTTP 429',
      hint: 'The server limits requests. Try again later.',
      retryAt: 107,
      at: 7,
    })
  })

  test('T17 the server’s own text in it has no hidden characters and no control sequences', () => {
    const words = 'no: \u{200B}\u{200B}\u{200B}x\u{202E}y\u{E0041}\u001B[31mred'
    expect(told(new RpcError(-32000, words)).message).toBe('It answered: no: xyred')
  })

  test('every code has a next step, with the server name quoted for a shell', () => {
    const codes: readonly FailureCode[] = [
      'values',
      'spawn',
      'exit',
      'timeout',
      'protocol',
      'too-large',
      'auth',
      'forbidden',
      'session',
      'rate',
      'upstream',
      'tls',
      'dns',
      'network',
      'blocked',
      'busy',
      'cancelled',
      'closed',
    ]
    const hints = codes.map((code) => told(new WireError(code, 'm'), 'my server').hint)
    expect(hints.filter((hint) => hint === '' || hint.includes('NAME') || / my server/.test(hint))).toEqual(
      [],
    )
  })

  test('stderr that points to the wrong Node version gives a hint about it', () => {
    const facts = { stderr: ['npm warn', "SyntaxError: Unexpected token 'with'"] }
    expect(told(new WireError('exit', 'It ended.', { facts })).hint).toBe(
      `It may need a different Node version than the one in its PATH (${process.version} here).`,
    )
  })

  test.each([
    ['not-found', 'Install it, or put its full path into the entry: plugboard why x'],
    ['no-permission', 'Make the file executable, or name the program that runs it.'],
    ['bad-cwd', 'Check "cwd" in its entry: plugboard why x'],
    ['no-resources', 'Close other programs, or raise the limit on open files.'],
    ['other', 'Check the command: plugboard why x'],
  ] as const)('a program that did not start (%s) gives its own hint', (reason, hint) => {
    expect(told(new SpawnError(reason, 'm'))).toEqual({ code: 'spawn', message: 'm', hint, at: 7 })
    expect(told(new SpawnError(reason, 'm', { searched: ['/bin'] }))).toMatchObject({ searched: ['/bin'] })
  })

  test('an error answer, an error of ours and an unknown error', () => {
    const ours = new HostError('value.unresolved', { server: 'x', names: ['T'] }, 'T is not set.', {
      hint: 'Set T.',
    })
    expect([told(new RpcError(-1, 'no')), told(ours), told(new Error('e')), told('text')]).toEqual([
      {
        code: 'protocol',
        message: 'It answered: no',
        hint: 'Check that the command or address belongs to an MCP server: plugboard why x',
        at: 7,
      },
      { code: 'values', message: 'T is not set.', hint: 'Set T.', at: 7 },
      { code: 'values', message: 'e', hint: 'Provide the missing values: plugboard why x', at: 7 },
      { code: 'values', message: 'text', hint: 'Provide the missing values: plugboard why x', at: 7 },
    ])
  })
})

test('isFinal: failures that a retry may fix are not final', () => {
  const mendable: readonly FailureCode[] = ['exit', 'timeout', 'closed', 'network', 'dns', 'upstream', 'rate']
  const final: readonly FailureCode[] = ['values', 'spawn', 'protocol', 'tls', 'forbidden', 'blocked', 'auth']
  expect(mendable.filter((code) => isFinal(new WireError(code, '')))).toEqual([])
  expect(final.filter((code) => !isFinal(new WireError(code, '')))).toEqual([])
  expect([
    isFinal(new SpawnError('not-found', '')),
    isFinal(new SpawnError('no-resources', '')),
    isFinal(new RpcError(-1, '')),
    isFinal(new Error('?')),
  ]).toEqual([true, false, false, true])
})
